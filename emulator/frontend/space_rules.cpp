#include "frontend/space_rules.h"

#include "frontend/annotations.h"
#include "frontend/conversion_visitor.h"
#include "frontend/generic_pairs.h"
#include "frontend/memory_spaces.h"
#include "frontend/own_errors.h"
#include "frontend/vector_classes.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>

namespace assay::frontend {
namespace {

using namespace clang;

// The name of a space; null for `thread` and for any other.
const char *nameOf(LangAS space) {
  const std::optional<AddressSpace> memory = metalMemory(space);
  return memory && memory != AddressSpace::Thread ? assay::nameOf(*memory).data() : nullptr;
}

// The word for a space in messages; empty for any other memory.
llvm::StringRef wordOf(LangAS space) {
  const std::optional<AddressSpace> memory = metalMemory(space);
  return memory ? llvm::StringRef(assay::nameOf(*memory)) : llvm::StringRef();
}

// What a pointer points to, or the object itself.
QualType memoryOf(QualType type) {
  return type->isPointerType() ? type->getPointeeType() : type;
}

bool hasTwoResults(const FunctionDecl *function) {
  const IdentifierInfo *name = function->getIdentifier();
  return name && (name->isStr("modf") || name->isStr("frexp") || name->isStr("sincos")) && inMetal(function);
}

bool isAddrspaceCast(const FunctionDecl *function) {
  const IdentifierInfo *name = function ? function->getIdentifier() : nullptr;
  return name && name->isStr("addrspace_cast") && function->isTemplateInstantiation() &&
         function->getDeclContext()->getRedeclContext()->isTranslationUnit();
}

// The objects of an imageblock, which are in threadgroup memory for Clang (imageblock_space.h).
bool isImageblock(QualType memory) {
  return memory.getQualifiers().hasUnaligned();
}

// The string literal that a value is, or may be; null if there is none.
const Expr *literalIn(const Expr *value) {
  value = value->IgnoreParenImpCasts();
  if (const auto *choice = dyn_cast<AbstractConditionalOperator>(value)) {
    const Expr *literal = literalIn(choice->getTrueExpr());
    return literal ? literal : literalIn(choice->getFalseExpr());
  }
  return isa<StringLiteral, PredefinedExpr>(value) ? value : nullptr;
}

// Whether an object of the type is or has one of Metal's atomics.
bool holdsAtomic(QualType type) {
  type = type.getCanonicalType();
  if (const auto *array = dyn_cast<ArrayType>(type.getTypePtr()))
    return holdsAtomic(array->getElementType());
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || record->isDependentContext())
    return false;
  if (const auto *made = dyn_cast<ClassTemplateSpecializationDecl>(record);
      made && (made->getName() == "atomic" || made->getName() == "_atomic")) // before Metal 2.4
    return inMetal(made);
  return llvm::any_of(record->bases(), [](const CXXBaseSpecifier &b) { return holdsAtomic(b.getType()); }) ||
         llvm::any_of(record->fields(), [](const FieldDecl *f) { return holdsAtomic(f->getType()); });
}

// Whether a template's parameter decides about the type of a function's parameter.
bool isDeduced(const FunctionDecl *function, unsigned parameter) {
  const FunctionDecl *pattern = function->getTemplateInstantiationPattern();
  return pattern && (parameter >= pattern->getNumParams() ||
                     pattern->getParamDecl(parameter)->getType()->isDependentType());
}

// The memories of the objects that have a member of the library: assay.objects, of the member or of its class
// (prelude.h). Empty: any. Assignments that the compiler declares are for objects anywhere.
llvm::SmallVector<llvm::StringRef> memoriesOfObjects(const CXXMethodDecl *method) {
  llvm::SmallVector<llvm::StringRef> memories;
  for (const Decl *declaration :
       {static_cast<const Decl *>(method), static_cast<const Decl *>(method->getParent())})
    for (const auto *attribute : declaration->specific_attrs<AnnotateAttr>())
      if (llvm::StringRef words = attribute->getAnnotation();
          memories.empty() && !method->isImplicit() && words.consume_front("assay.objects."))
        words.split(memories, '.');
  return memories;
}

bool isOverloaded(const FunctionDecl *function) {
  const auto declared = function->getDeclContext()->getRedeclContext()->lookup(function->getDeclName());
  return llvm::any_of(declared, [&](const NamedDecl *other) {
    return other->getUnderlyingDecl()->getCanonicalDecl() != function->getCanonicalDecl();
  });
}

class SpaceRulesChecker : public ConversionVisitor {
public:
  SpaceRulesChecker(ASTContext &context, ThreadWords &words, const ViewFileSystem &files,
                    LanguageVersion language)
      : ConversionVisitor(context, files), pointers_(words), generic_(hasGenericPointers(language)) {}

