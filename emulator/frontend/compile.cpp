// One compilation: arguments → Clang in process → module + reflection. Read top-down from compile().
#include "frontend/compile.h"

#include "frontend/air_symbols.h"
#include "frontend/bool_bytes.h"
#include "frontend/compile_fixes.h"
#include "frontend/compile_limits.h"
#include "frontend/compiled_views.h"
#include "frontend/compiler_arguments.h"
#include "frontend/component_names.h"
#include "frontend/debug_places.h"
#include "frontend/diagnostics.h"
#include "frontend/entry_wrappers.h"
#include "frontend/float_literals.h"
#include "frontend/given_attributes.h"
#include "frontend/global_bindings.h"
#include "frontend/half_casts.h"
#include "frontend/macro_expansions.h"
#include "frontend/math_modes.h"
#include "frontend/metal_rules.h"
#include "frontend/method_spaces.h"
#include "frontend/module_uses.h"
#include "frontend/nesting_limit.h"
#include "frontend/precompiled_shim.h"
#include "frontend/recursion_rule.h"
#include "frontend/reflection.h"
#include "frontend/result_addresses.h"
#include "frontend/space_alias_macros.h"
#include "frontend/space_rules.h"
#include "frontend/swizzle_chains.h"
#include "frontend/unwritten_variables.h"
#include "frontend/vector_contraction.h"
#include "frontend/vector_rules.h"
#include "frontend/wanted_kernels.h"
#include "support/process/deep_stack.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManagerInternals.h>
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

#include <limits>
#include <mutex>

namespace assay::frontend {
namespace {

// The results of one run of Clang.
struct Product {
  ReflectedModule reflected;
  std::unique_ptr<llvm::Module> module;
  bool ended = false; ///< by a fatal error
  bool wantsAirSymbols = false;
};

// #line has given __LINE__ and __FILE__ their values. From here on, lines are the real ones; a source view
// knows their #line names.
void forgetLineNames(clang::SourceManager &sources) {
  if (!sources.hasLineTable())
    return;
  clang::LineTableInfo &table = sources.getLineTable();
  std::vector<clang::FileID> named;
  for (const auto &entry : table)
    named.push_back(entry.first);
  // A file that once had an entry must keep one: after its end.
  constexpr unsigned kNowhere = std::numeric_limits<unsigned>::max();
  for (const clang::FileID file : named)
    table.AddEntry(file, {clang::LineEntry::get(kNowhere, 0, -1, clang::SrcMgr::C_User, 0)});
}

// Reflection, then code generation, then the entry wrappers.
class KernelConsumer : public clang::MultiplexConsumer {
public:
  /// Takes ownership of the generator.
  KernelConsumer(clang::CodeGenerator *generator, clang::Preprocessor &preprocessor,
                 const ViewFileSystem &files, const std::vector<std::string> &kernels, CompileLimits &limits,
                 MathModes &modes, Product &product)
      : MultiplexConsumer(asList(generator)), generator_(generator), preprocessor_(preprocessor),
        files_(files), wanted_(kernels), limits_(limits), modes_(modes), product_(product) {}

  clang::ASTMutationListener *GetASTMutationListener() override { return &listeners_; }

  void InitializeSema(clang::Sema &sema) override {
    sema_ = &sema;
    MultiplexConsumer::InitializeSema(sema);
    limits_.watch(sema);
  }
  void ForgetSema() override {
    sema_ = nullptr;
    MultiplexConsumer::ForgetSema();
  }

