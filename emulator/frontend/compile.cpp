// One compilation: arguments → Clang in process → module + reflection. Read top-down from compile().
#include "frontend/compile.h"

#include "frontend/air_symbols.h"
#include "frontend/bool_bytes.h"
#include "frontend/compile_fixes.h"
#include "frontend/compiled_views.h"
#include "frontend/compiler_arguments.h"
#include "frontend/debug_places.h"
#include "frontend/diagnostics.h"
#include "frontend/given_attributes.h"
#include "frontend/global_bindings.h"
#include "frontend/kernel_action.h"
#include "frontend/later_names.h"
#include "frontend/link.h"
#include "frontend/macro_expansions.h"
#include "frontend/module_uses.h"
#include "frontend/precompiled_prefix.h"
#include "frontend/precompiled_shim.h"
#include "frontend/unwritten_variables.h"
#include "support/process/deep_stack.h"

#include <clang/AST/ASTContext.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <fmt/format.h>

#include <mutex>

namespace assay::frontend {
namespace {

constexpr size_t kShownErrors = 20;

Error asError(std::vector<Diagnostic> diagnostics) {
  size_t errors = 0, end = 0;
  for (const Diagnostic &d : diagnostics) {
    errors += d.severity == Severity::Error;
    end += errors <= kShownErrors;
  }
  if (errors > kShownErrors) {
    diagnostics.resize(end);
    Diagnostic more;
    more.severity = Severity::Note;
    more.message = fmt::format("{} errors in all, the first {} are shown", errors, kShownErrors);
    diagnostics.push_back(more);
  }
  Error error{ErrorKind::Kernel, std::move(diagnostics)};
  if (error.diagnostics.empty())
    error = Error::kernel("internal", "Clang failed without a diagnostic");
  return error;
}

std::vector<Diagnostic> withVersions(std::vector<Diagnostic> diagnostics, const SourceRequest &request) {
  const bool ios =
      std::ranges::any_of(request.defines, [](const auto &define) { return define.first == kIosMacro; });
  for (Diagnostic &diagnostic : diagnostics)
    if (diagnostic.severity == Severity::Error)
      diagnostic.message = namingLaterVersion(std::move(diagnostic.message), request.language, ios);
  return diagnostics;
}

// A mistake in a probe is shown at the statement before or after which it was put. A note shows the probe.
std::vector<Diagnostic> withProbes(std::vector<Diagnostic> diagnostics, const ViewFileSystem &files) {
  std::vector<Diagnostic> all;
  for (Diagnostic &diagnostic : diagnostics) {
    all.push_back(std::move(diagnostic));
    if (all.back().severity != Severity::Error)
      continue;
    const Diagnostic error = all.back();
    for (const SourceProbe *probe : files.probesAt(error.where)) {
      Diagnostic note;
      note.where = error.where;
      note.severity = Severity::Note;
      note.message = fmt::format("probe '{}' stands here: {}", probe->name, probe->expression);
      all.push_back(std::move(note));
    }
  }
  return all;
}

// The annotations have been read; in IR they would only obstruct optimisation.
void dropAnnotations(llvm::Module &module) {
  keepUnwritten(module);
  for (const char *name : {"llvm.global.annotations"})
    if (auto *global = module.getNamedGlobal(name))
      global->eraseFromParent();
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    const bool member = function.getName().starts_with("llvm.ptr.annotation"); // its address passes through
    if (!member && !function.getName().starts_with("llvm.var.annotation"))
      continue;
    for (llvm::User *user : llvm::make_early_inc_range(function.users())) {
      auto *call = llvm::cast<llvm::CallBase>(user);
      if (member)
        call->replaceAllUsesWith(call->getArgOperand(0));
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
  for (llvm::GlobalVariable &text : llvm::make_early_inc_range(module.globals()))
    if (text.getSection() == "llvm.metadata" && text.use_empty())
      text.eraseFromParent();
}

bool readable(const SourceRequest &request, llvm::vfs::FileSystem &files, Error &error) {
  if (request.text)
    return true;
  const auto status = files.status(request.path);
  if (status && status->isRegularFile())
    return true;
  error =
      Error::usage("no-such-file",
                   status ? fmt::format("'{}' is not a file", request.path)
                          : fmt::format("cannot read '{}': {}", request.path, status.getError().message()),
                   "give the path of a .metal file");
  return false;
}

bool runClang(const SourceRequest &request, llvm::IntrusiveRefCntPtr<ViewFileSystem> files,
              llvm::LLVMContext &context, Product &product, CompileFixes &fixes, SpaceAliases &aliases,
              PreludeForm prelude, bool airSymbols, const SourcePrefix *prefix,
              std::vector<Diagnostic> &diagnostics) {
  std::vector<std::string> more;
  if (airSymbols)
    more = {"-include", fmt::format("{}/{}", kShimRoot, kAirSymbols)};
  DiagnosticCollector collector(*files, fixes);
  clang::CompilerInstance compiler;
  bool done = prepareCompiler(compiler, request, prelude, more, collector, files);
  if (done) {
    if (prefix) {
      clang::PreprocessorOptions &options = compiler.getPreprocessorOpts();
      options.PrecompiledPreambleBytes = {unsigned(prefix->view.size()), true};
      overrideSource(compiler, request.path, files->read(request.path)->text());
    }
    const auto action = kernelAction(context, *files, request, aliases, product);
    done = compiler.ExecuteAction(*action) && product.module && !collector.refused();
    if (!done)
      product.module.reset();
  }
  product.ended = collector.ended();
  diagnostics = collector.take();
  return done;
}

size_t errorsIn(const std::vector<Diagnostic> &diagnostics) {
  return size_t(std::ranges::count(diagnostics, Severity::Error, &Diagnostic::severity));
}

// Runs again if the program wants the header of symbols of Apple's compiler, or if the views have changed:
// after macros for address spaces became known, and after repairs; a repair can reveal the next error. After
// trials that repair nothing, the errors before them are shown.
void compileViews(const SourceRequest &request, const llvm::IntrusiveRefCntPtr<ViewFileSystem> &files,
                  PreludeForm prelude, llvm::LLVMContext &context, Product &product,
                  std::vector<Diagnostic> &diagnostics) {
  CompileFixes fixes;
  std::optional<std::vector<Diagnostic>> beforeTrials;
  bool done = false, airSymbols = false;
  for (bool again = true; again;) {
    airSymbols |= product.wantsAirSymbols;
    product = {};
    diagnostics.clear();
    SpaceAliases aliases;
    done =
        runClang(request, files, context, product, fixes, aliases, prelude, airSymbols, nullptr, diagnostics);
    again = files->setAliases(aliases);
    if (again) {
      fixes = {}; // what was found in the other text
      beforeTrials.reset();
    } else if (product.wantsAirSymbols) {
      again = true;
    } else if (!done) {
      const CompileFixes::Applied applied = fixes.apply(*files);
      again = applied != CompileFixes::Applied::Nothing;
      if (applied == CompileFixes::Applied::Trial && !beforeTrials)
        beforeTrials = diagnostics;
    }
  }
  if (!done && beforeTrials)
    diagnostics = errorsIn(diagnostics) < errorsIn(*beforeTrials)
                      ? withoutTrialNames(*beforeTrials, diagnostics)
                      : std::move(*beforeTrials);
}

// Compiles, and once more with macros expanded if the program is refused.
void compileExpanding(const SourceRequest &request, const llvm::IntrusiveRefCntPtr<ViewFileSystem> &files,
                      PreludeForm prelude, llvm::LLVMContext &context, Product &product,
                      std::vector<Diagnostic> &diagnostics) {
  compileViews(request, files, prelude, context, product, diagnostics);
  if (product.module || product.ended)
    return;
  auto expansions = macroExpansions(request);
  if (expansions.empty())
    return;
  files->expand(std::move(expansions));
  std::vector<Diagnostic> others;
  compileViews(request, files, prelude, context, product, others);
  if (product.module || errorsIn(others) < errorsIn(diagnostics))
    diagnostics = std::move(others);
}

// Compiles what is after a precompiled beginning. False if the whole text has to be compiled instead: if
// there is an error or something to repair, or if the view of the beginning is another one in this text.
bool compileAfter(const SourcePrefix &prefix, const SourceRequest &request,
                  const llvm::IntrusiveRefCntPtr<ViewFileSystem> &files, llvm::LLVMContext &context,
                  Product &product, std::vector<Diagnostic> &warnings) {
  files->addPrecompiled(prefix.precompiled, kPrefixPath);
  files->setAliases(prefix.aliases);
  files->insert(request.path, prefix.insertions);
  const SourceView *view = files->read(request.path);
  if (!view || !view->text().starts_with(prefix.view))
    return false;
  CompileFixes fixes;
  SpaceAliases aliases = prefix.aliases;
  return runClang(request, files, context, product, fixes, aliases, PreludeForm::Prefix, false, &prefix,
                  warnings) &&
         !product.asksPlaces && !product.wantsAirSymbols && !files->setAliases(aliases);
}

void prepareClang() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    registerGivenAttributes();
  });
}

