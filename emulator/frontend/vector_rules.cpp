#include "frontend/vector_rules.h"

#include "frontend/vector_classes.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <set>

namespace assay::frontend {
namespace {

using namespace clang;

class Checker : public RecursiveASTVisitor<Checker> {
public:
  explicit Checker(ASTContext &context) : context_(context), sources_(context.getSourceManager()) {}

  // What a template instantiates is a declaration of its own.
  bool TraverseFunctionTemplateDecl(FunctionTemplateDecl *) { return true; }
  bool TraverseClassTemplateDecl(ClassTemplateDecl *) { return true; }
  bool TraverseClassTemplatePartialSpecializationDecl(ClassTemplatePartialSpecializationDecl *) {
    return true;
  }
  bool TraverseVarTemplateDecl(VarTemplateDecl *) { return true; }
  bool TraverseTypeLoc(TypeLoc) { return true; }
  bool TraverseDecl(Decl *decl) {
    return !decl || isLibrary(decl->getLocation()) || RecursiveASTVisitor::TraverseDecl(decl);
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *made) {
    const CXXConstructorDecl *constructor = made->getConstructor();
    const auto type = vectorClass(constructor->getParent());
    const unsigned elements = constructor->getNumParams();
    const auto isVector = [](const Expr *argument) { return argument->getType()->isRecordType(); };
    if (!type || elements < 2 || elements >= type->length || made->isListInitialization() ||
        std::any_of(made->arg_begin(), made->arg_end(), isVector) || isLibrary(made->getLocation()) ||
        !reported_.insert(made->getLocation()).second)
      return true;
    DiagnosticsEngine &diagnostics = context_.getDiagnostics();
    const unsigned id = diagnostics.getCustomDiagID(
        DiagnosticsEngine::Error, "%0 takes %1 elements, and %2 are given; a braced list may be shorter");
    diagnostics.Report(made->getLocation(), id)
        << made->getType().getUnqualifiedType() << type->length << elements;
    return true;
  }

  // Clang converts one of a half and a bfloat to the other; Metal computes both in float. Said in Clang's own words, so
  // that by_value_fixes.h mends it and parses again.
  bool VisitBinaryOperator(BinaryOperator *operation) {
    if (operation->isAssignmentOp() && !operation->isCompoundAssignmentOp())
      return true;
    const Expr *left = operation->getLHS(), *right = operation->getRHS();
    report(operation->getOperatorLoc(), left, right, clang::diag::err_typecheck_invalid_operands);
    return true;
  }
  bool VisitConditionalOperator(ConditionalOperator *choice) {
    report(choice->getQuestionLoc(), choice->getTrueExpr(), choice->getFalseExpr(),
           clang::diag::err_typecheck_cond_incompatible_operands);
    return true;
  }

private:
  static const BuiltinType *typeBefore(const Expr *operand) {
    const auto *cast = dyn_cast<ImplicitCastExpr>(operand->IgnoreParens());
    if (cast && cast->getCastKind() == CK_FloatingCast)
      operand = cast->getSubExpr();
    return operand->getType()->getAs<BuiltinType>();
  }
  void report(SourceLocation where, const Expr *left, const Expr *right, unsigned diagnostic) {
    const BuiltinType *a = typeBefore(left), *b = typeBefore(right);
    const auto areThey = [&](BuiltinType::Kind x, BuiltinType::Kind y) {
      return a && b && a->getKind() == x && b->getKind() == y;
    };
    if (!areThey(BuiltinType::Float16, BuiltinType::BFloat16) && !areThey(BuiltinType::BFloat16, BuiltinType::Float16))
      return;
    const auto source = [](const Expr *operand) { return operand->IgnoreParenImpCasts(); };
    context_.getDiagnostics().Report(where, diagnostic)
        << source(left)->getType() << source(right)->getType() << left->getSourceRange() << right->getSourceRange();
  }

  bool isLibrary(SourceLocation where) const { return where.isValid() && sources_.isInSystemHeader(where); }

  ASTContext &context_;
  const SourceManager &sources_;
  std::set<SourceLocation> reported_; ///< once for a template
};

} // namespace

void checkVectors(ASTContext &context, const std::vector<DeclGroupRef> &declarations) {
  Checker checker(context);
  for (const DeclGroupRef &group : declarations)
    for (Decl *decl : group)
      checker.TraverseDecl(decl);
}

} // namespace assay::frontend