  bool VisitVarDecl(VarDecl *variable) override {
    const QualType type = variable->getType();
    if (variable->hasLocalStorage() && !isa<ParmVarDecl>(variable) && isUsersText(variable->getLocation()) &&
        isThread(context_.getBaseElementType(type).getAddressSpace()) && holdsAtomic(type))
      report(variable->getLocation(),
             fmt::format("'{}' has an atomic in thread memory: atomics are in device or threadgroup memory",
                         variable->getNameAsString()));
    if (variable->getInit() && !variable->getType()->getContainedDeducedType()) {
      literal(variable->getInit(), variable->getType());
      given(variable->getInit(), variable);
      bound(variable->getInit(), variable->getType());
      // The compiler writes what a loop over a range begins with.
      if (variable->isCXXForRangeDecl() && type->isReferenceType() && isUsersText(variable->getLocation()))
        conversion(variable->getInit()->IgnoreParenImpCasts(), memoryOf(type.getNonReferenceType()),
                   variable->getLocation());
    }
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *operation) override {
    if (operation->isAssignmentOp()) {
      changed(operation->getLHS());
      literal(operation->getRHS(), operation->getLHS()->getType());
      if (operation->getOpcode() == BO_Assign)
        given(operation->getRHS(), namedBy(operation->getLHS()));
    }
    // Pointers of one type are compared as that type, but subtracted as they are.
    if (operation->getOpcode() == BO_Sub && operation->getRHS()->getType()->isPointerType() &&
        !operation->isInstantiationDependent()) {
      const LangAS left = memoryOf(operation->getLHS()->getType()).getAddressSpace();
      const LangAS right = memoryOf(operation->getRHS()->getType()).getAddressSpace();
      if (left != right && isUsersText(operation->getOperatorLoc()))
        report(operation->getOperatorLoc(), "these pointers point into different address spaces");
    }
    return true;
  }
  // A reference to const thread memory takes the result of a conversion, unless what is converted is an
  // object in other memory: "cannot bind to a value of unrelated type" of Clang. Conversions by a constructor
  // of the program are not judged: MLX has some.
  bool VisitMaterializeTemporaryExpr(MaterializeTemporaryExpr *made) override {
    if (const Expr *object = convertedObject(made->getSubExpr()))
      conversion(object, memoryOf(made->getType()), object->getExprLoc());
    return true;
  }
  bool TraverseDecl(Decl *decl) override {
    const FunctionDecl *outer = function_;
    if (auto *function = dyn_cast_or_null<FunctionDecl>(decl))
      function_ = function;
    if (const auto *constructor = dyn_cast_or_null<CXXConstructorDecl>(decl); generic_ && constructor)
      parts(constructor);
    const bool going = ConversionVisitor::TraverseDecl(decl);
    function_ = outer;
    return going;
  }
  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    const FunctionDecl *outer = std::exchange(function_, nullptr);
    const bool going = ConversionVisitor::TraverseLambdaExpr(lambda);
    function_ = outer;
    return going;
  }
  bool VisitReturnStmt(ReturnStmt *statement) override {
    if (statement->getRetValue()) {
      literal(statement->getRetValue(), statement->getRetValue()->getType());
      given(statement->getRetValue(), function_);
    }
    return true;
  }

  bool VisitConditionalOperator(ConditionalOperator *choice) override {
    if (choice->isGLValue()) {
      allow(choice->getTrueExpr());
      allow(choice->getFalseExpr());
    }
    return true;
  }

