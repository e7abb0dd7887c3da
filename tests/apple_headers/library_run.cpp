#include "library_run.h"

#include "frontend/compiler_arguments.h"
#include "frontend/diagnostics.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>

#include <stdexcept>

namespace assay::apple_headers {
namespace {

class ReadAction : public clang::ASTFrontendAction {
public:
  explicit ReadAction(std::unique_ptr<clang::ASTConsumer> consumer) : consumer_(std::move(consumer)) {}

protected:
  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    frontend::beginSource(compiler);
    return true;
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override {
    return std::move(consumer_);
  }

private:
  std::unique_ptr<clang::ASTConsumer> consumer_;
};

} // namespace

void readLibrary(const std::string &program, LanguageVersion version,
                 std::unique_ptr<clang::ASTConsumer> consumer) {
  frontend::SourceRequest request;
  request.path = "library.metal";
  request.text = program;
  request.language = version;
  auto files = llvm::makeIntrusiveRefCnt<frontend::ViewFileSystem>();
  files->addText(request.path, program);
  frontend::CompileFixes fixes;
  frontend::DiagnosticCollector collector(*files, fixes);
  clang::CompilerInstance compiler;
  ReadAction action(std::move(consumer));
  if (!frontend::prepareCompiler(compiler, request, frontend::PreludeForm::Text, {}, collector, files) ||
      !compiler.ExecuteAction(action))
    throw std::runtime_error(renderDiagnostics(collector.take()));
}

} // namespace assay::apple_headers
