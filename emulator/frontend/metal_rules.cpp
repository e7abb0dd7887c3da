#include "frontend/metal_rules.h"

#include "frontend/annotations.h"
#include "frontend/attributes.h"
#include "frontend/initial_values.h"
#include "frontend/memory_spaces.h"
#include "frontend/metal_rule_texts.h"
#include "frontend/program_samplers.h"
#include "frontend/thread_words.h"
#include "frontend/user_code.h"
#include "frontend/vector_classes.h"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace assay::frontend {
namespace {

using namespace clang;

// The attributes that have an index.
bool isIndexed(llvm::StringRef name) {
  for (const char *indexed : {"buffer", "texture", "sampler", "threadgroup", "id", "color", "attribute"})
    if (name == indexed)
      return true;
  return false;
}

// ray_data and object_data
bool isPayload(LangAS space) {
  return space == LangAS::sycl_private || space == LangAS::opencl_private || space == LangAS::sycl_global ||
         space == LangAS::opencl_global;
}

class RuleChecker : public UserCodeVisitor {
public:
  RuleChecker(ASTContext &context, ThreadWords &words, const ViewFileSystem &files, LanguageVersion language)
      : UserCodeVisitor(context, files), threadWords_(words), generic_(hasGenericPointers(language)) {
    for (size_t i = 0; i < kTexts.size(); ++i)
      ids_[i] = context.getDiagnostics().getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Error, kTexts[i]);
  }

  void run(const Declarations &declarations, const std::vector<ClassTemplateSpecializationDecl *> &classes) {
    visitAll(declarations);
    for (ClassTemplateSpecializationDecl *made : classes) {
      const ClassTemplateDecl *written = made->getSpecializedTemplate();
      if (!made->isExplicitSpecialization() && !written->getInstantiatedFromMemberTemplate() &&
          inUserFile(written->getLocation()))
        inInstance(made, [&] { dataOf(made); });
    }
  }

  /// The parameters and results of the user's functions in a namespace, a class or a template of these.
  void parametersIn(const DeclContext &scope) {
    for (Decl *decl : scope.noload_decls()) {
      if (auto *pattern = dyn_cast<TemplateDecl>(decl); pattern && pattern->getTemplatedDecl())
        decl = pattern->getTemplatedDecl();
      if (isa<NamespaceDecl, CXXRecordDecl>(decl))
        parametersIn(*cast<DeclContext>(decl));
      auto *function = dyn_cast<FunctionDecl>(decl);
      if (!function || function->isInvalidDecl() || annotation(function, "kernel") || !isUsers(function))
        continue;
      VisitDeclaratorDecl(function);
      for (ParmVarDecl *parameter : function->parameters())
        VisitDeclaratorDecl(parameter);
    }
  }

