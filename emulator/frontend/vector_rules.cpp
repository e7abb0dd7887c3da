#include "frontend/vector_rules.h"

#include "frontend/conversion_rules.h"
#include "frontend/generated_code.h"
#include "frontend/instantiations.h"
#include "frontend/narrowing.h"
#include "frontend/operator_fixes.h"
#include "frontend/own_errors.h"
#include "frontend/vector_classes.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <set>

namespace assay::frontend {
namespace {

using namespace clang;

// An operand as the program writes it. `v.xy *= s` computes with names of its operands' values.
const Expr &asWritten(const Expr &operand) {
  const Expr *written = operand.IgnoreUnlessSpelledInSource();
  const auto *name = dyn_cast<OpaqueValueExpr>(written);
  return name && name->getSourceExpr() ? asWritten(*name->getSourceExpr()) : *written;
}

class VectorRulesChecker : public GeneratedCodeVisitor {
public:
  explicit VectorRulesChecker(ASTContext &context)
      : context_(context), sources_(context.getSourceManager()) {}

  bool TraverseDecl(Decl *decl) override {
    return !decl || isLibrary(decl->getLocation()) || SyntaxVisitor::TraverseDecl(decl);
  }

  void check(Decl *declaration) {
    const auto *function = dyn_cast<FunctionDecl>(declaration);
    instance_ = function && function->isTemplateInstantiation() ? function : nullptr;
    TraverseDecl(declaration);
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    const CXXConstructorDecl *constructor = made->getConstructor();
    const auto type = vectorClass(constructor->getParent());
    if (type && made->isStdInitListInitialization() && made->getNumArgs() == 1)
      checkList(*made, *type);
    else if (const auto element = matrixElement(constructor->getParent());
             element && made->isStdInitListInitialization() && isUsers(made->getLocation()))
      for (const Expr *column : listedIn(*made))
        checkNarrowing(column->IgnoreUnlessSpelledInSource(), *element); // a scalar becomes a column
    else if (type && !type->packed && made->isListInitialization() && made->getNumArgs() > 1 &&
             isUsers(made->getLocation()))
      for (const Expr *argument : made->arguments())
        checkNarrowing(argument, type->element);
    if (type && made->isListInitialization() && !made->isStdInitListInitialization() &&
        made->getNumArgs() == 1 && isUsers(made->getLocation()))
      checkBraces(*made, *type);
    if (type && made->isListInitialization() && isUsers(made->getLocation()))
      for (const Expr *argument : made->arguments())
        checkElement(*argument, *made);
    if (!type || constructor->getNumParams() < 2 || isLibrary(made->getLocation()))
      return true;
    unsigned elements = 0;
    bool vectors = false;
    for (const Expr *argument : made->arguments()) {
      elements += elementsIn(argument);
      vectors |= elementsIn(argument) > 1;
    }
    if (elements >= type->length)
      return true;
    if (made->isListInitialization()) {
      if (vectors && isUsers(made->getLocation()))
        error(made->getLocation(), spelled(made->getType()) + " takes " + std::to_string(type->length) +
                                       " elements, and " + std::to_string(elements) +
                                       " are given: a list with a vector in it may not be shorter");
      return true;
    }
    // Apple's compiler accepts `uint4(x, uint2(0))`: SPIRV-Cross writes it, and compiles it with -Werror.
    if (vectors || !reported_.insert(made->getLocation()).second)
      return true;
    DiagnosticsEngine &diagnostics = context_.getDiagnostics();
    const unsigned id = diagnostics.getCustomDiagID(
        DiagnosticsEngine::Error, "%0 takes %1 elements, and %2 are given; a braced list may be shorter");
    diagnostics.Report(made->getLocation(), id)
        << made->getType().getUnqualifiedType() << type->length << elements;
    note();
    return true;
  }

  // As it is written, a list constructs nothing.
  bool VisitInitListExpr(InitListExpr *list) override {
    if (InitListExpr *made = list->isSemanticForm() ? list : list->getSemanticForm())
      for (Expr *value : made->inits()) {
        if (auto *inner = dyn_cast<InitListExpr>(value))
          VisitInitListExpr(inner);
        else if (auto *constructed = dyn_cast<CXXConstructExpr>(value->IgnoreImplicit()))
          VisitCXXConstructExpr(constructed);
      }
    return true;
  }

