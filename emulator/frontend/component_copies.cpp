#include "frontend/component_copies.h"

#include "frontend/generated_code.h"
#include "frontend/vector_classes.h"

#include <clang/Sema/Sema.h>

namespace assay::frontend {
namespace {

using namespace clang;

class Copier : public GeneratedCodeVisitor {
public:
  explicit Copier(Sema &sema) : sema_(sema) {}

  bool TraverseDecl(Decl *decl) override {
    return !decl || inLibrary(decl) || SyntaxVisitor::TraverseDecl(decl);
  }

  bool VisitVarDecl(VarDecl *variable) override {
    if (MaterializeTemporaryExpr *copy = copied(variable->getType(), variable->getInit())) {
      copy->setExtendingDecl(variable, 0);
      variable->setInit(copy);
    }
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    const bool object = isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(callee);
    if (callee && !inLibrary(callee))
      arguments(*call, *callee, object ? 1 : 0);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    if (!inLibrary(made->getConstructor()))
      arguments(*made, *made->getConstructor(), 0);
    return true;
  }

private:
  bool inLibrary(const Decl *decl) const {
    return decl->getLocation().isValid() && sema_.getSourceManager().isInSystemHeader(decl->getLocation());
  }
  // first: the number of the argument for the first parameter; an operator's object is before it
  template <class Call> void arguments(Call &call, const FunctionDecl &callee, unsigned first) {
    for (unsigned i = 0; i < callee.getNumParams() && first + i < call.getNumArgs(); ++i)
      if (auto *copy = copied(callee.getParamDecl(i)->getType(), call.getArg(first + i)))
        call.setArg(first + i, copy);
  }
  // Null if it is no component, or not bound to a reference to const in thread memory.
  MaterializeTemporaryExpr *copied(QualType to, Expr *from) {
    if (!from || !to->isLValueReferenceType() || !to->getPointeeType().isConstQualified() ||
        to->getPointeeType().getAddressSpace() != LangAS::Default || !isVectorComponent(from))
      return nullptr;
    const ExprResult value = sema_.DefaultLvalueConversion(from->IgnoreParenImpCasts());
    return value.isInvalid()
               ? nullptr
               : sema_.CreateMaterializeTemporaryExpr(to->getPointeeType(), value.get(), /*lvalue=*/true);
  }

  Sema &sema_;
};

} // namespace

void copyComponents(Sema &sema, const std::vector<DeclGroupRef> &declarations) {
  Copier copier(sema);
  forEachDecl(declarations, [&](Decl *decl) { copier.TraverseDecl(decl); });
}

} // namespace assay::frontend