  // Code is generated at the end, from bodies whose vector operators have been contracted.
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    contraction_.keep(group);
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext &context) override {
    product_.wantsAirSymbols = bindAirSymbols(context, files_);
    if (product_.wantsAirSymbols || context.getDiagnostics().hasErrorOccurred())
      return;
    forgetLineNames(context.getSourceManager());
    checkMetalRules(context, preprocessor_, files_, contraction_.kept());
    checkSpaces(context, files_, contraction_.kept());
    checkRecursion(context, files_, contraction_.kept());
    mendSwizzleChains(*sema_, contraction_.kept());
    checkVectors(context, contraction_.kept());
    product_.reflected = reflect(context, files_);
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    nameUnwrittenVariables(context, files_, contraction_.kept());
    contraction_.apply(*sema_);
    for (const clang::DeclGroupRef &group : contraction_.kept())
      MultiplexConsumer::HandleTopLevelDecl(group);
    MultiplexConsumer::HandleTranslationUnit(context);
    if (context.getDiagnostics().hasErrorOccurred() || !generator_->GetModule())
      return;
    addEntryWrappers(*generator_, context, product_.reflected);
    product_.module.reset(generator_->ReleaseModule());
    castHalvesThroughFloat(*product_.module);
    castResultAddresses(*product_.module);
    modes_.resolve(*product_.module, context);
  }

private:
  static std::vector<std::unique_ptr<clang::ASTConsumer>> asList(clang::ASTConsumer *only) {
    std::vector<std::unique_ptr<clang::ASTConsumer>> list;
    list.emplace_back(only);
    return list;
  }

  clang::CodeGenerator *generator_;
  clang::Preprocessor &preprocessor_;
  const ViewFileSystem &files_;
  // Changes declarations while Clang makes them.
  class Listeners : public MethodSpaces {
  public:
    explicit Listeners(WantedKernels &wanted) : wanted_(wanted) {}
    void CompletedTagDefinition(const clang::TagDecl *tag) override {
      MethodSpaces::CompletedTagDefinition(tag);
      joinComponentNames(tag);
    }
    void InstantiationRequested(const clang::ValueDecl *declaration) override {
      if (!wanted_.all())
        wanted_.InstantiationRequested(declaration);
    }

  private:
    WantedKernels &wanted_;
  };

