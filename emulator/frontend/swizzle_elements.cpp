#include "frontend/swizzle_elements.h"

#include "frontend/swizzled_object.h"
#include "frontend/vector_classes.h"

#include <clang/Sema/Sema.h>

namespace assay::frontend {
namespace {

using namespace clang;

CXXRecordDecl *classOf(const Expr *expression) {
  return expression->getType()->getAsCXXRecordDecl();
}

// v.zw[i] becomes v[2 + i], in place.
void subscript(Sema &sema, SwizzleErrors &errors, CXXOperatorCallExpr *call) {
  const SwizzledObject swizzled = swizzledObject(call->getArg(0), classOf(call->getArg(0)), "");
  const SourceLocation where = call->getExprLoc();
  if (!swizzled.swizzled && swizzled.object->isLValue())
    return;
  if (swizzled.assignedFirst) {
    errors.report(where, "an element of an assignment cannot be assigned to: name the vector again");
    return;
  }
  Expr *object = changeableObject(sema, errors, swizzled, where, false);
  if (!object)
    return;
  Expr *index = call->getArg(1);
  if (const size_t first = llvm::StringRef("xyzw").find(swizzled.components.front())) {
    Expr *number = sema.ActOnIntegerConstant(where, first).get();
    index = sema.CreateBuiltinBinOp(where, BO_Add, number, index).get();
  }
  const ExprResult made =
      index ? sema.CreateOverloadedArraySubscriptExpr(where, call->getEndLoc(), object, index) : ExprError();
  auto *other = dyn_cast_or_null<CXXOperatorCallExpr>(made.isInvalid() ? nullptr : made.get());
  if (!other)
    return;
  if (other->getType().isConstQualified()) {
    errors.report(where, "cannot assign to an element of a constant vector");
    return;
  }
  call->setCallee(other->getCallee());
  call->setArg(0, other->getArg(0));
  call->setArg(1, other->getArg(1));
}

// In v.wzyx.__itself().x, the call. A component is inside of unnamed members of its vector.
CXXMemberCallExpr *vectorItself(Expr *expression) {
  auto *member = dyn_cast<MemberExpr>(expression);
  while (member && isa<MemberExpr>(member->getBase()->IgnoreParens()))
    member = cast<MemberExpr>(member->getBase()->IgnoreParens());
  auto *call = member ? dyn_cast<CXXMemberCallExpr>(member->getBase()->IgnoreParens()) : nullptr;
  const CXXMethodDecl *method = call ? call->getMethodDecl() : nullptr;
  const bool found = method && method->getIdentifier() && method->getName() == "__itself" &&
                     vectorClass(method->getParent());
  return found ? call : nullptr;
}

// The letter of a field x, or r.
char letterOf(const Expr *component) {
  const llvm::StringRef name = cast<MemberExpr>(component)->getMemberDecl()->getName();
  const size_t colour = llvm::StringRef("rgba").find(name);
  return colour == llvm::StringRef::npos ? name.front() : "xyzw"[colour];
}

// v.wzyx.__itself().x becomes v.w.
Expr *component(Sema &sema, SwizzleErrors &errors, Expr *operand, CXXMemberCallExpr *itself) {
  const SwizzledObject swizzled = swizzledObject(itself->getImplicitObjectArgument(),
                                                 itself->getMethodDecl()->getParent(), {letterOf(operand)});
  Expr *object = changeableObject(sema, errors, swizzled, operand->getExprLoc(), false);
  Expr *result = object ? componentOf(sema, object, swizzled.components.front()) : nullptr;
  if (!result || !result->getType().isConstQualified())
    return result ? result : operand;
  errors.report(operand->getExprLoc(), "cannot assign to a component of a constant vector");
  return operand;
}

} // namespace

Expr *mendedElement(Sema &sema, SwizzleErrors &errors, Expr *operand) {
  if (auto *parentheses = dyn_cast<ParenExpr>(operand)) {
    parentheses->setSubExpr(mendedElement(sema, errors, parentheses->getSubExpr()));
  } else if (auto *list = dyn_cast<BinaryOperator>(operand); list && list->getOpcode() == BO_Comma) {
    list->setRHS(mendedElement(sema, errors, list->getRHS()));
  } else if (auto *choice = dyn_cast<ConditionalOperator>(operand)) {
    for (Stmt *&either : llvm::drop_begin(choice->children()))
      either = mendedElement(sema, errors, cast<Expr>(either));
  } else if (auto *call = dyn_cast<CXXOperatorCallExpr>(operand)) {
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(call->getCalleeDecl());
    if (method && call->getOperator() == OO_Subscript && vectorClass(method->getParent()))
      subscript(sema, errors, call);
  } else if (CXXMemberCallExpr *itself = vectorItself(operand)) {
    return component(sema, errors, operand, itself);
  }
  return operand;
}

Expr *componentOf(Sema &sema, Expr *object, char component) {
  const SourceLocation where = object->getExprLoc();
  const DeclarationNameInfo name(&sema.Context.Idents.get(llvm::StringRef(&component, 1)), where);
  CXXScopeSpec unqualified;
  const ExprResult made = sema.BuildMemberReferenceExpr(object, object->getType(), where, false, unqualified,
                                                        SourceLocation(), nullptr, name, nullptr, nullptr);
  return made.isInvalid() ? nullptr : made.get();
}

} // namespace assay::frontend