  bool VisitUnaryOperator(UnaryOperator *operation) override {
    if (operation->isIncrementDecrementOp() || operation->getOpcode() == UO_AddrOf)
      changed(operation->getSubExpr());
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
    if (call->isAssignmentOp())
      changed(call->getArg(0));
    return true;
  }

  // Functions of the library with a second result: "address space mismatch in 2nd argument", SPIRV-Cross,
  // issue 1759. Here their parameters are references to any memory.
  bool VisitCallExpr(CallExpr *call) override {
    if (generic_)
      redirectCall(*call, pointers_, function_);
    const FunctionDecl *callee = call->getDirectCallee();
    if (callee && call->getNumArgs() == 2 && callee->getNumParams() == 2 &&
        callee->getParamDecl(1)->getType()->isLValueReferenceType() && hasTwoResults(callee))
      conversion(call->getArg(1)->IgnoreParenImpCasts(),
                 callee->getParamDecl(1)->getType().getNonReferenceType(), call->getArg(1)->getExprLoc());
    if (callee && !isUsers(callee))
      matrices(callee, llvm::ArrayRef(call->getArgs(), call->getNumArgs()));
    if (const auto *name = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreImpCasts());
        generic_ && name && isAddrspaceCast(callee) && name->getNumTemplateArgs())
      if (const TypeSourceInfo *to = name->template_arguments()[0].getTypeSourceInfo();
          to && pointers_.isGeneric(to->getTypeLoc()))
        report(call->getExprLoc(), "addrspace_cast leads to a pointer into one memory: write device, "
                                   "threadgroup or thread in its type");
    if (callee && isUsers(callee))
      arguments(callee, llvm::ArrayRef(call->getArgs(), call->getNumArgs())
                            .drop_front(isa<CXXOperatorCallExpr>(call) && isa<CXXMethodDecl>(callee)));
    return ConversionVisitor::VisitCallExpr(call);
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    if (isUsers(made->getConstructor()))
      arguments(made->getConstructor(), llvm::ArrayRef(made->getArgs(), made->getNumArgs()));
    return ConversionVisitor::VisitCXXConstructExpr(made);
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override {
    if (isAllowed(cast))
      return true;
    const QualType to = memoryOf(cast->getType());
    if ((cast->getType()->isPointerType() || cast->isGLValue()) && !chosen_.contains(cast))
      imageblock(cast->getSubExpr(), to, cast->getExprLoc());
    if (cast->getCastKind() != CK_AddressSpaceConversion)
      return true;
    if (cast->isGLValue() && to.isConstQualified() && isVectorComponent(cast->getSubExpr()))
      return true; // a copy: component_copies.h
    conversion(cast->getSubExpr(), to, cast->getExprLoc(), toThread_.contains(cast));
    return true;
  }
  bool VisitExplicitCastExpr(ExplicitCastExpr *cast) override {
    if (!isUsersText(cast->getBeginLoc()))
      return true;
    if (cast->isGLValue())
      reference(cast);
    if (!cast->getType()->isPointerType())
      return true;
    const Expr *from = cast->getSubExpr()->IgnoreParenImpCasts();
    const QualType to = memoryOf(cast->getType());
    const bool toThread = generic_ && cast->getTypeInfoAsWritten() &&
                          pointers_.isThread(cast->getTypeInfoAsWritten()->getTypeLoc());
    conversion(from, to, cast->getBeginLoc(), toThread);
    imageblock(from, to, cast->getBeginLoc());
    // Clang lets a cast leave the superset.
    if (!generic_ && from->getType()->isPointerType() && !from->getType()->isDependentType() &&
        isThread(memoryOf(from->getType()).getAddressSpace()) && nameOf(to.getAddressSpace()))
      report(cast->getBeginLoc(),
             fmt::format("a pointer to thread memory cannot become a pointer to {} memory",
                         nameOf(to.getAddressSpace())));
    return true;
  }

protected:
  void listed(const Expr *value) override { literal(value, value->getType()); }

private:
  // What a reference binds to.
  void bound(const Expr *value, QualType reference) {
    if (reference->isLValueReferenceType())
      changed(value);
  }

