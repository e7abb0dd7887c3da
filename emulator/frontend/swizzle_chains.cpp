#include "frontend/swizzle_chains.h"

#include "frontend/generated_code.h"
#include "frontend/vector_classes.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Sema/Sema.h>

#include <fmt/format.h>

#include <set>

namespace assay::frontend {
namespace {

using namespace clang;

constexpr llvm::StringRef kGetter = "__get_", kSetter = "__put_";

// The elements in the name of a vector's getter or setter; empty for any other function.
llvm::StringRef elementsOf(const CXXMemberCallExpr *call, llvm::StringRef prefix) {
  const CXXMethodDecl *method = call ? call->getMethodDecl() : nullptr;
  if (!method || !method->getIdentifier() || !vectorClass(method->getParent()))
    return {};
  llvm::StringRef name = method->getName();
  return name.consume_front(prefix) ? name : llvm::StringRef();
}

Expr *unwrapped(Expr *expression) {
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

class Mender : public GeneratedCodeVisitor {
public:
  explicit Mender(Sema &sema) : sema_(sema), sources_(sema.getSourceManager()) {}

  bool TraverseDecl(Decl *decl) override {
    return !decl || (decl->getLocation().isValid() && sources_.isInSystemHeader(decl->getLocation())) ||
           SyntaxVisitor::TraverseDecl(decl);
  }

  bool VisitOpaqueValueExpr(OpaqueValueExpr *value) override {
    return !value->getSourceExpr() || TraverseStmt(value->getSourceExpr());
  }
  bool VisitPseudoObjectExpr(PseudoObjectExpr *access) override {
    for (Expr *step : access->semantics())
      if (auto *call = dyn_cast<CXXMemberCallExpr>(step->IgnoreParenImpCasts());
          !elementsOf(call, kSetter).empty())
        setter(call);
    return true;
  }

private:
  void setter(CXXMemberCallExpr *call) {
    if (!mended_.insert(call).second)
      return;
    std::string elements = elementsOf(call, kSetter).str();
    Expr *object = unwrapped(call->getImplicitObjectArgument());
    CXXRecordDecl *record = call->getMethodDecl()->getParent();
    bool chained = false;
    while (auto *access = dyn_cast<PseudoObjectExpr>(object)) {
      auto *getter = dyn_cast_or_null<CXXMemberCallExpr>(access->getResultExpr());
      const llvm::StringRef inner = elementsOf(getter, kGetter);
      if (inner.empty())
        break;
      for (char &element : elements)
        element = inner[llvm::StringRef("xyzw").find(element)];
      record = getter->getMethodDecl()->getParent();
      object = unwrapped(getter->getImplicitObjectArgument());
      chained = true;
    }
    const bool pointer = object->getType()->isPointerType();
    if (!pointer && !object->isLValue()) {
      sema_.Diag(call->getExprLoc(), diag::err_typecheck_expression_not_modifiable_lvalue)
          << object->getSourceRange();
      return;
    }
    if (chained)
      redirect(call, record, elements, object, pointer);
  }

  void redirect(CXXMemberCallExpr *call, CXXRecordDecl *record, const std::string &elements, Expr *object,
                bool pointer) {
    const SourceLocation where = call->getExprLoc();
    CXXMethodDecl *method = nullptr;
    for (NamedDecl *decl : record->lookup(&sema_.Context.Idents.get((kSetter + elements).str())))
      method = dyn_cast<CXXMethodDecl>(decl);
    if (!method || object->HasSideEffects(sema_.Context)) {
      const unsigned id = sema_.getDiagnostics().getCustomDiagID(DiagnosticsEngine::Error, "%0");
      sema_.Diag(where, id)
          << (method ? fmt::format("a swizzle of a swizzle of an object that is computed with side "
                                   "effects is not supported: write .{}",
                                   elements)
                     : fmt::format("this swizzle, .{}, names an element twice and cannot be assigned "
                                   "to",
                                   elements));
      return;
    }
    if (pointer)
      object = sema_.CreateBuiltinUnaryOp(where, UO_Deref, object).get();
    const ExprResult self =
        object ? sema_.PerformImplicitObjectArgumentInitialization(object, nullptr, method, method)
               : ExprError();
    if (self.isInvalid())
      return;
    call->setCallee(MemberExpr::CreateImplicit(sema_.Context, self.get(), false, method,
                                               sema_.Context.BoundMemberTy, VK_PRValue, OK_Ordinary));
    sema_.MarkFunctionReferenced(where, method);
  }

  Sema &sema_;
  const SourceManager &sources_;
  std::set<const CXXMemberCallExpr *> mended_;
};

} // namespace

void mendSwizzleChains(Sema &sema, const std::vector<DeclGroupRef> &declarations) {
  Mender mender(sema);
  for (size_t i = 0; i < declarations.size(); ++i) { // an instantiation may add to them
    const DeclGroupRef group = declarations[i];
    for (Decl *decl : group)
      mender.TraverseDecl(decl);
  }
}

} // namespace assay::frontend