  // Clang converts one of a half and a bfloat to the other; Metal computes in float. The error is Clang's
  // own, so that by_value_fixes.h fixes it and parses again.
  bool VisitBinaryOperator(BinaryOperator *operation) override {
    if (operation->isAssignmentOp() && !operation->isCompoundAssignmentOp())
      return true;
    const Expr *left = operation->getLHS(), *right = operation->getRHS();
    report(operation->getOperatorLoc(), left, right, clang::diag::err_typecheck_invalid_operands);
    return true;
  }
  bool VisitConditionalOperator(ConditionalOperator *choice) override {
    report(choice->getQuestionLoc(), choice->getTrueExpr(), choice->getFalseExpr(),
           clang::diag::err_typecheck_cond_incompatible_operands);
    if (isUsers(choice->getQuestionLoc()))
      for (const bool first : {true, false})
        checkFloatingScalar(*(first ? choice->getTrueExpr() : choice->getFalseExpr()),
                            first ? choice->getFalseExpr()->getType() : choice->getTrueExpr()->getType(),
                            choice->getQuestionLoc());
    return true;
  }

  // `v.xy *= m`: Apple's library has an operator of a reference, which binds to no swizzle ("This doesn't
  // compile in Metal": Skia, MetalCodeGenerator.cpp). Here the property is read, multiplied and written.
  bool VisitPseudoObjectExpr(PseudoObjectExpr *access) override {
    const auto *operation = dyn_cast<BinaryOperator>(access->getSyntacticForm());
    if (!operation || operation->getOpcode() != BO_MulAssign || !isUsers(operation->getOperatorLoc()))
      return true;
    const QualType matrix = operation->getRHS()->getType();
    if (matrixElement(matrix->getAsCXXRecordDecl()))
      error(operation->getOperatorLoc(),
            "*= " + spelled(matrix) + " changes a whole vector, and no swizzle: write `v.xy = v.xy * m`");
    return true;
  }

  // A vector that nothing holds cannot be changed: what an operator computed, or a member of f().
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override {
    checkFloatingScalar(*call);
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(call->getCalleeDecl());
    if (!method || !vectorClass(method->getParent()) || !isUsers(call->getOperatorLoc()))
      return true;
    const bool changes =
        call->isAssignmentOp() || call->getOperator() == OO_PlusPlus || call->getOperator() == OO_MinusMinus;
    if (changes && !call->getArg(0)->IgnoreParenImpCasts()->isLValue() &&
        reported_.insert(call->getOperatorLoc()).second)
      context_.getDiagnostics().Report(call->getOperatorLoc(),
                                       diag::err_typecheck_expression_not_modifiable_lvalue)
          << call->getArg(0)->getSourceRange();
    return true;
  }

  bool VisitUnaryOperator(UnaryOperator *operation) override {
    if (operation->getOpcode() == UO_AddrOf && isComponent(operation->getSubExpr()))
      error(operation->getOperatorLoc(),
            "a component of a vector has no address: take that of a variable, or of the "
            "vector");
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee || isa<CXXOperatorCallExpr>(call))
      return true;
    for (unsigned i = 0; i < std::min(call->getNumArgs(), callee->getNumParams()); ++i)
      reference(callee->getParamDecl(i)->getType(), call->getArg(i));
    return true;
  }
  // Of a function that returns a reference.
  bool VisitReturnStmt(ReturnStmt *statement) override {
    const Expr *value = statement->getRetValue();
    if (value && value->isGLValue() && !value->getType().isConstQualified() && isComponent(value))
      error(value->getExprLoc(), "a reference cannot be bound to a component of a vector: return the vector");
    return true;
  }
  // Clang's code generator crashes on a variable whose type is not known.
  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->getInit())
      reference(variable->getType(), variable->getInit());
    checkConstexpr(*variable);
    const QualType type = variable->getType();
    if (!variable->getDeclContext()->isDependentContext() && !variable->getDescribedVarTemplate() &&
        !isa<VarTemplatePartialSpecializationDecl>(variable) &&
        (type->isDependentType() || type->isUndeducedType()))
      error(variable->getLocation(),
            "the type of '" + variable->getNameAsString() + "' cannot be deduced: name it");
    return true;
  }

  // A static member of a class that is made from a template is seen where it is used.
  bool VisitDeclRefExpr(DeclRefExpr *use) override {
    if (const auto *variable = dyn_cast<VarDecl>(use->getDecl());
        variable && variable->getInstantiatedFromStaticDataMember())
      checkConstexpr(*variable);
    return true;
  }

  // Metal's vectors are not classes, so an operator of the program cannot be for them alone.
  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (!function->isDependentContext() && isOperatorWithoutClasses(function))
      error(function->getLocation(), kOperatorWithoutClasses);
    return true;
  }
  bool VisitCXXRecordDecl(CXXRecordDecl *record) override {
    if (record->isThisDeclarationADefinition() && !record->isDependentContext())
      for (const CXXBaseSpecifier &base : record->bases())
        if (vectorClass(base.getType()->getAsCXXRecordDecl()))
          error(base.getBeginLoc(),
                "a vector is not a class, so nothing can derive from it: make it a member");
    return true;
  }

