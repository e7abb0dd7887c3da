#include "frontend/assignment_order.h"

#include "frontend/swizzle_errors.h"

#include <clang/Sema/Sema.h>

namespace assay::frontend {
namespace {

using namespace clang;

Expr *asOperator(Sema &sema, CXXMemberCallExpr *setter) {
  ASTContext &context = sema.Context;
  const SourceLocation where = setter->getExprLoc();
  auto *member = cast<MemberExpr>(setter->getCallee()->IgnoreParens());
  Expr *object = member->getBase();
  if (member->isArrow())
    object = sema.CreateBuiltinUnaryOp(where, UO_Deref, object).get();
  if (!object)
    return setter;
  CXXMethodDecl *method = setter->getMethodDecl();
  auto *reference = DeclRefExpr::Create(context, NestedNameSpecifierLoc(), SourceLocation(), method, false,
                                        where, method->getType(), VK_LValue);
  auto *callee =
      ImplicitCastExpr::Create(context, context.getPointerType(method->getType()), CK_FunctionToPointerDecay,
                               reference, nullptr, VK_PRValue, FPOptionsOverride());
  return CXXOperatorCallExpr::Create(context, OO_Equal, callee, {object, setter->getArg(0)},
                                     setter->getType(), setter->getValueKind(), where,
                                     setter->getFPFeatures());
}

// Another name for the value of an operand, which it replaces.
OpaqueValueExpr *named(ASTContext &context, Expr *operand) {
  return new (context) OpaqueValueExpr(operand->getExprLoc(), operand->getType(), operand->getValueKind(),
                                       operand->getObjectKind(), operand);
}

// The right operand of `v.xy + w.zw` in `v.xy += w.zw`, as a name. Null if there is no such operation.
OpaqueValueExpr *rightSide(ASTContext &context, Expr *sum) {
  sum = sum->IgnoreImplicit();
  for (auto *copy = dyn_cast<CXXConstructExpr>(sum); copy && copy->isElidable() && copy->getNumArgs() == 1;
       copy = dyn_cast<CXXConstructExpr>(sum)) // before C++17
    sum = copy->getArg(0)->IgnoreImplicit();
  OpaqueValueExpr *name = nullptr;
  if (auto *call = dyn_cast<CXXOperatorCallExpr>(sum); call && call->getNumArgs() == 2)
    call->setArg(1, name = named(context, call->getArg(1)));
  else if (auto *operation = dyn_cast<BinaryOperator>(sum))
    operation->setRHS(name = named(context, operation->getRHS()));
  return name;
}

} // namespace

llvm::MutableArrayRef<Expr *> stepsOf(PseudoObjectExpr *access) {
  const ArrayRef<Expr *> steps = access->semantics();
  return {const_cast<Expr **>(steps.data()), steps.size()};
}

void evaluateRightSideFirst(Sema &sema, SwizzleErrors &errors, PseudoObjectExpr *assignment,
                            CXXMemberCallExpr *setter) {
  const auto *written = dyn_cast<BinaryOperator>(assignment->getSyntacticForm());
  const llvm::MutableArrayRef<Expr *> steps = stepsOf(assignment);
  if (!written || steps.size() < 2) // ++
    return;
  if (!written->isCompoundAssignmentOp()) {
    if (steps.back() == setter)
      steps.back() = asOperator(sema, setter);
    return;
  }
  if (steps.size() == 3) {
    std::swap(steps[0], steps[1]);
    if (steps[0]->isPRValue()) // the name of a variable would be read later
      return;
  }
  const llvm::MutableArrayRef<Expr *> last = steps.take_back(2);
  if (OpaqueValueExpr *right = rightSide(sema.Context, setter->getArg(0))) {
    last[1] = PseudoObjectExpr::Create(sema.Context, assignment->getSyntacticForm(), {last[0], last[1]}, 1);
    last[0] = right;
  } else if (cast<OpaqueValueExpr>(last[0])->getSourceExpr()->HasSideEffects(sema.Context)) {
    errors.report(setter->getExprLoc(),
                  "the order of evaluation of this assignment is not supported: write it as two statements");
  }
}

} // namespace assay::frontend