  bool VisitDeclaratorDecl(DeclaratorDecl *decl) override {
    if (decl->isImplicit() || !decl->getTypeSourceInfo())
      return true;
    if (isa<FieldDecl>(decl) && decl->getType()->isIncompleteArrayType())
      report(Rule::FlexibleArray, decl->getLocation(), decl);
    // source: "the 'metal::raytracing::intersection_query<..> [2]' type cannot be used to declare a structure
    // or union field", as issue 1781 of SPIRV-Cross quotes it.
    if (const auto *record = context_.getBaseElementType(decl->getType())->getAsCXXRecordDecl();
        isa<FieldDecl>(decl) && record && annotation(record, "no_member"))
      report(Rule::QueryMember, decl->getLocation(), decl);
    TypeLoc type = decl->getTypeSourceInfo()->getTypeLoc();
    if (const auto function =
            isa<FunctionDecl>(decl) ? type.getAsAdjusted<FunctionTypeLoc>() : FunctionTypeLoc())
      type = function.getReturnLoc();
    pointers(type, decl->getLocation(), decl->getNameAsString(), true, threadWords_.wordsOfAll(decl, type));
    // source: "parameter may not be qualified with an address space", as libultraship's PaperBoat quotes it.
    if (generic_ && isa<ParmVarDecl>(decl) && decl->getIdentifier() && !stepInto(type) &&
        isUsersText(decl->getLocation()) &&
        threadWords_.before(decl->getLocation()) == ThreadWords::Word::Thread)
      report(Rule::ValueSpace, decl->getLocation(), decl);
    return true;
  }
  bool VisitTypedefNameDecl(TypedefNameDecl *decl) override {
    if (!decl->isImplicit() && decl->getTypeSourceInfo()) {
      const TypeLoc type = decl->getTypeSourceInfo()->getTypeLoc();
      pointers(type, decl->getLocation(), decl->getNameAsString(), false,
               threadWords_.wordsOfAll(decl, type));
    }
    return true;
  }
  bool VisitExplicitCastExpr(ExplicitCastExpr *cast) override {
    if (cast->getTypeInfoAsWritten())
      pointers(cast->getTypeInfoAsWritten()->getTypeLoc(), cast->getBeginLoc(),
               cast->getTypeAsWritten().getAsString(metalPolicy(context_)), false);
    return true;
  }
  // A sampler that became const after this was read (program_samplers.h).
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override {
    const auto *written =
        call->isAssignmentOp() ? dyn_cast<DeclRefExpr>(call->getArg(0)->IgnoreParens()) : nullptr;
    const auto *variable = written ? dyn_cast<VarDecl>(written->getDecl()) : nullptr;
    if (variable && variable->isFileVarDecl() && variable->getType().isConstQualified() &&
        !written->getType().isConstQualified())
      report(Rule::GlobalWritten, call->getBeginLoc(), variable);
    return true;
  }
  // `f<float *>(p)`, `S<float *>`: the template may declare a variable of that type.
  bool VisitDeclRefExpr(DeclRefExpr *use) override {
    if (use->hasExplicitTemplateArgs() && inUserFile(use->getDecl()->getLocation()))
      for (const TemplateArgumentLoc &argument : use->template_arguments())
        templateArgument(argument);
    return true;
  }
  bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc type) override {
    const TemplateDecl *named = type.getTypePtr()->getTemplateName().getAsTemplateDecl();
    if (named && inUserFile(named->getLocation()))
      for (unsigned i = 0; i < type.getNumArgs(); ++i)
        templateArgument(type.getArgLoc(i));
    elementOf(type);
    return true;
  }

  bool VisitBuiltinTypeLoc(BuiltinTypeLoc type) override {
    const BuiltinType::Kind kind = type.getTypePtr()->getKind();
    const bool longLong = kind == BuiltinType::LongLong || kind == BuiltinType::ULongLong;
    if ((longLong || kind == BuiltinType::Int128 || kind == BuiltinType::UInt128) && !instance() &&
        isUsersText(type.getBeginLoc()) && isIntegerWord(type.getBeginLoc()))
      report(longLong ? Rule::LongLong : Rule::Int128, type.getBeginLoc());
    return true;
  }
  bool VisitFloatingLiteral(FloatingLiteral *literal) override {
    if (literal->getType()->isFloat128Type() && isUsersText(literal->getLocation()))
      report(Rule::LiteralSuffix, literal->getLocation());
    return true;
  }
  bool VisitNamedDecl(NamedDecl *decl) override {
    const IdentifierInfo *name = decl->getIdentifier();
    if (!instance() && isa<ValueDecl>(decl) && name && name->isStr("half") &&
        isUsersText(decl->getLocation()))
      report(Rule::Keyword, decl->getLocation(), decl);
    return true;
  }

  bool VisitDecl(Decl *decl) override {
    if (instance())
      return true;
    SmallVector<llvm::StringRef, 4> indexed;
    for (const auto *attribute : decl->specific_attrs<AnnotateAttr>()) {
      const llvm::StringRef text = attribute->getAnnotation();
      const auto named = [&](std::string_view prefix) -> std::optional<std::string> {
        return text.starts_with(prefix) ? std::optional(text.substr(prefix.size()).str()) : std::nullopt;
      };
      if (llvm::StringRef name = text; name.consume_front(kAnnotationPrefix)) {
        if (isIndexed(name) && llvm::is_contained(indexed, name) && !attribute->isInherited())
          report(Rule::AttributeTwice, attribute->getLocation(), name.str());
        if (isIndexed(name))
          indexed.push_back(name);
        arguments(attribute, name);
      }
      if (const auto name = named(kMisplacedPrefix))
        report(Rule::Misplaced, attribute->getLocation(), *name);
      if (const auto name = named(kArgumentsPrefix))
        report(Rule::Arguments, attribute->getLocation(), *name);
      if (const auto name = named(kCountPrefix))
        report(*name == "condition" ? Rule::OneName : Rule::OneIndex, attribute->getLocation(),
               *name == "condition" ? "function_constant" : *name);
      if (named(kInitialisedPrefix) && isa<NamedDecl>(decl))
        report(Rule::ConstantInitialised, attribute->getLocation(), cast<NamedDecl>(decl));
      if (const auto name = named(kMisspeltPrefix)) {
        const auto [written, meant] = llvm::StringRef(*name).split(' ');
        report(Rule::Misspelt, attribute->getLocation(), (written + "'; did you mean '" + meant).str());
      }
    }
    return true;
  }

  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->getStorageClass() == SC_Register)
      report(Rule::Register, variable->getLocation(), variable);
    if (variable->isImplicit() || isa<ParmVarDecl>(variable) || !isUsersText(variable->getLocation()) ||
        variable->getName().ends_with(kTypeSuffix)) // the declaration after it is asked
      return true;
    const QualType element = context_.getBaseElementType(variable->getType());
    const LangAS space = element.getAddressSpace();
    deducedThread(variable);
    if (hasRefusedPixels(*variable))
      report(Rule::PixelSampler, variable->getLocation(), variable);
    if (isThreadgroup(space))
      initialiser(variable);
    if (variable->getTSCSpec() != TSCS_unspecified)
      return report(Rule::ThreadLocal, variable->getLocation(), variable);
    if (variable->getType()->isVariableArrayType())
      return report(Rule::VariableLength, variable->getLocation(), variable);
    if (hasNoElement(variable->getType()))
      return report(Rule::ZeroLength, variable->getLocation(), variable);
    // The view makes variables in constant memory static (declarators.h).
    if (variable->isStaticLocal() && (space == LangAS::Default || isConstant(space)))
      return report(Rule::StaticLocal, variable->getLocation(), variable);
    if (isConstant(space) || (isGlobalBinding(variable) && builtinOf(variable)))
      return true;
    if (isDevice(space) && variable->isFileVarDecl())
      return report(Rule::DeviceGlobal, variable->getLocation(), variable);
    if ((isDevice(space) || isPayload(space)) && variable->hasGlobalStorage())
      return report(Rule::ArgumentSpace, variable->getLocation(), variable);
    if (isThreadgroup(space) && variable->getStorageClass() == SC_Extern && !isGlobalBinding(variable))
      return report(Rule::ThreadgroupExtern, variable->getLocation(), variable);
    if (isThreadgroup(space) && variable->isFileVarDecl())
      return report(Rule::ThreadgroupGlobal, variable->getLocation(), variable);
    if (isThreadgroup(space) && isInHelper(*variable))
      return report(Rule::ThreadgroupHelper, variable->getLocation(), variable);
    const bool fixed =
        element.isConstQualified() || variable->isConstexpr() || variable->getType()->isReferenceType();
    if (space != LangAS::Default || element->isDependentType() || !variable->hasGlobalStorage())
      return true;
    if (fixed)
      return unplacedConstant(variable, element);
    return report(Rule::GlobalSpace, variable->getLocation(), variable);
  }

  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (instance())
      return true;
    if (function->isVirtualAsWritten())
      report(Rule::Virtual, function->getLocation(), function);
    if (function->isMain())
      report(Rule::Main, function->getLocation(), function);
    if (annotation(function, "kernel") && isa<CXXMethodDecl>(function))
      report(Rule::KernelMember, function->getLocation(), function);
    if (annotation(function, "kernel") && function->isVariadic())
      report(Rule::Variadic, function->getLocation(), function);
    const ParmVarDecl *stageIn = nullptr;
    for (const ParmVarDecl *parameter : function->parameters())
      if (annotation(parameter, "stage_in") && std::exchange(stageIn, parameter))
        report(Rule::StageInTwice, parameter->getLocation(), parameter);
    // An externally visible function may come from a dynamic library.
    if (function->isCanonicalDecl() && function->isUsed() && !function->isDefined() &&
        !function->isImplicit() && !function->isDeleted() && !function->isDependentContext() &&
        !function->isExternallyVisible() && !function->hasAttr<AsmLabelAttr>() &&
        isUsersText(function->getLocation()))
      report(Rule::NotDefined, function->getLocation(), function);
    return true;
  }
  bool VisitCXXRecordDecl(CXXRecordDecl *record) override {
    if (!instance() && record->isThisDeclarationADefinition())
      for (const CXXBaseSpecifier &base : record->bases())
        if (base.isVirtual())
          report(Rule::VirtualBase, base.getBeginLoc(), record);
    return true;
  }
  bool VisitGotoStmt(GotoStmt *s) override { return report(Rule::Goto, s->getBeginLoc()); }
  bool VisitIndirectGotoStmt(IndirectGotoStmt *s) override { return report(Rule::Goto, s->getBeginLoc()); }
  bool VisitLabelStmt(LabelStmt *s) override { return report(Rule::Label, s->getBeginLoc()); }
  bool VisitAsmStmt(AsmStmt *s) override { return report(Rule::Assembler, s->getAsmLoc()); }
  bool VisitFileScopeAsmDecl(FileScopeAsmDecl *d) override {
    return report(Rule::Assembler, d->getBeginLoc());
  }
  bool VisitCXXDynamicCastExpr(CXXDynamicCastExpr *e) override {
    return report(Rule::DynamicCast, e->getBeginLoc());
  }
  bool VisitCXXNoexceptExpr(CXXNoexceptExpr *e) override { return report(Rule::Noexcept, e->getBeginLoc()); }
  bool VisitCXXNewExpr(CXXNewExpr *e) override {
    return (generic_ && e->getNumPlacementArgs()) || report(Rule::New, e->getBeginLoc());
  }
  bool VisitCXXDeleteExpr(CXXDeleteExpr *e) override { return report(Rule::Delete, e->getBeginLoc()); }
  bool VisitCXXThrowExpr(CXXThrowExpr *e) override { return report(Rule::Exception, e->getBeginLoc()); }
  bool VisitCXXTryStmt(CXXTryStmt *s) override { return report(Rule::Exception, s->getBeginLoc()); }

