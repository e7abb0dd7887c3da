#include "frontend/vector_contraction.h"

#include "frontend/generated_code.h"
#include "frontend/vector_classes.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Sema/Initialization.h>
#include <clang/Sema/Sema.h>
#include <llvm/ADT/StringMap.h>

namespace assay::frontend {
namespace {

using namespace clang;

bool isFloating(QualType element) {
  return element->isRealFloatingType(); // float, half and bfloat
}

// A call of an operator of the shim's floating-point vectors.
struct Operation {
  CXXOperatorCallExpr *call = nullptr;
  MetalVector type;
  QualType result; ///< the class of its value; for a compound assignment: the class on its left
};

std::optional<Operation> operationOf(CXXOperatorCallExpr *call) {
  const FunctionDecl *function = call->getDirectCallee();
  if (!function)
    return std::nullopt;
  Operation operation{call, {}, call->getType().getUnqualifiedType()};
  std::optional<MetalVector> type;
  if (const auto *method = dyn_cast<CXXMethodDecl>(function)) {
    type = vectorClass(method->getParent());
    operation.result = method->getFunctionObjectParameterType().getUnqualifiedType();
  } else if (inVectorNamespace(function->getDeclContext()) && function->getNumParams() > 0) {
    // The last operand is a vector, also of an operator for a scalar and a packed vector.
    type = vectorClass(function->getParamDecl(function->getNumParams() - 1)->getType()->getAsCXXRecordDecl());
  }
  if (!type || !isFloating(type->element))
    return std::nullopt;
  operation.type = *type;
  return operation;
}

// The operand whose value an expression passes on unchanged: of parentheses, casts to the same type, the
// conversion of a packed vector to a vector and, before C++17, an elidable copy of a temporary.
Expr *passedOn(Expr *expression) {
  if (auto *paren = dyn_cast<ParenExpr>(expression))
    return paren->getSubExpr();
  if (auto *temporary = dyn_cast<MaterializeTemporaryExpr>(expression))
    return temporary->getSubExpr();
  if (auto *copy = dyn_cast<CXXConstructExpr>(expression))
    return copy->isElidable() && copy->getNumArgs() == 1 ? copy->getArg(0) : nullptr;
  if (auto *unpacked = dyn_cast<CXXMemberCallExpr>(expression)) {
    const auto *conversion = dyn_cast_or_null<CXXConversionDecl>(unpacked->getMethodDecl());
    return conversion && vectorClass(conversion->getParent()) ? unpacked->getImplicitObjectArgument()
                                                              : nullptr;
  }
  auto *cast = dyn_cast<CastExpr>(expression);
  const bool same =
      cast && (cast->getCastKind() == CK_NoOp || cast->getCastKind() == CK_ConstructorConversion ||
               cast->getCastKind() == CK_UserDefinedConversion);
  return same ? cast->getSubExpr() : nullptr;
}

// An operand that is a product, or minus one.
struct Operand {
  CXXOperatorCallExpr *product = nullptr;
  CXXOperatorCallExpr *minus = nullptr;
  Expr *value = nullptr;       ///< takes the operand's place: the operator, or the value that holds it
  SmallVector<Expr *, 4> held; ///< expressions around the operator that stay
};

CXXOperatorCallExpr *operatorUnder(Expr *expression, Operand *holder) {
  while (expression && !isa<CXXOperatorCallExpr>(expression)) {
    // In an assignment to a swizzle, which evaluates the value elsewhere.
    if (auto *opaque = dyn_cast<OpaqueValueExpr>(expression)) {
      if (!holder || holder->value)
        return nullptr;
      holder->value = opaque;
      holder->held.push_back(opaque);
      expression = opaque->getSourceExpr();
      continue;
    }
    // Expressions that stay get another type, so they must have no meaning of their own.
    if (holder && holder->value) {
      const auto *cast = dyn_cast<CastExpr>(expression);
      if (!isa<ParenExpr>(expression) && !(cast && cast->getCastKind() == CK_NoOp && cast->isPRValue()))
        return nullptr;
      holder->held.push_back(expression);
    }
    expression = passedOn(expression);
  }
  auto *call = dyn_cast_or_null<CXXOperatorCallExpr>(expression);
  if (holder && !holder->value)
    holder->value = call;
  return call && operationOf(call) ? call : nullptr;
}

std::optional<Operand> productIn(Expr *expression) {
  Operand operand;
  CXXOperatorCallExpr *call = operatorUnder(expression, &operand);
  if (call && call->getOperator() == OO_Minus && call->getNumArgs() == 1) {
    operand.minus = call;
    call = operatorUnder(call->getArg(0), nullptr);
  }
  if (!call || call->getOperator() != OO_Star || call->getNumArgs() != 2)
    return std::nullopt;
  operand.product = call;
  return operand;
}

class Contractor : public GeneratedCodeVisitor {
public:
  Contractor(Sema &sema, VectorContraction::Reach reach)
      : sema_(sema), context_(sema.Context), reach_(reach) {}

