#include "frontend/kernel_signatures.h"

#include "frontend/annotations.h"
#include "frontend/user_code.h"

#include <fmt/format.h>

namespace assay::frontend {
namespace {

using namespace clang;

class Signatures : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;
  void of(const DeclContext &scope) {
    for (Decl *decl : scope.noload_decls()) {
      if (const auto *space = dyn_cast<NamespaceDecl>(decl))
        of(*space);
      else if (const auto *pattern = dyn_cast<FunctionTemplateDecl>(decl))
        check(*pattern->getTemplatedDecl());
      else if (const auto *function = dyn_cast<FunctionDecl>(decl))
        check(*function);
    }
  }

private:
  void check(const FunctionDecl &function) {
    if (!annotation(&function, "kernel") || !isUsers(&function))
      return;
    for (const ParmVarDecl *parameter : function.parameters()) {
      const QualType type = parameter->getType(), memory = type->getPointeeType();
      if (parameter->isInvalidDecl() || memory.isNull() || memory->isDependentType() ||
          memory->isFunctionType() || memory.getAddressSpace() != LangAS::Default)
        continue;
      report(parameter->getLocation(),
             fmt::format("{} '{}' of a kernel has no address space: write device, constant or threadgroup",
                         type->isReferenceType() ? "reference" : "pointer", parameter->getNameAsString()));
    }
  }
};

} // namespace

void checkKernelSignatures(ASTContext &context, const ViewFileSystem &files) {
  Signatures(context, files).of(*context.getTranslationUnitDecl());
}

} // namespace assay::frontend
