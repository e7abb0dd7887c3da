// One compilation: arguments → Clang in process → module + reflection. Read top-down from compile().
#include "frontend/compile.h"

#include "frontend/compiler_arguments.h"
#include "frontend/debug_places.h"
#include "frontend/diagnostics.h"
#include "frontend/entry_wrappers.h"
#include "frontend/float_literals.h"
#include "frontend/math_modes.h"
#include "frontend/module_uses.h"
#include "frontend/reflection.h"
#include "frontend/wanted_kernels.h"

#include <clang/AST/ASTContext.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Bitcode/BitcodeWriter.h>
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

// What one run of Clang leaves behind.
struct Product {
  ReflectedModule reflected;
  std::unique_ptr<llvm::Module> module;
};

// Code generation with reflection before it and the entry wrappers after it.
class KernelConsumer : public clang::MultiplexConsumer {
public:
  /// Takes ownership of the generator.
  KernelConsumer(clang::CodeGenerator *generator, const ViewFileSystem &files,
                 const std::vector<std::string> &kernels, MathModes &modes, Product &product)
      : MultiplexConsumer(asList(generator)), generator_(generator), files_(files), wanted_(kernels),
        modes_(modes), product_(product) {}

  clang::ASTMutationListener *GetASTMutationListener() override { return wanted_.all() ? nullptr : &wanted_; }

  void HandleTranslationUnit(clang::ASTContext &context) override {
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    product_.reflected = reflect(context, files_);
    MultiplexConsumer::HandleTranslationUnit(context);
    if (context.getDiagnostics().hasErrorOccurred() || !generator_->GetModule())
      return;
    addEntryWrappers(*generator_, context, product_.reflected);
    product_.module.reset(generator_->ReleaseModule());
    modes_.resolve(*product_.module, context);
  }

private:
  static std::vector<std::unique_ptr<clang::ASTConsumer>> asList(clang::ASTConsumer *only) {
    std::vector<std::unique_ptr<clang::ASTConsumer>> list;
    list.emplace_back(only);
    return list;
  }

  clang::CodeGenerator *generator_;
  const ViewFileSystem &files_;
  WantedKernels wanted_;
  MathModes &modes_;
  Product &product_;
};

class KernelAction : public clang::ASTFrontendAction {
public:
  KernelAction(llvm::LLVMContext &context, const ViewFileSystem &files, const SourceRequest &request,
               Product &product)
      : context_(context), files_(files), kernels_(request.kernels), modes_(request.safeMath),
        product_(product) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override {
    auto *generator = clang::CreateLLVMCodeGen(
        compiler.getDiagnostics(), file, &compiler.getVirtualFileSystem(), compiler.getHeaderSearchOpts(),
        compiler.getPreprocessorOpts(), compiler.getCodeGenOpts(), context_);
    return std::make_unique<KernelConsumer>(generator, files_, kernels_, modes_, product_);
  }

  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    makeFloatLiteralsSingle(compiler.getPreprocessor());
    modes_.watch(compiler.getPreprocessor());
    return true;
  }

private:
  llvm::LLVMContext &context_;
  const ViewFileSystem &files_;
  const std::vector<std::string> &kernels_;
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

// A mistake in a probe is shown at the statement that it stands before or behind, whose text does not have it.
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

// Annotations have been read; what IR keeps of them only stands in the way of optimisation.
void dropAnnotations(llvm::Module &module) {
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
              llvm::LLVMContext &context, Product &product, ByValueFixes &fixes,
              std::vector<Diagnostic> &diagnostics) {
  DiagnosticCollector collector(*files, fixes);
  clang::CompilerInstance compiler;
  std::vector<std::string> arguments = compilerArguments(request, std::string(kShimRoot));
  arguments.push_back(request.path);
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  // The arguments hold the warning flags, so they are read before there is an engine that obeys them.
  clang::DiagnosticsEngine reader(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &collector, false);
  bool done = clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), pointers, reader);
  if (done) {
    compiler.getDiagnosticOpts().ShowCarets = false; // else it counts errors on standard error
    compiler.createDiagnostics(&collector, false);
    compiler.createFileManager(files);
    KernelAction action(context, *files, request, product);
    done = compiler.ExecuteAction(action) && product.module;
  }
  diagnostics = collector.take();
  return done;
}

} // namespace

Result<CompiledModule> compile(const SourceRequest &request) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });

  auto files = llvm::makeIntrusiveRefCnt<ViewFileSystem>();
  if (request.text)
    files->addText(request.path, *request.text);
  files->addProbes(request.path, request.probes);
  Error unreadable;
  if (!readable(request, *files, unreadable))
    return unreadable;

  // Once, or again after operands have been wrapped; a wrapped operand can uncover the next one.
  llvm::LLVMContext context;
  Product product;
  ByValueFixes fixes;
  std::vector<Diagnostic> diagnostics;
  for (bool again = true; again;) {
    product = {};
    diagnostics.clear();
    again = !runClang(request, files, context, product, fixes, diagnostics) && fixes.apply(*files);
  }
  if (Result<void> placed = files->checkProbes(); !placed)
    return placed.error();
  if (!product.module)
    return asError(withProbes(std::move(diagnostics), *files));

  dropAnnotations(*product.module);
  mapDebugPlaces(*product.module, *files);
  fillModuleUses(*product.module, product.reflected.info);

  CompiledModule result;
  result.info = std::move(product.reflected.info);
  llvm::raw_string_ostream stream(result.bitcode);
  llvm::WriteBitcodeToFile(*product.module, stream);
  result.dependencies = files->dependencies();
  result.warnings = std::move(diagnostics);
  return result;
}

} // namespace assay::frontend