  bool shouldVisitImplicitCode() const override { return true; } // the semantic forms of initialisers

  // Skips the shim's functions that the program does not reach, which are thousands.
  bool TraverseFunctionDecl(FunctionDecl *function) override {
    return isIdle(function) || SyntaxVisitor::TraverseFunctionDecl(function);
  }
  bool TraverseCXXMethodDecl(CXXMethodDecl *method) override {
    return isIdle(method) || SyntaxVisitor::TraverseCXXMethodDecl(method);
  }

  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *use) override { return TraverseStmt(use->getExpr()); }
  bool VisitCXXDefaultArgExpr(CXXDefaultArgExpr *use) override { return TraverseStmt(use->getExpr()); }

  bool VisitOpaqueValueExpr(OpaqueValueExpr *value) override {
    return !value->getSourceExpr() || TraverseStmt(value->getSourceExpr());
  }
  bool VisitPseudoObjectExpr(PseudoObjectExpr *access) override { // of a swizzle
    for (Expr *step : access->semantics())
      TraverseStmt(step);
    return true;
  }

  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override {
    const std::optional<Operation> operation = operationOf(call);
    if (!operation || call->getNumArgs() != 2)
      return true;
    switch (call->getFPFeaturesInEffect(sema_.getLangOpts()).getFPContractMode()) {
    case LangOptions::FPM_On: fuse(*operation); break;
    case LangOptions::FPM_Fast:
    case LangOptions::FPM_FastHonorPragmas:
      // Operations on bfloats are split before their functions are inlined, so a mark has no effect on them.
      if (!isBfloat(operation->type) || !fuse(*operation))
        mark(*operation);
      break;
    case LangOptions::FPM_Off: break;
    }
    return true;
  }

private:
  bool isIdle(const FunctionDecl *function) const {
    return reach_ == VectorContraction::Reach::Used && function->isInlined() && !function->isUsed(false) &&
           !function->isReferenced() && context_.getSourceManager().isInSystemHeader(function->getLocation());
  }

  static bool isBfloat(const MetalVector &type) {
    const auto *builtin = type.element->getAs<BuiltinType>();
    return builtin && builtin->getKind() == BuiltinType::BFloat16;
  }

  // True if the operation is a sum with a product, which is then fused.
  bool fuse(const Operation &sum) {
    struct Form {
      OverloadedOperatorKind kind;
      unsigned product; ///< which operand
      const char *name;
    };
    static constexpr Form kForms[] = {
        {OO_Plus, 0, "productPlus"},   {OO_Plus, 1, "plusProduct"},     {OO_Minus, 0, "productMinus"},
        {OO_Minus, 1, "minusProduct"}, {OO_PlusEqual, 1, "addProduct"}, {OO_MinusEqual, 1, "subtractProduct"},
    };
    for (const Form &form : kForms)
      if (form.kind == sum.call->getOperator())
        if (const auto operand = productIn(sum.call->getArg(form.product))) {
          replaceBoth(sum, form.product, form.name, *operand);
          return true;
        }
    return false;
  }

  void replaceBoth(const Operation &sum, unsigned index, StringRef name, const Operand &operand) {
    const QualType factors = replace(operand.product, "product", sum.type, {});
    if (factors.isNull())
      return;
    operand.product->setType(factors);
    if (operand.minus) {
      operand.minus->setArg(0, operand.product);
      replace(operand.minus, "negated", sum.type, {});
      operand.minus->setType(factors);
    }
    for (Expr *holder : operand.held)
      holder->setType(factors);
    sum.call->setArg(index, operand.value);
    replace(sum.call, name, sum.type, sum.result);
  }