  // `b ? x : y` of objects in two memories is a value: neither type converts to the other's reference.
  void changed(const Expr *place) {
    place = place->IgnoreParenImpCasts();
    if (const auto *member = dyn_cast<MemberExpr>(place); member && !member->isArrow())
      return changed(member->getBase());
    if (const auto *component = dyn_cast<ExtVectorElementExpr>(place))
      return changed(component->getBase());
    const auto *choice = dyn_cast<ConditionalOperator>(place);
    if (!choice || !choice->isGLValue() || !isUsersText(choice->getQuestionLoc()))
      return;
    const auto memoryOfArm = [&](const Expr *arm) {
      return wordOf(context_.getBaseElementType(arm->IgnoreParenImpCasts()->getType()).getAddressSpace());
    };
    const llvm::StringRef first = memoryOfArm(choice->getTrueExpr());
    const llvm::StringRef second = memoryOfArm(choice->getFalseExpr());
    if (first != second)
      report(choice->getQuestionLoc(),
             fmt::format("a choice between {} and {} memory {}", first.str(), second.str(), kChoiceIsValue));
  }

  // A cast to a reference names the same object, so it stays in its memory.
  // source: KhronosGroup/SPIRV-Cross, issue 2302, where Apple's compiler refuses one from constant to device.
  void reference(const ExplicitCastExpr *cast) {
    const Expr *from = cast->getSubExpr()->IgnoreParenImpCasts();
    if (from->isInstantiationDependent() || cast->isInstantiationDependent())
      return;
    const LangAS to = context_.getBaseElementType(cast->getType()).getAddressSpace();
    const LangAS memory = context_.getBaseElementType(from->getType()).getAddressSpace();
    if (wordOf(to) == wordOf(memory) || (generic_ && isThread(to)))
      return;
    const bool isGeneric = generic_ && isThread(memory) && pointers_.isGeneric(from, function_);
    report(cast->getBeginLoc(), fmt::format("a reference to {} memory cannot be cast to one to {} memory{}",
                                            isGeneric ? "generic" : wordOf(memory).str(), wordOf(to).str(),
                                            isGeneric ? ": cast a pointer" : ""));
  }

  /// The object whose value is all that an implicit conversion converts; null if there is none.
  const Expr *convertedObject(const Expr *value) const {
    while (true)
      if (const auto *cast = dyn_cast<ImplicitCastExpr>(value)) {
        if (isAllowed(cast))
          return nullptr;
        if (cast->getCastKind() == CK_LValueToRValue)
          return cast->getSubExpr();
        value = cast->getSubExpr();
      } else if (const auto *constructed = dyn_cast<CXXConstructExpr>(value);
                 constructed && constructed->getNumArgs() == 1 && !isUsers(constructed->getConstructor()) &&
                 constructed->getParenOrBraceRange().isInvalid()) {
        value = constructed->getArg(0);
      } else {
        return nullptr;
      }
  }
  void literal(const Expr *value, QualType to) {
    const Expr *text =
        to->isPointerType() && isThread(memoryOf(to).getAddressSpace()) ? literalIn(value) : nullptr;
    if (text && isUsersText(text->getBeginLoc()))
      report(text->getBeginLoc(),
             "a string literal is in constant memory: a pointer to thread memory cannot point to it");
  }

  /// The variable or member that an expression is; null if it is another one.
  static const DeclaratorDecl *namedBy(const Expr *place) {
    place = place->IgnoreParenImpCasts();
    const ValueDecl *decl = nullptr;
    if (const auto *name = dyn_cast<DeclRefExpr>(place))
      decl = name->getDecl();
    else if (const auto *member = dyn_cast<MemberExpr>(place))
      decl = member->getMemberDecl();
    return dyn_cast_or_null<DeclaratorDecl>(decl);
  }

