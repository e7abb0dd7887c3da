#include "frontend/index_constants.h"

#include "frontend/annotations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

namespace assay::frontend {
namespace {

using namespace clang;

const VarDecl *variableAtProgramScope(const Expr *e) {
  const auto *reference = dyn_cast_or_null<DeclRefExpr>(e);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && variable->hasGlobalStorage() ? variable : nullptr;
}

// The last variable at program scope in an expression without calls; null if something else is in it.
const VarDecl *computedFrom(const ASTContext &context, const Expr *e) {
  const VarDecl *found = variableAtProgramScope(e);
  if (found || !isa<UnaryOperator, BinaryOperator, ConditionalOperator, ParenExpr, CastExpr>(e))
    return found;
  for (const Stmt *child : e->children()) {
    const auto *part = cast<Expr>(child);
    if (const VarDecl *variable = computedFrom(context, part))
      found = variable;
    else if (!part->isEvaluatable(context))
      return nullptr;
  }
  return found;
}

const VarDecl *named(const std::vector<const VarDecl *> &variables, const std::string &name) {
  const auto found = llvm::find_if(variables, [&](const VarDecl *other) { return other->getName() == name; });
  return found == variables.end() ? nullptr : *found;
}

bool isSame(const ASTContext &context, const Expr *a, const Expr *b) {
  llvm::FoldingSetNodeID ofA, ofB;
  a->Profile(ofA, context, true);
  b->Profile(ofB, context, true);
  return ofA == ofB;
}

} // namespace

const VarDecl *programConstant(const AnnotateAttr *attr) {
  const Expr *e = annotationArgument(attr, 0);
  if (const auto *address = dyn_cast_or_null<UnaryOperator>(e); address && address->getOpcode() == UO_AddrOf)
    e = address->getSubExpr()->IgnoreParenImpCasts();
  return variableAtProgramScope(e);
}

VarDecl *computedConstant(ASTContext &context, const AnnotateAttr *attr,
                          const std::vector<const VarDecl *> &known) {
  auto *e = const_cast<Expr *>(annotationArgument(attr, 0));
  const VarDecl *from = e && !e->isInstantiationDependent() ? computedFrom(context, e) : nullptr;
  if (!from || !e->getType()->isIntegralOrUnscopedEnumerationType())
    return nullptr;
  const QualType type = e->getType().getUnqualifiedType();
  if (e->isGLValue())
    e = ImplicitCastExpr::Create(context, type, CK_LValueToRValue, e, nullptr, VK_PRValue, {});
  std::string text;
  llvm::raw_string_ostream stream(text);
  e->printPretty(stream, nullptr, metalPolicy(context));
  std::string name = text;
  for (unsigned n = 2; const VarDecl *other = named(known, name); ++n) {
    if (other->isImplicit() && isSame(context, other->getInit(), e))
      return const_cast<VarDecl *>(other);
    name = fmt::format("{} [{}]", text, n);
  }
  const QualType constant = context.getAddrSpaceQualType(type.withConst(), from->getType().getAddressSpace());
  auto *variable = VarDecl::Create(context, context.getTranslationUnitDecl(), attr->getLocation(),
                                   attr->getLocation(), &context.Idents.get(name), constant,
                                   context.getTrivialTypeSourceInfo(constant), SC_Static);
  variable->setInit(e);
  variable->setImplicit();
  return variable;
}

} // namespace assay::frontend
