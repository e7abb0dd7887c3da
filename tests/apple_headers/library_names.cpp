// It asks Clang with the front end's options, which tells parameters and members from names of a namespace.
// `-ast-list` prints the former as if they were global.
#include "library_names.h"

#include "library_run.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>

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

} // namespace

Names declaredNames(const std::string &program, LanguageVersion version) {
  Names names;
  readLibrary(program, version, std::make_unique<NameConsumer>(names));
  return names;
}

} // namespace assay::apple_headers
