#include "frontend/space_rules.h"

#include "frontend/annotations.h"
#include "frontend/conversion_visitor.h"
#include "frontend/vector_classes.h"

#include <fmt/format.h>

namespace assay::frontend {
namespace {

using namespace clang;

// The name of a space; null for `thread` and for any other.
const char *nameOf(LangAS space) {
  switch (space) {
  case LangAS::opencl_global_device:
  case LangAS::sycl_global_device: return "device";
  case LangAS::opencl_global_host:
  case LangAS::sycl_global_host: return "constant";
  case LangAS::opencl_local:
  case LangAS::sycl_local: return "threadgroup";
  default: return nullptr;
  }
}

bool isThread(LangAS space) {
  return space == LangAS::Default || isPtrSizeAddressSpace(space);
}

// What a pointer points to, or the object itself.
QualType memoryOf(QualType type) {
  return type->isPointerType() ? type->getPointeeType() : type;
}

bool hasTwoResults(const FunctionDecl *function) {
  const IdentifierInfo *name = function->getIdentifier();
  return name && (name->isStr("modf") || name->isStr("frexp") || name->isStr("sincos")) && inMetal(function);
}

class SpaceRulesChecker : public ConversionVisitor {
public:
  using ConversionVisitor::ConversionVisitor;

  bool VisitConditionalOperator(ConditionalOperator *choice) override {
    if (choice->isGLValue()) {
      allow(choice->getTrueExpr());
      allow(choice->getFalseExpr());
    }
    return true;
  }

  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *call) override {
    object(call->getImplicitObjectArgument(), call->getMethodDecl());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override {
    if (const auto *method = dyn_cast_or_null<CXXMethodDecl>(call->getCalleeDecl());
        method && call->getNumArgs())
      object(call->getArg(0), method);
    return true;
  }

  // Functions of the library with a second result: "address space mismatch in 2nd argument", SPIRV-Cross,
  // issue 1759. Here their parameters are references to any memory.
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (callee && call->getNumArgs() == 2 && callee->getNumParams() == 2 &&
        callee->getParamDecl(1)->getType()->isLValueReferenceType() && hasTwoResults(callee))
      conversion(call->getArg(1)->IgnoreParenImpCasts(),
                 callee->getParamDecl(1)->getType().getNonReferenceType(), call->getArg(1)->getExprLoc());
    return ConversionVisitor::VisitCallExpr(call);
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override {
    if (cast->getCastKind() != CK_AddressSpaceConversion || isAllowed(cast))
      return true;
    const QualType to = memoryOf(cast->getType());
    if (cast->isGLValue() && to.isConstQualified() && isVectorComponent(cast->getSubExpr()))
      return true; // a copy: component_copies.h
    conversion(cast->getSubExpr(), to, cast->getExprLoc());
    return true;
  }
  bool VisitExplicitCastExpr(ExplicitCastExpr *cast) override {
    if (!cast->getType()->isPointerType() || !isUsersText(cast->getBeginLoc()))
      return true;
    const Expr *from = cast->getSubExpr()->IgnoreParenImpCasts();
    const QualType to = memoryOf(cast->getType());
    conversion(from, to, cast->getBeginLoc());
    // Clang lets a cast leave the superset.
    if (from->getType()->isPointerType() && !from->getType()->isDependentType() &&
        isThread(memoryOf(from->getType()).getAddressSpace()) && nameOf(to.getAddressSpace()))
      report(cast->getBeginLoc(),
             fmt::format("a pointer to thread memory cannot become a pointer to {} memory",
                         nameOf(to.getAddressSpace())));
    return true;
  }

private:
  void conversion(const Expr *from, QualType to, SourceLocation where) {
    QualType type = from->getType();
    if (const auto *array = context_.getAsArrayType(type))
      type = array->getElementType();
    const LangAS source = memoryOf(type).getAddressSpace();
    if (to->isDependentType() || type->isDependentType() || !nameOf(source) ||
        !isThread(to.getAddressSpace()))
      return;
    report(where, fmt::format(
                      "{0} memory cannot be used as thread memory: declare what takes it {0}, or pass a copy "
                      "in a variable",
                      nameOf(source)));
  }

  // For Clang, an object in thread memory can call the functions of every space (method_spaces.h).
  void object(Expr *object, const CXXMethodDecl *method) {
    if (!object || !method || method->isStatic())
      return;
    allow(object);
    const LangAS wanted = method->getMethodQualifiers().getAddressSpace();
    const Expr *written = object->IgnoreParenImpCasts();
    const QualType type = memoryOf(written->getType());
    if (type->isDependentType())
      return;
    const LangAS space = type.getAddressSpace();
    if (!isThread(wanted)) {
      if (space != wanted)
        report(object->getExprLoc(),
               fmt::format("'{}' is not declared for an object in this address space: none of "
                           "its overloads is",
                           method->getNameAsString()));
    } else if (nameOf(space) && isUsers(method) && !method->getParent()->isLambda()) {
      report(object->getExprLoc(),
             fmt::format(
                 "'{0}' is declared for an object in thread memory, and this one is in {1} memory: write {1} "
                 "after its parameters, or call it on a copy",
                 method->getNameAsString(), nameOf(space)));
    }
  }
};

} // namespace

void checkSpaces(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  SpaceRulesChecker(context, files).visitAll(declarations);
}

} // namespace assay::frontend
