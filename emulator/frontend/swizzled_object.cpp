#include "frontend/swizzled_object.h"

#include "frontend/vector_classes.h"

#include <clang/Sema/Sema.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::frontend {
namespace {

using namespace clang;

constexpr llvm::StringRef kComponents = "xyzw";

llvm::StringRef componentsIn(const CallExpr *call, llvm::StringRef prefix) {
  const auto *method = call ? dyn_cast_or_null<CXXMethodDecl>(call->getCalleeDecl()) : nullptr;
  if (!method || !method->getIdentifier() || !vectorClass(method->getParent()))
    return {};
  llvm::StringRef name = method->getName();
  return name.consume_front(prefix) ? name : llvm::StringRef();
}

bool repeats(llvm::StringRef components) {
  return std::ranges::any_of(components, [&](char component) { return components.count(component) > 1; });
}

// Without what Clang adds around an operand: casts, temporaries, and names of its value.
Expr *withoutWrappers(Expr *expression) {
  for (;;) {
    expression = expression->IgnoreParenImpCasts();
    if (auto *opaque = dyn_cast<OpaqueValueExpr>(expression); opaque && opaque->getSourceExpr())
      expression = opaque->getSourceExpr();
    else if (auto *temporary = dyn_cast<MaterializeTemporaryExpr>(expression))
      expression = temporary->getSubExpr();
    else
      return expression;
  }
}

} // namespace

llvm::StringRef gottenComponents(const CallExpr *call) {
  return componentsIn(call, "__get_");
}
llvm::StringRef putComponents(const CallExpr *call) {
  return componentsIn(call, "__put_");
}

SwizzledObject swizzledObject(Expr *expression, CXXRecordDecl *type, std::string components) {
  SwizzledObject result;
  result.object = withoutWrappers(expression);
  result.type = type;
  result.components = std::move(components);
  while (auto *access = dyn_cast<PseudoObjectExpr>(result.object)) {
    auto *call = dyn_cast_or_null<CXXMemberCallExpr>(access->getResultExpr());
    const llvm::StringRef put = putComponents(call);
    const llvm::StringRef inner = put.empty() ? gottenComponents(call) : put;
    if (inner.empty())
      break;
    if (!put.empty() && !result.assignedFirst)
      result.assignedFirst = access;
    if (result.components.empty())
      result.components = inner.str();
    else
      for (char &component : result.components)
        component = inner[kComponents.find(component)];
    if (repeats(inner))
      result.repeating = inner.str();
    result.swizzled = true;
    result.type = call->getMethodDecl()->getParent();
    result.object = withoutWrappers(call->getImplicitObjectArgument());
  }
  if (repeats(result.components))
    result.repeating = result.components;
  result.isPointer = result.object->getType()->isPointerType();
  return result;
}

Expr *changeableObject(Sema &sema, SwizzleErrors &errors, const SwizzledObject &swizzled,
                       SourceLocation where, bool evaluatedTwice) {
  Expr *object = swizzled.object;
  if (!swizzled.isPointer && !object->isLValue()) {
    errors.notAssignable(where, object->getSourceRange());
    return nullptr;
  }
  if (!swizzled.repeating.empty()) {
    errors.report(where, fmt::format("this swizzle, .{}, names an element twice and cannot be assigned to",
                                     swizzled.repeating));
    return nullptr;
  }
  if (errors.inConstexpr()) {
    errors.report(where, "not in a constexpr function: assign to components of the vector itself");
    return nullptr;
  }
  if ((evaluatedTwice || swizzled.assignedFirst) && object->HasSideEffects(sema.Context)) {
    errors.report(where,
                  fmt::format("a swizzle of a swizzle of an object that is computed with side effects is not "
                              "supported: write .{}",
                              swizzled.components));
    return nullptr;
  }
  if (swizzled.isPointer)
    object = sema.CreateBuiltinUnaryOp(where, UO_Deref, object).get();
  if (object && swizzled.assignedFirst)
    object = sema.CreateBuiltinBinOp(where, BO_Comma, swizzled.assignedFirst, object).get();
  return object;
}

} // namespace assay::frontend