enum class Shim { Precompiled, Parsed };

llvm::IntrusiveRefCntPtr<ViewFileSystem> filesOf(const SourceRequest &request, const std::string *shim) {
  auto files = llvm::makeIntrusiveRefCnt<ViewFileSystem>();
  if (request.text)
    files->addText(request.path, *request.text);
  files->addProbes(request.path, request.probes);
  if (shim)
    files->addPrecompiled(*shim);
  return files;
}

// One source, compiled.
struct Compiled {
  Product product;
  llvm::IntrusiveRefCntPtr<ViewFileSystem> files;
  std::vector<Diagnostic> warnings;
};

// Its module before it is linked with others.
LinkUnit asUnit(const SourceRequest &request, Compiled &compiled) {
  Product &product = compiled.product;
  dropAnnotations(*product.module);
  nameBoolBytes(*product.module);
  mapDebugPlaces(*product.module, *compiled.files);
  return {request.path, std::move(product.reflected), std::move(product.module), std::move(product.symbols)};
}

CompiledModule finished(LinkUnit unit) {
  llvm::Module &module = *unit.module;
  ReflectedModule &reflected = unit.reflected;
  listSymbols(unit);
  checkGlobalBindings(module, reflected.globals);
  fillModuleUses(module, reflected.globals, reflected.info);
  replaceGlobalBindings(module, reflected.globals);

  CompiledModule result;
  result.info = std::move(reflected.info);
  llvm::raw_string_ostream stream(result.bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  return result;
}

// A file that several sources read is one dependency.
void add(std::vector<Dependency> &all, std::vector<Dependency> some) {
  for (Dependency &one : some)
    if (std::ranges::none_of(all, [&](const Dependency &known) {
          return known.path == one.path && known.digest == one.digest;
        }))
      all.push_back(std::move(one));
}

Result<Compiled> compileAs(SourceRequest request, Shim shim, PrecompiledStore *store,
                           llvm::LLVMContext &context, Refusal &refusal) {
  prepareClang();
  Compiled compiled;
  compiled.files = filesOf(request, nullptr);
  Error unreadable;
  if (!readable(request, *compiled.files, unreadable))
    return unreadable;

  const ShimNeed need = shimNeedOf(request, *compiled.files);
  request.impliesLibrary = need.impliesLibrary;
  std::shared_ptr<const std::string> precompiled;
  if (shim == Shim::Precompiled)
    precompiled = precompiledShim(request, need.part, store);
  if (precompiled)
    if (const auto prefix = precompiledPrefix(request, precompiled, store)) {
      Compiled after;
      after.files = filesOf(request, precompiled.get());
      if (compileAfter(*prefix, request, after.files, context, after.product, after.warnings))
        return after;
    }

  if (precompiled)
    compiled.files->addPrecompiled(*precompiled);
  compileExpanding(request, compiled.files, precompiled ? PreludeForm::Precompiled : PreludeForm::Text,
                   context, compiled.product, compiled.warnings);
  if (Result<void> placed = compiled.files->checkProbes(); !placed)
    return placed.error();
  if (!compiled.product.module) {
    add(refusal.dependencies, compiled.files->dependencies());
    refusal.lasts = !compiled.product.ended && !compiled.warnings.empty();
    return asError(withProbes(withVersions(std::move(compiled.warnings), request), *compiled.files));
  }
  return compiled;
}

// A program that asks for no version may use the library up to Metal 3.2, and the headers of Metal 4 that it
// includes. If it stumbles over later names, it may have things of its own with these names, because it was
// written before them, or want what <metal_stdlib> has of Metal 4.
Result<Compiled> compileOne(const SourceRequest &request, Shim shim, PrecompiledStore *store,
                            llvm::LLVMContext &context, Refusal &refusal) {
  Result<Compiled> compiled = compileAs(request, shim, store, context, refusal);
  if (compiled || request.language != LanguageVersion::Any ||
      std::ranges::none_of(compiled.error().diagnostics, [](const Diagnostic &diagnostic) {
        return namesOneSince(diagnostic.message, LanguageVersion::Metal3_1);
      }))
    return compiled;
  SourceRequest withVersion = request;
  for (const LanguageVersion version :
       {LanguageVersion::Metal3_2, LanguageVersion::Metal4_1, LanguageVersion::Metal3_0}) {
    withVersion.language = version;
    Refusal another;
    if (Result<Compiled> other = compileAs(withVersion, shim, store, context, another))
      return other;
    // What this version read may be what it was refused for.
    add(refusal.dependencies, std::move(another.dependencies));
    refusal.lasts &= another.lasts;
  }
  return compiled;
}

Result<CompiledModule> compileHere(const SourceRequest &request, Shim shim, PrecompiledStore *store,
                                   Refusal &refusal) {
  llvm::LLVMContext context;
  Result<Compiled> compiled = compileOne(request, shim, store, context, refusal);
  if (!compiled)
    return compiled.error();
  LinkUnit unit = asUnit(request, *compiled);
  std::vector<Diagnostic> undefined = undefinedSymbols(unit);
  CompiledModule result = finished(std::move(unit));
  result.dependencies = compiled->files->dependencies();
  result.warnings = std::move(compiled->warnings);
  std::ranges::move(undefined, std::back_inserter(result.warnings));
  return result;
}

Result<CompiledModule> compileLinked(const std::vector<SourceRequest> &sources, PrecompiledStore *store,
                                     Refusal &refusal) {
  llvm::LLVMContext context;
  std::vector<LinkUnit> units;
  std::vector<Dependency> &dependencies = refusal.dependencies;
  std::vector<Diagnostic> warnings;
  for (SourceRequest source : sources) {
    source.isLinked = true;
    Result<Compiled> compiled = compileOne(source, Shim::Precompiled, store, context, refusal);
    if (!compiled)
      return compiled.error();
    units.push_back(asUnit(source, *compiled));
    add(dependencies, compiled->files->dependencies());
    std::ranges::move(compiled->warnings, std::back_inserter(warnings));
  }
  Result<LinkUnit> linked = link(std::move(units));
  if (!linked) {
    refusal.lasts = true;
    return asError(std::move(linked.error().diagnostics));
  }
  CompiledModule result = finished(std::move(*linked));
  result.dependencies = std::move(dependencies);
  result.warnings = std::move(warnings);
  return result;
}

} // namespace

