// It asks Clang with the front end's options, which tells parameters and members from names of a namespace.
// `-ast-list` prints the former as if they were global.
#include "library_names.h"

#include "frontend/compiler_arguments.h"
#include "frontend/diagnostics.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>

#include <stdexcept>

namespace assay::apple_headers {
namespace {

class NameConsumer : public clang::ASTConsumer {
public:
  explicit NameConsumer(Names &names) : names_(names) {}
  void HandleTranslationUnit(clang::ASTContext &context) override {
    readScope(*context.getTranslationUnitDecl(), "");
  }

private:
  void readScope(const clang::DeclContext &scope, const std::string &space) {
    for (const clang::Decl *declaration : scope.decls())
      readDeclaration(*declaration, space);
  }

  void readDeclaration(const clang::Decl &declaration, const std::string &space) {
    if (declaration.isImplicit())
      return;
    if (const auto *linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(&declaration))
      return readScope(*linkage, space);
    if (const auto *other = llvm::dyn_cast<clang::UsingDirectiveDecl>(&declaration)) {
      for (const clang::NamespaceDecl *part : other->getNominatedNamespace()->redecls())
        readScope(*part, space);
      return;
    }
    const auto *named = llvm::dyn_cast<clang::NamedDecl>(&declaration);
    if (!named || !named->getDeclName().isIdentifier())
      return;
    const std::string name = named->getName().str();
    if (name[0] == '_')
      return;
    const std::string qualified = space + name;
    if (!name.empty())
      names_.insert(qualified);
    if (const auto *inner = llvm::dyn_cast<clang::NamespaceDecl>(named))
      readScope(*inner, qualified + "::");
    if (const auto *enumeration = llvm::dyn_cast<clang::EnumDecl>(named);
        enumeration && !enumeration->isScoped())
      readScope(*enumeration, space);
  }

  Names &names_;
};

class NameAction : public clang::ASTFrontendAction {
public:
  explicit NameAction(Names &names) : names_(names) {}

protected:
  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    frontend::beginSource(compiler);
    return true;
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<NameConsumer>(names_);
  }

private:
  Names &names_;
};

} // namespace

Names declaredNames(const std::string &program, LanguageVersion version) {
  frontend::SourceRequest request;
  request.path = "names.metal";
  request.text = program;
  request.language = version;
  auto files = llvm::makeIntrusiveRefCnt<frontend::ViewFileSystem>();
  files->addText(request.path, program);
  frontend::CompileFixes fixes;
  frontend::DiagnosticCollector collector(*files, fixes);
  clang::CompilerInstance compiler;
  Names names;
  NameAction action(names);
  if (!frontend::prepareCompiler(compiler, request, frontend::PreludeForm::Text, {}, collector, files) ||
      !compiler.ExecuteAction(action))
    throw std::runtime_error(renderDiagnostics(collector.take()));
  return names;
}

} // namespace assay::apple_headers
