// One compilation: arguments → Clang in process → module + reflection. Read top-down from compile().
#include "frontend/compile.h"

#include "frontend/compiler_arguments.h"
#include "frontend/debug_places.h"
#include "frontend/diagnostics.h"
#include "frontend/entry_wrappers.h"
#include "frontend/module_uses.h"
#include "frontend/reflection.h"

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
#include <llvm/TargetParser/Host.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

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
  KernelConsumer(std::unique_ptr<clang::CodeGenerator> generator, const ViewFileSystem &files, Product &product)
      : KernelConsumer(generator.get(), asList(std::move(generator)), files, product) {}

  void HandleTranslationUnit(clang::ASTContext &context) override {
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    product_.reflected = reflect(context, files_);
    MultiplexConsumer::HandleTranslationUnit(context);
    if (context.getDiagnostics().hasErrorOccurred() || !generator_->GetModule())
      return;
    addEntryWrappers(*generator_, context, product_.reflected);
    product_.module.reset(generator_->ReleaseModule());
  }

private:
  KernelConsumer(clang::CodeGenerator *generator, std::vector<std::unique_ptr<clang::ASTConsumer>> list,
                 const ViewFileSystem &files, Product &product)
      : MultiplexConsumer(std::move(list)), generator_(generator), files_(files), product_(product) {}

  static std::vector<std::unique_ptr<clang::ASTConsumer>> asList(std::unique_ptr<clang::CodeGenerator> generator) {
    std::vector<std::unique_ptr<clang::ASTConsumer>> list;
    list.push_back(std::move(generator));
    return list;
  }

  clang::CodeGenerator *generator_;
  const ViewFileSystem &files_;
  Product &product_;
};

class KernelAction : public clang::ASTFrontendAction {
public:
  KernelAction(llvm::LLVMContext &context, const ViewFileSystem &files, Product &product)
      : context_(context), files_(files), product_(product) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler, llvm::StringRef file) override {
    std::unique_ptr<clang::CodeGenerator> generator(clang::CreateLLVMCodeGen(
        compiler.getDiagnostics(), file, &compiler.getVirtualFileSystem(), compiler.getHeaderSearchOpts(),
        compiler.getPreprocessorOpts(), compiler.getCodeGenOpts(), context_));
    return std::make_unique<KernelConsumer>(std::move(generator), files_, product_);
  }

private:
  llvm::LLVMContext &context_;
  const ViewFileSystem &files_;
  Product &product_;
};

Error asError(std::vector<Diagnostic> diagnostics) {
  Error error{ErrorKind::Kernel, std::move(diagnostics)};
  if (error.diagnostics.empty())
    error = Error::kernel("internal", "Clang failed without a diagnostic");
  return error;
}

// Annotations have been read; what IR keeps of them only stands in the way of optimisation.
void dropAnnotations(llvm::Module &module) {
  for (const char *name : {"llvm.global.annotations"})
    if (auto *global = module.getNamedGlobal(name))
      global->eraseFromParent();
  for (llvm::Function &function : llvm::make_early_inc_range(module))
    if (function.getName().starts_with("llvm.var.annotation")) {
      for (llvm::User *user : llvm::make_early_inc_range(function.users()))
        llvm::cast<llvm::Instruction>(user)->eraseFromParent();
      function.eraseFromParent();
    }
}

bool readable(const SourceRequest &request, llvm::vfs::FileSystem &files, Error &error) {
  if (request.text)
    return true;
  const auto status = files.status(request.path);
  if (status && status->isRegularFile())
    return true;
  error = Error::usage("no-such-file",
                       status ? fmt::format("'{}' is not a file", request.path)
                              : fmt::format("cannot read '{}': {}", request.path, status.getError().message()),
                       "give the path of a .metal file");
  return false;
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
  Error unreadable;
  if (!readable(request, *files, unreadable))
    return unreadable;

  DiagnosticCollector collector(*files);
  clang::CompilerInstance compiler;
  compiler.createDiagnostics(&collector, false);
  std::vector<std::string> arguments = compilerArguments(request, std::string(kShimRoot));
  arguments.push_back(request.path);
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), pointers, compiler.getDiagnostics()))
    return asError(collector.take());
  compiler.createFileManager(files);

  llvm::LLVMContext context;
  Product product;
  KernelAction action(context, *files, product);
  const bool done = compiler.ExecuteAction(action);
  std::vector<Diagnostic> diagnostics = collector.take();
  if (!done || !product.module)
    return asError(std::move(diagnostics));

  dropAnnotations(*product.module);
  mapDebugColumns(*product.module, *files);
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
