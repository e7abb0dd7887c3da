#include "frontend/dependent_swizzles.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Sema.h>

namespace assay::frontend {
namespace {

using namespace clang;

bool namesElements(llvm::StringRef name) {
  return name.size() >= 2 && name.size() <= 4 &&
         (name.find_first_not_of("xyzw") == llvm::StringRef::npos ||
          name.find_first_not_of("rgba") == llvm::StringRef::npos);
}

// A member of an object whose type the template does not know, with the name of a swizzle.
bool isSwizzle(const Expr *expression) {
  const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(expression->IgnoreParens());
  const IdentifierInfo *name = member ? member->getMember().getAsIdentifierInfo() : nullptr;
  return name && namesElements(name->getName());
}

class DependentMender {
public:
  explicit DependentMender(Sema &sema) : sema_(sema), context_(sema.Context) {}

  void declaration(Decl *decl) {
    if (auto *made = dyn_cast<TemplateDecl>(decl))
      decl = made->getTemplatedDecl();
    if (auto *function = dyn_cast_or_null<FunctionDecl>(decl)) {
      if (auto *constructor = dyn_cast<CXXConstructorDecl>(function))
        for (CXXCtorInitializer *initialiser : constructor->inits())
          statement(initialiser->getInit());
      if (function->doesThisDeclarationHaveABody())
        statement(function->getBody());
    } else if (isa_and_nonnull<NamespaceDecl, LinkageSpecDecl, CXXRecordDecl>(decl)) {
      for (Decl *inner : cast<DeclContext>(decl)->noload_decls())
        declaration(inner);
    }
  }

private:
  // First what is inside: an operand that is replaced may be an operator itself.
  void statement(Stmt *parent) {
    if (!parent)
      return;
    for (Stmt *&child : parent->children()) {
      statement(child);
      auto *operation = dyn_cast_or_null<CXXOperatorCallExpr>(child);
      if (operation && operation->isTypeDependent())
        child = mended(operation);
      auto *assignment = dyn_cast_or_null<BinaryOperator>(child);
      if (assignment && assignment->isCompoundAssignmentOp() && !isa<CompoundAssignOperator>(assignment))
        child = compound(assignment);
    }
  }

  Expr *mended(CXXOperatorCallExpr *operation) {
    const OverloadedOperatorKind kind = operation->getOperator();
    const bool steps = kind == OO_PlusPlus || kind == OO_MinusMinus;
    if ((steps || operation->isAssignmentOp()) && isSwizzle(operation->getArg(0)))
      return kind == OO_Equal ? operation : steps ? step(operation) : compound(operation);
    const bool address = kind == OO_Amp && operation->getNumArgs() == 1;
    if (kind == OO_Call || kind == OO_Subscript || kind == OO_Arrow || address)
      return operation;
    for (unsigned i = 0; i < operation->getNumArgs(); ++i)
      if (isSwizzle(operation->getArg(i)))
        operation->setArg(i, byValue(operation->getArg(i)));
    return operation;
  }

  Expr *step(CXXOperatorCallExpr *operation) {
    const bool postfix = operation->getNumArgs() == 2;
    return UnaryOperator::Create(context_, operation->getArg(0),
                                 UnaryOperator::getOverloadedOpcode(operation->getOperator(), postfix),
                                 context_.DependentTy, VK_PRValue, OK_Ordinary, operation->getOperatorLoc(),
                                 false, operation->getFPFeatures());
  }

  Expr *compound(CXXOperatorCallExpr *operation) {
    return compound(operation, operation->getArg(0), operation->getArg(1),
                    BinaryOperator::getOverloadedOpcode(operation->getOperator()));
  }
  Expr *compound(BinaryOperator *assignment) {
    return compound(assignment, assignment->getLHS(), assignment->getRHS(), assignment->getOpcode());
  }
  template <class Operation>
  Expr *compound(Operation *operation, Expr *left, Expr *right, BinaryOperatorKind kind) {
    return CompoundAssignOperator::Create(
        context_, left, right, kind, context_.DependentTy, VK_LValue, OK_Ordinary,
        operation->getOperatorLoc(), operation->getFPFeatures(), context_.DependentTy, context_.DependentTy);
  }

  Expr *byValue(Expr *operand) {
    const SourceLocation where = operand->getExprLoc();
    LookupResult found(sema_, &context_.Idents.get("__assay_by_value"), where, Sema::LookupOrdinaryName);
    if (!sema_.LookupQualifiedName(found, context_.getTranslationUnitDecl()))
      return operand;
    const ExprResult callee = sema_.BuildDeclarationNameExpr(CXXScopeSpec(), found, false);
    found.suppressDiagnostics();
    return callee.isInvalid() ? operand
                              : CallExpr::Create(context_, callee.get(), {operand}, context_.DependentTy,
                                                 VK_PRValue, operand->getEndLoc(), FPOptionsOverride());
  }

  Sema &sema_;
  ASTContext &context_;
};

} // namespace

void DependentSwizzles::mend(clang::Sema &sema, clang::DeclGroupRef group) {
  for (Decl *decl : group)
    DependentMender(sema).declaration(decl);
}

void DependentSwizzles::mend(clang::Sema &sema, const clang::FunctionTemplateDecl *function) {
  while (!function->isMemberSpecialization() && function->getInstantiatedFromMemberTemplate())
    function = function->getInstantiatedFromMemberTemplate();
  FunctionDecl *pattern = function->getTemplatedDecl()->getDefinition();
  if (pattern && !pattern->isFromASTFile() && mended_.insert(pattern).second)
    DependentMender(sema).declaration(pattern);
}

} // namespace assay::frontend