private:
  bool report(Rule rule, SourceLocation where, const NamedDecl *named) {
    return report(rule, where, named->getNameAsString());
  }
  bool report(Rule rule, SourceLocation where, const std::string &name = {}) {
    UserCodeVisitor::report(where, ids_[size_t(rule)], kTexts[size_t(rule)], name);
    return true;
  }

  // source: "invalid subexpression" and "invalid type 'long' for attribute index expression" of Apple's
  // compiler, as quoted in cristim/mslc. Clang's own attributes take no numbers but integers.
  void arguments(const AnnotateAttr *attribute, llvm::StringRef name) {
    const bool threads =
        name == "max_total_threads_per_threadgroup" || name == "required_threads_per_threadgroup";
    if (!threads && !isIndexed(name) && name != "function_constant")
      return;
    for (unsigned i = 0; i < attribute->args_size(); ++i) {
      const Expr *argument = annotationArgument(attribute, i);
      if (!argument || argument->isInstantiationDependent())
        continue;
      const QualType type = argument->getType().getCanonicalType();
      const bool wide =
          type->isBooleanType() || (type->isIntegerType() && !type->isEnumeralType() &&
                                    context_.getTypeSize(type) > context_.getTypeSize(context_.IntTy));
      if (isNoInteger(argument) || (wide && isIndexed(name)))
        report(threads ? Rule::ThreadsType : Rule::IndexType, attribute->getLocation(), name.str());
    }
  }

  // The members of an instantiated class but its functions, which are instantiations of their own.
  void dataOf(CXXRecordDecl *made) {
    for (Decl *member : made->decls())
      if (isa<FieldDecl, VarDecl, TypedefNameDecl>(member))
        TraverseDecl(member);
  }

  // The type that a template deduces also has a place, at which other words are written.
  bool isIntegerWord(SourceLocation where) const {
    SmallString<16> buffer;
    const llvm::StringRef word =
        Lexer::getSpelling(sources_.getSpellingLoc(where), buffer, sources_, LangOptions());
    return word == "long" || word == "unsigned" || word == "signed" || word == "int" || word == "__int128";
  }

  // --- pointers and references

  // In declarations of variables and parameters, `T *` with a template's parameter T counts as well.
  // Words that all declarators share end at `shared`.
  void pointers(TypeLoc type, SourceLocation where, const std::string &name, bool declares,
                SourceLocation shared = {}) {
    for (;;) {
      type = type.getUnqualifiedLoc();
      const auto step = stepInto(type);
      if (!step)
        return;
      const TypeLoc pointee = step->inner;
      const SourceLocation mark = step->mark;
      if (mark.isInvalid()) {
        type = step->inner;
        continue;
      }
      const QualType to = pointee.getType();
      if (to->isFunctionType())
        return;
      const bool parameter = declares && !type.getType()->isRValueReferenceType() && isParameter(to);
      // Apple's compiler accepts a reference to a pointer, `const device T *&x` in MLX, to an array of
      // pointers, `device T *(&x)[2]` from SPIRV-Cross, and a pointer to a pointer, `constant Material **x`
      // in Path-Tracer-in-MSL. What is referred to lies in thread memory.
      const bool toPointer = context_.getBaseElementType(to)->isPointerType();
      // What a template's parameter stands for in an instantiation: `T *` was seen in the template, and
      // `T &&` is allowed.
      const auto *given = instance() ? dyn_cast<SubstTemplateTypeParmType>(to.getTypePtr()) : nullptr;
      const bool free =
          (to->isDependentType() && !parameter) || to->getContainedDeducedType() || toPointer || given;
      // Not `thread const device T *`, which ships: the space must be that of T.
      if (given && declares && !(type.getAs<ReferenceTypeLoc>() && to.isConstQualified()) &&
          isNamed(context_.getBaseElementType(given->getReplacementType()).getAddressSpace()) &&
          isUsersText(mark) && threadWords_.before(mark) == ThreadWords::Word::Thread) {
        // Apple's compiler finds no such function where a parameter is of this kind.
        const SourceLocation call = callOfParameter(instance(), where);
        const bool atCall = isUsersText(call);
        inInstance(atCall ? nullptr : instance(),
                   [&] { report(Rule::ThreadSpace, atCall ? call : where, name); });
        return;
      }
      if (!free && !generic_ && context_.getBaseElementType(to).getAddressSpace() == LangAS::Default &&
          isUsersText(mark) && threadWords_.at(mark, shared, to) == ThreadWords::Word::None) {
        report(type.getAs<PointerTypeLoc>() ? Rule::PointerSpace : Rule::ReferenceSpace, where, name);
        return;
      }
      type = pointee;
    }
  }

  // A name alone does not instantiate the class whose assertion says this; Apple's header refuses the name,
  // too: mistral.rs, issue 1116.
  void elementOf(TemplateSpecializationTypeLoc name) {
    const CXXRecordDecl *record = name.getType()->getAsCXXRecordDecl();
    const auto element = matrixElement(record);
    const auto vector = vectorClass(record);
    if (element && !(*element)->isDependentType() && !(*element)->isRealFloatingType())
      report(Rule::MatrixElement, name.getTemplateNameLoc());
    if (vector && !vector->element->isDependentType() && !vector->element->isArithmeticType())
      report(Rule::VectorElement, name.getTemplateNameLoc());
  }

  // `thread auto *p = q`: what is deduced must not lie elsewhere.
  void deducedThread(const VarDecl *variable) {
    const QualType memory = variable->getType()->getPointeeType();
    if (memory.isNull() || !isNamed(context_.getBaseElementType(memory).getAddressSpace()) ||
        !variable->getTypeSourceInfo())
      return;
    const auto step = stepInto(variable->getTypeSourceInfo()->getTypeLoc());
    if (step && step->inner.getType()->getContainedDeducedType() && isUsersText(step->mark) &&
        threadWords_.before(step->mark) == ThreadWords::Word::Thread)
      report(Rule::ThreadAuto, variable->getLocation(), variable);
  }

  // Whether it is a template's parameter, and not the `auto` of a lambda's parameter.
  static bool isParameter(QualType type) {
    const auto *parameter = dyn_cast<TemplateTypeParmType>(type.getTypePtr());
    return parameter && parameter->getDecl() && !parameter->getDecl()->isImplicit();
  }

  void templateArgument(const TemplateArgumentLoc &argument) {
    if (instance() || argument.getArgument().getKind() != TemplateArgument::Type ||
        !argument.getTypeSourceInfo())
      return;
    pointers(argument.getTypeSourceInfo()->getTypeLoc(), argument.getLocation(),
             argument.getArgument().getAsType().getAsString(metalPolicy(context_)), false);
  }

  static bool isNamed(LangAS space) { return isThreadgroup(space) || isConstant(space) || isDevice(space); }

  // --- constant memory

  bool hasNoElement(QualType type) const {
    while (const ConstantArrayType *array = context_.getAsConstantArrayType(type)) {
      if (array->getZExtSize() == 0)
        return true;
      type = array->getElementType();
    }
    return false;
  }

  // Samplers and other classes of the library need no address space; nor, here, do lambdas, references and
  // variables that a template or a class declares.
  bool unplacedConstant(const VarDecl *variable, QualType element) {
    const CXXRecordDecl *record = element->getAsCXXRecordDecl();
    const bool plain =
        element->isScalarType() || (record && (vectorClass(record) || inUserFile(record->getLocation())));
    if (!plain || variable->getType()->isReferenceType() || (record && record->isLambda()))
      return true;
    if (variable->isFileVarDecl() && !variable->isStaticDataMember() &&
        !variable->getDescribedVarTemplate() && !isa<VarTemplateSpecializationDecl>(variable))
      return report(Rule::GlobalConst, variable->getLocation(), variable);
    return true;
  }

  // --- threadgroup memory

  void initialiser(const VarDecl *variable) {
    const Expr *init = variable->getInit();
    if (!init)
      return;
    if (init->isValueDependent() || variable->getType()->isDependentType())
      return;
    const auto *construction = dyn_cast<CXXConstructExpr>(init->IgnoreImplicit());
    if (construction && construction->getNumArgs() == 0 && doesNothing(construction->getConstructor())) {
      // Clang would call it once, and remember that in a variable which is in no memory of the kernel's.
      const_cast<VarDecl *>(variable)->setInit(nullptr);
      return;
    }
    SmallVector<PartialDiagnosticAt> notes;
    APValue value;
    if (init->EvaluateAsInitializer(value, context_, variable, notes, true) && isZero(value))
      return;
    report(Rule::ThreadgroupInitialiser, variable->getLocation(), variable);
  }

  // Builds of projects tell it: "MSL forbids declaring threadgroup arrays inside regular functions".
  // A lambda of a kernel counts as a part of the kernel.
  static bool isInHelper(const VarDecl &variable) {
    const auto *function = dyn_cast<FunctionDecl>(variable.getDeclContext());
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(function);
    if (!function || (method && method->getParent()->isLambda()))
      return false;
    for (const char *entry : {"kernel", "vertex", "fragment", "object", "mesh"})
      if (annotation(function, entry))
        return false;
    return true;
  }

  static bool doesNothing(const CXXConstructorDecl *constructor) {
    if (constructor->isTrivial())
      return true;
    const Stmt *body = constructor->getBody();
    for (const CXXCtorInitializer *init : constructor->inits()) {
      const auto *inner = dyn_cast<CXXConstructExpr>(init->getInit()->IgnoreImplicit());
      if (!inner || inner->getNumArgs() || !doesNothing(inner->getConstructor()))
        return false;
    }
    return body && isa<CompoundStmt>(body) && cast<CompoundStmt>(body)->body_empty();
  }

  ThreadWords &threadWords_;
  const bool generic_; ///< pointers without an address space are allowed
  std::array<unsigned, kTexts.size()> ids_;
};

} // namespace

void checkMetalRules(ASTContext &context, ThreadWords &words, const ViewFileSystem &files,
                     LanguageVersion language, const Declarations &declarations,
                     const std::vector<ClassTemplateSpecializationDecl *> &classes) {
  RuleChecker(context, words, files, language).run(declarations, classes);
}

void checkParameterSpaces(ASTContext &context, ThreadWords &words, const ViewFileSystem &files,
                          LanguageVersion language) {
  RuleChecker(context, words, files, language).parametersIn(*context.getTranslationUnitDecl());
}

} // namespace assay::frontend