  void mark(const Operation &operation) {
    switch (operation.call->getOperator()) {
    case OO_Plus: replace(operation.call, "markedSum", operation.type, operation.result); break;
    case OO_Minus: replace(operation.call, "markedDifference", operation.type, operation.result); break;
    case OO_Star: replace(operation.call, "markedProduct", operation.type, operation.result); break;
    case OO_PlusEqual: replace(operation.call, "addMarked", operation.type, operation.result); break;
    case OO_MinusEqual: replace(operation.call, "subtractMarked", operation.type, operation.result); break;
    case OO_StarEqual: replace(operation.call, "multiplyMarked", operation.type, operation.result); break;
    default: break;
    }
  }

  // Makes it a call of metal::__assay::name<element, length[, result]>, whose result type is returned.
  QualType replace(CXXOperatorCallExpr *call, StringRef name, const MetalVector &type, QualType result) {
    FunctionTemplateDecl *found = functionTemplate(name);
    if (!found)
      return {};
    SmallVector<TemplateArgument, 3> arguments;
    arguments.emplace_back(type.element);
    arguments.emplace_back(context_, llvm::APSInt(llvm::APInt(32, type.length), false), context_.IntTy);
    if (!result.isNull())
      arguments.emplace_back(context_.getCanonicalType(result).getUnqualifiedType());
    const SourceLocation where = call->getOperatorLoc();
    FunctionDecl *function = sema_.InstantiateFunctionDeclaration(
        found, TemplateArgumentList::CreateCopy(context_, arguments), where);
    if (!function)
      return {};
    sema_.MarkFunctionReferenced(where, function);
    for (unsigned i = 0; i < call->getNumArgs(); ++i)
      call->setArg(i, convertedTo(function->getParamDecl(i), call->getArg(i)));
    auto *reference = DeclRefExpr::Create(context_, NestedNameSpecifierLoc(), SourceLocation(), function,
                                          false, where, function->getType(), VK_LValue);
    call->setCallee(ImplicitCastExpr::Create(context_, context_.getPointerType(function->getType()),
                                             CK_FunctionToPointerDecay, reference, nullptr, VK_PRValue,
                                             FPOptionsOverride()));
    return function->getReturnType();
  }

  // The operators of packed vectors take them and scalars, and the functions take vectors.
  Expr *convertedTo(ParmVarDecl *parameter, Expr *argument) {
    const QualType type = parameter->getType();
    if (type->isReferenceType() || context_.hasSameUnqualifiedType(type, argument->getType()))
      return argument;
    const ExprResult converted = sema_.PerformCopyInitialization(
        InitializedEntity::InitializeParameter(context_, parameter), SourceLocation(), argument);
    return converted.isInvalid() ? argument : converted.get();
  }

  FunctionTemplateDecl *functionTemplate(StringRef name) {
    FunctionTemplateDecl *&known = templates_[name];
    if (known)
      return known;
    DeclContext *scope = context_.getTranslationUnitDecl();
    for (const char *space : {"metal", "__assay"}) {
      NamespaceDecl *inner = nullptr;
      for (NamedDecl *decl : scope->lookup(&context_.Idents.get(space)))
        inner = inner ? inner : dyn_cast<NamespaceDecl>(decl);
      if (!inner)
        return nullptr;
      scope = inner;
    }
    for (NamedDecl *decl : scope->lookup(&context_.Idents.get(name)))
      if (auto *function = dyn_cast<FunctionTemplateDecl>(decl))
        known = function;
    return known;
  }

  Sema &sema_;
  ASTContext &context_;
  VectorContraction::Reach reach_;
  llvm::StringMap<FunctionTemplateDecl *> templates_;
};

} // namespace

void VectorContraction::apply(Sema &sema, const std::function<void()> &instantiate) {
  Contractor contractor(sema, reach_);
  for (size_t i = 0; i < kept_.size(); ++i) { // it grows
    const DeclGroupRef group = kept_[i];      // a copy: a group of one is its own list, which moves
    for (Decl *decl : group)
      contractor.TraverseDecl(decl);
    if (i + 1 == kept_.size())
      instantiate();
  }
}

void VectorContraction::apply(Sema &sema) {
  apply(sema, [&] { sema.PerformPendingInstantiations(); });
}

} // namespace assay::frontend