  /// What a declaration, or the result of a function, is given. Without generic pointers all of it is judged
  /// by the types alone.
  void given(const Expr *value, const DeclaratorDecl *to) {
    if (!generic_ || !to || value->isInstantiationDependent() || !pointers_.isThread(to))
      return;
    for (auto *cast = dyn_cast<ImplicitCastExpr>(value); cast;
         cast = dyn_cast<ImplicitCastExpr>(cast->getSubExpr()))
      toThread_.insert(cast);
    const bool isObject = !to->getType()->isPointerType() && !value->getType()->isPointerType();
    if ((!isObject || value->isGLValue()) && pointers_.isGeneric(value, function_))
      report(value->getExprLoc(),
             "a pointer or reference without an address space may be to other than thread memory: cast it, "
             "or leave out the word thread where it goes");
  }

  // Members and bases of an object that may be in any memory, with a constructor for thread memory alone.
  // source: "must explicitly initialize the member 'Atile' which does not have a default constructor", of
  // such a constructor: pytorch/executorch, issue 22981 and pull request 22982.
  void parts(const CXXConstructorDecl *constructor) {
    if (!isUsers(constructor) || !hasGenericObject(constructor))
      return;
    for (const CXXCtorInitializer *init : constructor->inits()) {
      const auto *made = dyn_cast<CXXConstructExpr>(init->getInit()->IgnoreImplicit());
      if (!made || isa<CXXTemporaryObjectExpr>(made) || !annotation(made->getConstructor(), "method.thread"))
        continue;
      const CXXRecordDecl *part = made->getConstructor()->getParent();
      const bool others = llvm::any_of(part->ctors(), [&](const CXXConstructorDecl *other) {
        return !other->isImplicit() && hasGenericObject(other) &&
               other->getMinRequiredArguments() <= made->getNumArgs();
      });
      if (!others)
        report(init->isWritten() ? init->getSourceLocation() : constructor->getLocation(),
               fmt::format("the {} '{}' has a constructor for thread memory, and the object of this one may "
                           "be in other memory: write thread after its parameters",
                           init->isAnyMemberInitializer() ? "member" : "base",
                           init->isAnyMemberInitializer() ? init->getAnyMember()->getNameAsString()
                                                          : part->getNameAsString()));
    }
  }

  // Matrices of a simdgroup are in registers, and the library's functions take them from thread memory alone.
  // source: `thread simdgroup_matrix<T, Cols, Rows> &d` in Apple's header (kagurasumusun/metal, 32023.883)
  void matrices(const FunctionDecl *callee, llvm::ArrayRef<Expr *> values) {
    for (unsigned i = 0; i < values.size() && i < callee->getNumParams(); ++i) {
      const QualType type = callee->getParamDecl(i)->getType();
      const auto *record = type->isReferenceType() ? type->getPointeeType()->getAsCXXRecordDecl() : nullptr;
      if (record && record->getIdentifier() && record->getName() == "simdgroup_matrix")
        conversion(values[i]->IgnoreParenImpCasts(), type->getPointeeType(), values[i]->getExprLoc());
    }
  }

  void arguments(const FunctionDecl *callee, llvm::ArrayRef<Expr *> values) {
    for (unsigned i = 0; i < values.size() && i < callee->getNumParams(); ++i)
      if (const QualType type = callee->getParamDecl(i)->getType(); !isDeduced(callee, i)) {
        literal(values[i], type);
        given(values[i], callee->getParamDecl(i));
        bound(values[i], type);
      } else if (!type.getNonReferenceType()->isPointerType() || type->isPointerType()) {
        given(values[i], callee->getParamDecl(i)); // not `thread T &` to a pointer
      }
    // Clang takes the overload for threadgroup memory, although there may be one for imageblocks.
    if (isOverloaded(callee))
      for (const Expr *argument : values)
        for (auto *cast = dyn_cast<ImplicitCastExpr>(argument); cast && cast->isGLValue();
             cast = dyn_cast<ImplicitCastExpr>(cast->getSubExpr()))
          chosen_.insert(cast);
  }

