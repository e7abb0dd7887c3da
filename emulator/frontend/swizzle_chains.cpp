#include "frontend/swizzle_chains.h"

#include "frontend/assignment_order.h"
#include "frontend/generated_code.h"
#include "frontend/swizzle_elements.h"
#include "frontend/swizzled_object.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Sema/Sema.h>

#include <set>

namespace assay::frontend {
namespace {

using namespace clang;

class ChainMender : public GeneratedCodeVisitor {
public:
  explicit ChainMender(Sema &sema)
      : sema_(sema), sources_(sema.getSourceManager()), errors_(sema.getDiagnostics()) {}

  bool TraverseDecl(Decl *decl) override {
    return !decl || (decl->getLocation().isValid() && sources_.isInSystemHeader(decl->getLocation())) ||
           SyntaxVisitor::TraverseDecl(decl);
  }

  void mend(Decl *decl) {
    errors_.enter(decl);
    TraverseDecl(decl);
  }

  bool VisitFunctionDecl(FunctionDecl *function) override {
    errors_.enter(function);
    return true;
  }
  bool VisitOpaqueValueExpr(OpaqueValueExpr *value) override {
    return !value->getSourceExpr() || TraverseStmt(value->getSourceExpr());
  }
  bool VisitPseudoObjectExpr(PseudoObjectExpr *access) override {
    if (access->getNumSemanticExprs() == 0)
      return true;
    Expr *last = stepsOf(access).back()->IgnoreParenImpCasts();
    if (auto *call = dyn_cast<CXXMemberCallExpr>(last);
        !putComponents(call).empty() && mended_.insert(call).second && setter(access, call))
      evaluateRightSideFirst(sema_, errors_, access, call);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *operation) override {
    if (operation->isAssignmentOp())
      operation->setLHS(mendedElement(sema_, errors_, operation->getLHS()));
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *operation) override {
    if (operation->isIncrementDecrementOp())
      operation->setSubExpr(mendedElement(sema_, errors_, operation->getSubExpr()));
    return true;
  }

private:
  // False after an error.
  bool setter(PseudoObjectExpr *access, CXXMemberCallExpr *call) {
    const SourceLocation where = call->getExprLoc();
    const SwizzledObject swizzled = swizzledObject(
        call->getImplicitObjectArgument(), call->getMethodDecl()->getParent(), putComponents(call).str());
    if (!swizzled.swizzled && (swizzled.isPointer || swizzled.object->isLValue()))
      return true;
    // `+=` and `++` read what is at the beginning of the chain before they assign to it.
    const auto *written = dyn_cast<BinaryOperator>(access->getSyntacticForm());
    const bool reads = !written || written->isCompoundAssignmentOp();
    if (reads && swizzled.assignedFirst) {
      errors_.report(where, "an assignment cannot be changed again here: name the vector in a new one");
      return false;
    }
    Expr *object = changeableObject(sema_, errors_, swizzled, where, reads);
    if (!object)
      return false;
    return swizzled.components.size() == 1
               ? assign(stepsOf(access).back(), call, componentOf(sema_, object, swizzled.components.front()))
               : redirect(call, swizzled, object);
  }

  // A half, of two components, is one component.
  bool assign(Expr *&step, CXXMemberCallExpr *call, Expr *component) {
    const ExprResult made =
        component ? sema_.CreateBuiltinBinOp(call->getExprLoc(), BO_Assign, component, call->getArg(0))
                  : ExprError();
    const ExprResult value = made.isInvalid() ? ExprError() : sema_.DefaultLvalueConversion(made.get());
    if (!value.isInvalid())
      step = value.get();
    return !value.isInvalid();
  }

  bool redirect(CXXMemberCallExpr *call, const SwizzledObject &swizzled, Expr *object) {
    const SourceLocation where = call->getExprLoc();
    const std::string name = "__put_" + swizzled.components;
    CXXMethodDecl *method = nullptr;
    for (NamedDecl *decl : swizzled.type->lookup(&sema_.Context.Idents.get(name)))
      method = dyn_cast<CXXMethodDecl>(decl);
    if (!method) {
      errors_.report(where, "nothing can be assigned to this swizzle");
      return false;
    }
    const ExprResult self =
        sema_.PerformImplicitObjectArgumentInitialization(object, nullptr, method, method);
    if (self.isInvalid())
      return false;
    call->setCallee(MemberExpr::CreateImplicit(sema_.Context, self.get(), false, method,
                                               sema_.Context.BoundMemberTy, VK_PRValue, OK_Ordinary));
    sema_.MarkFunctionReferenced(where, method);
    return true;
  }

  Sema &sema_;
  const SourceManager &sources_;
  SwizzleErrors errors_;
  std::set<const CXXMemberCallExpr *> mended_;
};

} // namespace

void mendSwizzleChains(Sema &sema, const std::vector<DeclGroupRef> &declarations) {
  ChainMender mender(sema);
  forEachDecl(declarations, [&](Decl *decl) { mender.mend(decl); });
}

} // namespace assay::frontend
