#include "frontend/generic_pointers.h"

#include "frontend/annotations.h"
#include "frontend/memory_spaces.h"

#include <clang/AST/ExprCXX.h>

namespace assay::frontend {

using namespace clang;

namespace {

bool isThreadSpace(QualType type) {
  return type.getAddressSpace() == LangAS::Default;
}

} // namespace

// A function without a word has the space of `thread` if others of its name have a space (method_spaces.h).
bool hasGenericObject(const CXXMethodDecl *method) {
  const LangAS space = method->getMethodQualifiers().getAddressSpace();
  return !method->isStatic() && !method->getParent()->isLambda() && isThread(space) &&
         !annotation(method, "method.thread");
}

// None if the words do not decide: no pointer, another space, a deduced type, or a macro.
std::optional<ThreadWords::Word> GenericPointers::wordOf(TypeLoc type, const DeclaratorDecl *decl) {
  using enum ThreadWords::Word;
  while (type) {
    type = type.getUnqualifiedLoc();
    const std::optional<TypeStep> step = stepInto(type);
    if (!step)
      return std::nullopt;
    if (step->mark.isInvalid()) {
      type = step->inner;
      continue;
    }
    const QualType to = step->inner.getType();
    if (to->isFunctionType() || !isThreadSpace(to))
      return std::nullopt;
    const SourceLocation shared =
        decl ? words_.wordsOfAll(decl, decl->getTypeSourceInfo()->getTypeLoc()) : SourceLocation();
    const ThreadWords::Word word = words_.at(step->mark, shared, to);
    const bool isOpen = to->isDependentType() || to->getContainedDeducedType() ||
                        isa<SubstTemplateTypeParmType>(to.getTypePtr());
    return word == Thread || (word == None && !isOpen) ? std::optional(word) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<ThreadWords::Word> GenericPointers::wordOf(const DeclaratorDecl *decl) {
  if (!decl->getTypeSourceInfo())
    return std::nullopt;
  const TypeLoc type = decl->getTypeSourceInfo()->getTypeLoc();
  if (!isa<FunctionDecl>(decl))
    return wordOf(type, decl);
  const auto function = type.IgnoreParens().getAs<FunctionTypeLoc>();
  return function ? wordOf(function.getReturnLoc()) : std::nullopt;
}

bool GenericPointers::isGenericDeclaration(const ValueDecl *decl) {
  const auto *written = dyn_cast<DeclaratorDecl>(decl);
  return written && wordOf(written) == ThreadWords::Word::None;
}

bool GenericPointers::isGeneric(const Expr *value, const FunctionDecl *function) {
  value = value->IgnoreParenImpCasts();
  if (isa<CXXThisExpr>(value)) {
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(function);
    return method && hasGenericObject(method);
  }
  if (const auto *name = dyn_cast<DeclRefExpr>(value))
    return isGenericDeclaration(name->getDecl());
  if (const auto *member = dyn_cast<MemberExpr>(value)) {
    const QualType type = member->getMemberDecl()->getType();
    if (type->isPointerType() || type->isReferenceType())
      return isGenericDeclaration(member->getMemberDecl());
    return isGeneric(member->getBase(), function);
  }
  if (const auto *element = dyn_cast<ArraySubscriptExpr>(value)) {
    const Expr *base = element->getBase()->IgnoreParenImpCasts();
    return !value->getType()->isPointerType() && isGeneric(base, function);
  }
  if (const auto *operation = dyn_cast<UnaryOperator>(value))
    return (operation->getOpcode() == UO_AddrOf || operation->getOpcode() == UO_Deref ||
            operation->isIncrementDecrementOp()) &&
           isGeneric(operation->getSubExpr(), function);
  if (const auto *operation = dyn_cast<BinaryOperator>(value))
    return operation->isAdditiveOp() && operation->getType()->isPointerType() &&
           isGeneric(operation->getLHS()->getType()->isPointerType() ? operation->getLHS()
                                                                     : operation->getRHS(),
                     function);
  if (const auto *call = dyn_cast<CallExpr>(value))
    if (const FunctionDecl *callee = call->getDirectCallee(); callee && !callee->isTemplateInstantiation())
      return isGenericDeclaration(callee);
  return false;
}

} // namespace assay::frontend