  WantedKernels wanted_;
  Listeners listeners_{wanted_};
  CompileLimits &limits_;
  MathModes &modes_;
  Product &product_;
  clang::Sema *sema_ = nullptr;
  VectorContraction contraction_;
};

class KernelAction : public clang::ASTFrontendAction {
public:
  KernelAction(llvm::LLVMContext &context, const ViewFileSystem &files, const SourceRequest &request,
               SpaceAliases &aliases, Product &product)
      : context_(context), files_(files), kernels_(request.kernels), aliases_(aliases),
        modes_(request.safeMath), product_(product) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override {
    auto *generator = clang::CreateLLVMCodeGen(
        compiler.getDiagnostics(), file, &compiler.getVirtualFileSystem(), compiler.getHeaderSearchOpts(),
        compiler.getPreprocessorOpts(), compiler.getCodeGenOpts(), context_);
    return std::make_unique<KernelConsumer>(generator, compiler.getPreprocessor(), files_, kernels_, limits_,
                                            modes_, product_);
  }

  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    makeThreadSpacePlain(compiler.getTarget());
    limits_.watch(compiler.getPreprocessor());
    collectSpaceAliases(compiler.getPreprocessor(), aliases_);
    // The watcher gets the token object that the parser is about to receive; Clang has no other place to
    // change a token after macro expansion. A preprocessor has one watcher.
    compiler.getPreprocessor().setTokenWatcher(
        [this, floats = floatLiteralsAsSingle(),
         nesting = nestingLimit(compiler.getPreprocessor())](const clang::Token &seen) {
          auto &token = const_cast<clang::Token &>(seen);
          limits_.count(token);
          nesting(token);
          floats(token);
        });
    modes_.watch(compiler.getPreprocessor());
    return true;
  }

private:
  llvm::LLVMContext &context_;
  const ViewFileSystem &files_;
  const std::vector<std::string> &kernels_;
  SpaceAliases &aliases_;
  CompileLimits limits_;
  MathModes modes_;
  Product &product_;
};

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
              const std::string *precompiled, bool airSymbols, std::vector<Diagnostic> &diagnostics) {
  std::vector<std::string> more;
  if (airSymbols)
    more = {"-include", fmt::format("{}/{}", kShimRoot, kAirSymbols)};
  DiagnosticCollector collector(*files, fixes);
  clang::CompilerInstance compiler;
  const PreludeForm prelude = precompiled ? PreludeForm::Precompiled : PreludeForm::Text;
  bool done = prepareCompiler(compiler, request, prelude, more, collector, files);
  if (done) {
    KernelAction action(context, *files, request, aliases, product);
    done = compiler.ExecuteAction(action) && product.module && !collector.refused();
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
                  const std::string *precompiled, llvm::LLVMContext &context, Product &product,
                  std::vector<Diagnostic> &diagnostics) {
  CompileFixes fixes;
  std::optional<std::vector<Diagnostic>> beforeTrials;
  bool done = false, airSymbols = false;
  for (bool again = true; again;) {
    airSymbols |= product.wantsAirSymbols;
    product = {};
    diagnostics.clear();
    SpaceAliases aliases;
    done = runClang(request, files, context, product, fixes, aliases, precompiled, airSymbols, diagnostics);
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
  if (!done && beforeTrials && errorsIn(diagnostics) >= errorsIn(*beforeTrials))
    diagnostics = std::move(*beforeTrials);
}

// Compiles, and once more with macros expanded if the program is refused.
void compileExpanding(const SourceRequest &request, const llvm::IntrusiveRefCntPtr<ViewFileSystem> &files,
                      const std::string *precompiled, llvm::LLVMContext &context, Product &product,
                      std::vector<Diagnostic> &diagnostics) {
  compileViews(request, files, precompiled, context, product, diagnostics);
  if (product.module || product.ended)
    return;
  auto expansions = macroExpansions(request);
  if (expansions.empty())
    return;
  files->expand(std::move(expansions));
  std::vector<Diagnostic> others;
  compileViews(request, files, precompiled, context, product, others);
  if (product.module || errorsIn(others) < errorsIn(diagnostics))
    diagnostics = std::move(others);
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

Result<CompiledModule> compileHere(const SourceRequest &request, Shim shim, PrecompiledStore *store) {
  prepareClang();
  auto files = llvm::makeIntrusiveRefCnt<ViewFileSystem>();
  if (request.text)
    files->addText(request.path, *request.text);
  files->addProbes(request.path, request.probes);
  Error unreadable;
  if (!readable(request, *files, unreadable))
    return unreadable;

  std::shared_ptr<const std::string> precompiled;
  if (shim == Shim::Precompiled)
    precompiled = precompiledShim(request, shimPartFor(request, *files), store);
  if (precompiled)
    files->addPrecompiled(*precompiled);

  llvm::LLVMContext context;
  Product product;
  std::vector<Diagnostic> diagnostics;
  compileExpanding(request, files, precompiled.get(), context, product, diagnostics);
  if (Result<void> placed = files->checkProbes(); !placed)
    return placed.error();
  if (!product.module)
    return asError(withProbes(std::move(diagnostics), *files));

  dropAnnotations(*product.module);
  nameBoolBytes(*product.module);
  mapDebugPlaces(*product.module, *files);
  checkGlobalBindings(*product.module, product.reflected.globals);
  fillModuleUses(*product.module, product.reflected.globals, product.reflected.info);
  replaceGlobalBindings(*product.module, product.reflected.globals);

  CompiledModule result;
  result.info = std::move(product.reflected.info);
  llvm::raw_string_ostream stream(result.bitcode);
  llvm::WriteBitcodeToFile(*product.module, stream);
  result.dependencies = files->dependencies();
  result.warnings = std::move(diagnostics);
  return result;
}

} // namespace

Result<CompiledModule> compile(const SourceRequest &request, PrecompiledStore *store) {
  std::optional<Result<CompiledModule>> result;
  onDeepStack([&] { result = compileHere(request, Shim::Precompiled, store); });
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
    compileExpanding(request, files, nullptr, context, product, diagnostics);
  });
  return files;
}

Result<CompiledModule> compileParsingTheShim(const SourceRequest &request) {
  std::optional<Result<CompiledModule>> result;
  onDeepStack([&] { result = compileHere(request, Shim::Parsed, nullptr); });
  return std::move(*result);
}

} // namespace assay::frontend