private:
  void checkConstexpr(const VarDecl &variable) {
    if (variable.isConstexpr() && isUsers(variable.getLocation()) &&
        makesMatrix(variable.getAnyInitializer()))
      error(variable.getLocation(),
            "the constructors and operators of a matrix are not constexpr: leave constexpr out of '" +
                variable.getNameAsString() + "', which may be a constant or const");
  }
  // Whether a constructor of the library's class makes a matrix in an expression. A matrix without a value,
  // and a copy, need none.
  static bool makesMatrix(const Stmt *part) {
    if (!part)
      return false;
    if (const auto *list = dyn_cast<InitListExpr>(part); list && list->isSyntacticForm())
      part = list->getSemanticForm() ? list->getSemanticForm() : list;
    if (const auto *member = dyn_cast<CXXDefaultInitExpr>(part))
      return makesMatrix(member->getExpr());
    if (const auto *made = dyn_cast<CXXConstructExpr>(part);
        made && matrixElement(made->getConstructor()->getParent()) && !made->getConstructor()->isDefaulted())
      return true;
    if (const auto *call = dyn_cast<CXXOperatorCallExpr>(part);
        call && matrixElement(call->getType()->getAsCXXRecordDecl()))
      return true;
    return llvm::any_of(part->children(), makesMatrix);
  }
  // Clang's own vectors take a scalar of another type as an operand, but no floating one beside integers.
  // Only an assignment converts it.
  void checkFloatingScalar(const CXXOperatorCallExpr &call) {
    if (call.getNumArgs() != 2 || call.getOperator() == OO_Equal || !isUsers(call.getOperatorLoc()) ||
        !call.getCalleeDecl() || !isLibrary(call.getCalleeDecl()->getLocation()))
      return;
    if (call.getOperator() == OO_Subscript) {
      // A matrix has a function of an int, to which floats convert.
      if (!matrixElement(call.getArg(0)->getType()->getAsCXXRecordDecl()) &&
          asWritten(*call.getArg(1)).getType()->isFloatingType())
        error(call.getArg(1)->getExprLoc(), "an index must be an integer");
      return;
    }
    for (const unsigned i : {0, 1}) {
      const QualType scalar = asWritten(*call.getArg(i)).getType();
      const QualType other = call.getArg(1 - i)->getType().getNonReferenceType();
      const auto vector = vectorClass(other->getAsCXXRecordDecl());
      checkMatrixOperand(call, *call.getArg(i), *call.getArg(1 - i));
      const bool shift = call.getOperator() == OO_LessLess || call.getOperator() == OO_GreaterGreater;
      if (vector && i == 0 && shift && scalar->isIntegerType())
        error(call.getOperatorLoc(), "no operator for " + spelled(scalar) + " and " + spelled(other) +
                                         ": a scalar is not shifted by a vector; make it a vector");
      checkFloatingScalar(*call.getArg(i), other, call.getOperatorLoc());
      if (vector && scalar->isEnumeralType())
        error(call.getOperatorLoc(), "no operator for " + written(*call.getArg(0)) + " and " +
                                         written(*call.getArg(1)) + ": make the enumerator a number");
      if (vector && needsIntegers(call.getOperator()) && isConverted(*call.getArg(i)))
        error(call.getOperatorLoc(), "no operator for " + written(*call.getArg(0)) + " and " +
                                         written(*call.getArg(1)) + ": convert the object to a vector");
    }
  }
  void checkFloatingScalar(const Expr &operand, QualType other, SourceLocation where) {
    const QualType scalar = asWritten(operand).getType();
    const auto vector = vectorClass(other->getAsCXXRecordDecl());
    if (vector && scalar->isFloatingType() && vector->element->isIntegerType())
      error(where, "no operator for " + spelled(other) + " and " + spelled(scalar) +
                       ": convert the vector, or make the scalar an integer");
  }
  // Apple's library has templates for a matrix and a scalar or a vector of its own type, so that nothing is
  // converted: "cannot convert between vector and non-scalar values ('metal::float3x3' and 'packed_float3')",
  // naga, issue 1297; numbers of other types, cristim/mslc.
  void checkMatrixOperand(const CXXOperatorCallExpr &call, const Expr &operand, const Expr &matrix) {
    if (call.getOperator() != OO_Star && call.getOperator() != OO_Slash)
      return;
    const QualType writtenMatrix = asWritten(matrix).getType();
    const auto element = matrixElement(writtenMatrix->getAsCXXRecordDecl());
    const QualType written = asWritten(operand).getType();
    const auto vector = vectorClass(written->getAsCXXRecordDecl());
    if (element && ((written->isArithmeticType() && !context_.hasSameUnqualifiedType(*element, written)) ||
                    (vector && vector->packed)))
      error(call.getOperatorLoc(),
            "no operator for " + spelled(writtenMatrix) + " and " + spelled(written) + ": convert the " +
                (vector ? "packed vector to a vector" : "scalar to " + spelled(*element)));
  }
  // Clang's own vectors take an object that converts to a vector as an operand of the other operators alone.
  static bool needsIntegers(OverloadedOperatorKind operation) {
    switch (operation) {
    case OO_Percent:
    case OO_Amp:
    case OO_Pipe:
    case OO_Caret:
    case OO_LessLess:
    case OO_GreaterGreater:
    case OO_PercentEqual:
    case OO_AmpEqual:
    case OO_PipeEqual:
    case OO_CaretEqual:
    case OO_LessLessEqual:
    case OO_GreaterGreaterEqual:
    case OO_AmpAmp:
    case OO_PipePipe: return true;
    default: return false;
    }
  }
  // Whether a function of a class that is no vector converts the operand.
  static bool isConverted(const Expr &operand) {
    if (const auto *name = dyn_cast<OpaqueValueExpr>(&operand); name && name->getSourceExpr())
      return isConverted(*name->getSourceExpr());
    for (const Expr *part = operand.IgnoreParens(); const auto *cast = dyn_cast<ImplicitCastExpr>(part);
         part = cast->getSubExpr())
      if (cast->getCastKind() == CK_UserDefinedConversion)
        return isa<CXXConversionDecl>(cast->getConversionFunction()) &&
               !vectorClass(dyn_cast<CXXRecordDecl>(cast->getConversionFunction()->getDeclContext()));
    return false;
  }
  std::string written(const Expr &operand) const { return spelled(asWritten(operand).getType()); }
  std::string spelled(QualType type) const {
    return "'" + type.getUnqualifiedType().getAsString(context_.getPrintingPolicy()) + "'";
  }
  // The expressions in the braces from which a std::initializer_list is made.
  static llvm::ArrayRef<const Expr *> listedIn(const CXXConstructExpr &made) {
    const auto *list = dyn_cast<CXXStdInitializerListExpr>(made.getArg(0)->IgnoreImplicit());
    const auto *elements =
        list ? dyn_cast<InitListExpr>(list->getSubExpr()->IgnoreUnlessSpelledInSource()) : nullptr;
    return elements ? llvm::ArrayRef<const Expr *>(elements->getInits(), elements->getNumInits())
                    : llvm::ArrayRef<const Expr *>();
  }
  void checkList(const CXXConstructExpr &made, const MetalVector &type) {
    const llvm::ArrayRef<const Expr *> elements = listedIn(made);
    if (isUsers(made.getLocation()) && !type.packed)
      for (const Expr *element : elements) {
        // `{{b}, 5}` with a bool: the list is one of ints.
        const auto *braces = dyn_cast<InitListExpr>(element);
        checkNarrowing(braces && braces->getNumInits() == 1 ? braces->getInit(0)->IgnoreImpCasts() : element,
                       type.element);
      }
    if (elements.size() > type.length)
      error(elements[type.length]->getExprLoc(), "a vector of " + std::to_string(type.length) +
                                                     " elements has a list of " +
                                                     std::to_string(elements.size()));
  }

  // `int4{float4(1)}`: a constructor that converts, of Metal's vectors only `int4(float4(1))`.
  void checkBraces(const CXXConstructExpr &made, const MetalVector &type) {
    const Expr *value = made.getArg(0)->IgnoreUnlessSpelledInSource();
    const auto given = vectorClass(value->getType()->getAsCXXRecordDecl());
    if (given && (given->length != type.length || !context_.hasSameType(given->element, type.element)))
      error(value->getExprLoc(), "the braces of a vector do not convert " + spelled(value->getType()) +
                                     " to " + spelled(made.getType()) + ": write parentheses");
  }

  // `{{1, 2}, 3}` finds a constructor of a vector and a scalar, `{{1, 2}}` that of a list. Of lists in each
  // other the outermost is reported, because its fix is that of all of them.
  void checkElement(const Expr &argument, const CXXConstructExpr &vector) {
    const Expr *value = argument.IgnoreImplicit();
    const auto *inner = dyn_cast<CXXConstructExpr>(value);
    const bool isVector = inner && inner->isListInitialization() && !isa<CXXTemporaryObjectExpr>(inner) &&
                          vectorClass(inner->getConstructor()->getParent());
    if (!isVector && (vector.isStdInitListInitialization() || !isa<CXXStdInitializerListExpr>(value)))
      return;
    if (reported_.contains(vector.getBeginLoc()))
      reported_.insert(value->getBeginLoc());
    error(value->getBeginLoc(), std::string(kBracesAreOneElement) + ": write the elements of " +
                                    spelled(vector.getType()) + " in one pair of braces");
  }

  void checkNarrowing(const Expr *element, QualType to) {
    if (const auto reason = narrowing(element, to, context_))
      error(element->getExprLoc(), "the braces of a vector do not convert " + *reason);
  }

  // The number of elements that a constructor's argument gives; a scalar gives one, even if the constructor
  // takes a vector.
  static unsigned elementsIn(const Expr *argument) {
    const QualType written = argument->IgnoreUnlessSpelledInSource()->getType();
    const auto vector = vectorClass(argument->getType()->getAsCXXRecordDecl());
    return vector && !written->isArithmeticType() && !written->isEnumeralType() ? vector->length : 1;
  }

  bool isUsers(SourceLocation where) const {
    return where.isValid() && !isLibrary(sources_.getSpellingLoc(where)) && !isLibrary(where);
  }

  // Where the program writes a component of a vector.
  bool isComponent(const Expr *expression) const {
    const Expr *written = expression->IgnoreParenImpCasts();
    const auto *member = dyn_cast<MemberExpr>(written);
    return isVectorComponent(written) && isUsers(member ? member->getMemberLoc() : written->getExprLoc());
  }
  void reference(QualType to, const Expr *from) {
    if (to->isLValueReferenceType() && !to->getPointeeType().isConstQualified() && isComponent(from))
      error(from->getExprLoc(),
            "a reference cannot be bound to a component of a vector: pass a variable, and assign it "
            "to the component");
  }
  void error(SourceLocation where, const std::string &text) {
    if (!reported_.insert(where).second)
      return;
    DiagnosticsEngine &diagnostics = context_.getDiagnostics();
    diagnostics.Report(where, diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0")) << text;
    note();
  }
  // Where the function that is being visited was instantiated.
  void note() {
    if (instance_ && isUsers(placeOfInstantiation(instance_)))
      noteInstantiation(context_.getDiagnostics(), instance_);
  }

  static QualType typeBefore(const Expr *operand) {
    const auto *cast = dyn_cast<ImplicitCastExpr>(operand->IgnoreParens());
    if (cast && cast->getCastKind() == CK_FloatingCast)
      operand = cast->getSubExpr();
    return operand->getType();
  }
  void report(SourceLocation where, const Expr *left, const Expr *right, unsigned diagnostic) {
    if (!areHalfAndBfloat(typeBefore(left), typeBefore(right)))
      return;
    const auto source = [](const Expr *operand) { return operand->IgnoreParenImpCasts(); };
    context_.getDiagnostics().Report(where, diagnostic) << source(left)->getType() << source(right)->getType()
                                                        << left->getSourceRange() << right->getSourceRange();
  }

  bool isLibrary(SourceLocation where) const { return where.isValid() && sources_.isInSystemHeader(where); }

  ASTContext &context_;
  const SourceManager &sources_;
  std::set<SourceLocation> reported_; ///< once for a template
  const FunctionDecl *instance_ = nullptr;
};

} // namespace

void checkVectors(ASTContext &context, const std::vector<DeclGroupRef> &declarations) {
  VectorRulesChecker checker(context);
  for (const DeclGroupRef &group : declarations)
    for (Decl *decl : group)
      checker.check(decl);
}

} // namespace assay::frontend