Result<CompiledModule> compile(const SourceRequest &request, PrecompiledStore *store) {
  std::optional<Result<CompiledModule>> result;
  Refusal refusal;
  onDeepStack([&] { result = compileHere(request, Shim::Precompiled, store, refusal); });
  return std::move(*result);
}

Result<CompiledModule> compileSources(const std::vector<SourceRequest> &sources, PrecompiledStore *store,
                                      Refusal *refusal) {
  std::optional<Result<CompiledModule>> result;
  Refusal unasked;
  Refusal &filled = refusal ? *refusal : unasked;
  onDeepStack([&] {
    result = sources.size() == 1 ? compileHere(sources.front(), Shim::Precompiled, store, filled)
                                 : compileLinked(sources, store, filled);
  });
  return std::move(*result);
}

llvm::IntrusiveRefCntPtr<ViewFileSystem> compiledViews(const SourceRequest &request) {
  auto files = llvm::makeIntrusiveRefCnt<ViewFileSystem>();
  if (request.text)
    files->addText(request.path, *request.text);
  onDeepStack([&] {
    prepareClang();
    llvm::LLVMContext context;
    Product product;
    std::vector<Diagnostic> diagnostics;
    compileExpanding(request, files, PreludeForm::Text, context, product, diagnostics);
  });
  return files;
}

Result<CompiledModule> compileParsingTheShim(const SourceRequest &request) {
  std::optional<Result<CompiledModule>> result;
  Refusal refusal;
  onDeepStack([&] { result = compileHere(request, Shim::Parsed, nullptr, refusal); });
  return std::move(*result);
}

} // namespace assay::frontend