  void imageblock(const Expr *from, QualType to, SourceLocation where) {
    if (from->getType()->isDependentType() || to->isDependentType() ||
        from->getType()->isPointerType() != (from->isPRValue() && !from->getType()->isArrayType()))
      return;
    const QualType source = memoryOf(from->getType());
    if (source.getAddressSpace() == to.getAddressSpace() && isImageblock(source) != isImageblock(to))
      report(where, fmt::format("{} memory cannot be used as {} memory",
                                isImageblock(source) ? "threadgroup_imageblock" : "threadgroup",
                                isImageblock(to) ? "threadgroup_imageblock" : "threadgroup"));
  }

  /// toThread   whether the word thread is written for what it converts to
  void conversion(const Expr *from, QualType to, SourceLocation where, bool toThread = false) {
    QualType type = from->getType();
    if (const auto *array = context_.getAsArrayType(type))
      type = array->getElementType();
    const LangAS source = memoryOf(type).getAddressSpace();
    if (to->isDependentType() || type->isDependentType() || !nameOf(source) ||
        !isThread(to.getAddressSpace()))
      return;
    if (generic_ && !toThread) {
      if (isConstant(source))
        report(where,
               "constant memory cannot be used as generic memory, which is device, threadgroup or thread "
               "memory: declare what takes it constant, or pass a copy in a variable");
      return;
    }
    report(where, fmt::format("{0} {1}: declare what takes it {0}, or pass a copy in a variable",
                              nameOf(source), kUsedAsThread));
  }

  // For Clang, an object in thread memory can call the functions of every space (method_spaces.h).
  void object(Expr *object, const CXXMethodDecl *method) {
    if (!object || !method || method->isStatic())
      return;
    allow(object);
    const LangAS wanted = annotation(method, "method.thread")
                              ? LangAS::Default
                              : method->getMethodQualifiers().getAddressSpace();
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
    } else if (!isUsers(method)) {
      libraryObject(object, method, space);
    } else if (generic_ && hasGenericObject(method)) {
      if (isConstant(space))
        report(object->getExprLoc(),
               fmt::format(
                   "'{0}' is declared for an object in device, threadgroup or thread memory, and this one "
                   "is in constant memory: write constant after its parameters, or call it on a copy",
                   method->getNameAsString()));
    } else if (generic_ && isThread(space) && !method->getParent()->isLambda() &&
               pointers_.isGeneric(object, function_)) {
      report(
          object->getExprLoc(),
          fmt::format("'{}' is declared for an object in thread memory, and this one may be in other memory: "
                      "leave out the word thread after its parameters, or call it on a copy",
                      method->getNameAsString()));
    } else if (nameOf(space) && !method->getParent()->isLambda()) {
      report(object->getExprLoc(),
             fmt::format(
                 "'{0}' is declared for an object in thread memory, and this one is in {1} memory: write {1} "
                 "after its parameters, or call it on a copy",
                 method->getNameAsString(), nameOf(space)));
    }
  }

  void libraryObject(const Expr *object, const CXXMethodDecl *method, LangAS space) {
    const llvm::StringRef memory = wordOf(space);
    const llvm::SmallVector<llvm::StringRef> memories = memoriesOfObjects(method);
    if (memories.empty() || memory.empty() || llvm::is_contained(memories, memory))
      return;
    report(object->getExprLoc(),
           fmt::format("'{}' is declared for an object in {} memory, and this one is in {} memory: {}",
                       method->getNameAsString(), llvm::join(memories, " or "), memory.str(),
                       llvm::is_contained(memories, "thread") ? "call it on a copy in a variable"
                                                              : "declare it at program scope, constant"));
  }

  std::set<const ImplicitCastExpr *> chosen_; ///< of arguments of overloaded functions
  GenericPointers pointers_;
  const bool generic_;                          ///< pointers without an address space are generic
  std::set<const ImplicitCastExpr *> toThread_; ///< to what is written with `thread`
  const FunctionDecl *function_ = nullptr;      ///< that is being visited; null in a lambda
};

} // namespace

void checkSpaces(ASTContext &context, ThreadWords &words, const ViewFileSystem &files,
                 LanguageVersion language, const Declarations &declarations) {
  SpaceRulesChecker(context, words, files, language).visitAll(declarations);
}

} // namespace assay::frontend
