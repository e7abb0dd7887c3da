#include "frontend/metal_rules.h"

#include "frontend/annotations.h"
#include "frontend/attributes.h"
#include "frontend/tokens.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace assay::frontend {
namespace {

using namespace clang;

// source: MSL specification 4, section 1.5.4 (what of C++ Metal does not have), chapter 4 (address spaces), and 4.5.
enum class Rule : unsigned char {
  PointerSpace,
  ReferenceSpace,
  GlobalSpace,
  StaticLocal,
  ThreadgroupGlobal,
  ThreadgroupInitialiser,
  ThreadLocal,
  VariableLength,
  Goto,
  Virtual,
  VirtualBase,
  New,
  Delete,
  Exception,
  ObjectSpace,
  Misspelt,
  Count
};

// %0 is a name.
constexpr std::array<const char *, size_t(Rule::Count)> kTexts = {
    "pointer type of '%0' has no address space: write device, constant, threadgroup or thread",
    "reference type of '%0' has no address space: write device, constant, threadgroup or thread",
    "program-scope variable '%0' must be constant: Metal has no mutable variables outside of functions",
    "static variable '%0' must be constant: Metal has no mutable static variables",
    "threadgroup variable '%0' must be declared in a kernel, not at program scope",
    "threadgroup variable '%0' cannot have an initialiser other than zero: threadgroup memory holds what was "
    "there before; assign to it, and put a barrier before it is read",
    "'%0' cannot be thread_local: Metal has no thread-local storage",
    "array '%0' must have a size that is known when it is compiled: Metal has no variable-length arrays",
    "goto is not supported in Metal",
    "'%0' cannot be virtual: Metal has no virtual functions",
    "'%0' cannot have a virtual base class: Metal has none",
    "new is not supported in Metal",
    "delete is not supported in Metal",
    "exceptions are not supported in Metal",
    "'%0' is not declared for an object in this address space: none of its overloads is",
    "unknown attribute '%0'",
};

bool isThreadgroup(LangAS space) {
  return space == LangAS::sycl_local || space == LangAS::opencl_local;
}

bool isZero(const APValue &value) {
  switch (value.getKind()) {
  case APValue::None:
  case APValue::Indeterminate:
    return true;
  case APValue::Int:
    return value.getInt() == 0;
  case APValue::Float:
    return value.getFloat().isPosZero();
  case APValue::Vector:
    for (unsigned i = 0; i < value.getVectorLength(); ++i)
      if (!isZero(value.getVectorElt(i)))
        return false;
    return true;
  case APValue::Array:
    for (unsigned i = 0; i < value.getArrayInitializedElts(); ++i)
      if (!isZero(value.getArrayInitializedElt(i)))
        return false;
    return !value.hasArrayFiller() || isZero(value.getArrayFiller());
  case APValue::Struct:
    for (unsigned i = 0; i < value.getStructNumBases(); ++i)
      if (!isZero(value.getStructBase(i)))
        return false;
    for (unsigned i = 0; i < value.getStructNumFields(); ++i)
      if (!isZero(value.getStructField(i)))
        return false;
    return true;
  case APValue::Union:
    return isZero(value.getUnionValue());
  default:
    return false;
  }
}

class RuleChecker : public RecursiveASTVisitor<RuleChecker> {
public:
  RuleChecker(ASTContext &context, Preprocessor &preprocessor, const ViewFileSystem &files)
      : context_(context), preprocessor_(preprocessor), sources_(context.getSourceManager()), files_(files) {
    for (size_t i = 0; i < kTexts.size(); ++i)
      ids_[i] = context.getDiagnostics().getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Error, kTexts[i]);
  }

  bool shouldVisitTemplateInstantiations() const { return instantiations_; }

  void run() {
    users();
    if (!dependentInitialiser_)
      return;
    instantiations_ = true;
    users();
  }

  bool VisitDeclaratorDecl(DeclaratorDecl *decl) {
    if (instantiations_ || decl->isImplicit() || !decl->getTypeSourceInfo())
      return true;
    TypeLoc type = decl->getTypeSourceInfo()->getTypeLoc();
    if (const auto function = isa<FunctionDecl>(decl) ? type.getAsAdjusted<FunctionTypeLoc>() : FunctionTypeLoc())
      type = function.getReturnLoc();
    pointers(type, decl);
    return true;
  }

  bool VisitDecl(Decl *decl) {
    for (const auto *attribute : decl->specific_attrs<AnnotateAttr>()) {
      const llvm::StringRef text = attribute->getAnnotation();
      if (!text.starts_with(llvm::StringRef(kMisspeltPrefix.data(), kMisspeltPrefix.size())) || instantiations_)
        continue;
      const auto [written, meant] = text.substr(kMisspeltPrefix.size()).split(' ');
      report(Rule::Misspelt, attribute->getLocation(), (written + "'; did you mean '" + meant).str());
    }
    return true;
  }

  bool VisitVarDecl(VarDecl *variable) {
    if (variable->isImplicit() || isa<ParmVarDecl>(variable) || !isUsersText(variable->getLocation()))
      return true;
    const QualType element = context_.getBaseElementType(variable->getType());
    const LangAS space = element.getAddressSpace();
    if (isThreadgroup(space))
      initialiser(variable);
    if (instantiations_)
      return true;
    if (variable->getTSCSpec() != TSCS_unspecified)
      return report(Rule::ThreadLocal, variable->getLocation(), variable);
    if (variable->getType()->isVariableArrayType())
      return report(Rule::VariableLength, variable->getLocation(), variable);
    if (isThreadgroup(space) && variable->isFileVarDecl())
      return report(Rule::ThreadgroupGlobal, variable->getLocation(), variable);
    const bool fixed = element.isConstQualified() || variable->isConstexpr() || variable->getType()->isReferenceType();
    if (space != LangAS::Default || fixed || element->isDependentType() || !variable->hasGlobalStorage())
      return true;
    return report(variable->isStaticLocal() ? Rule::StaticLocal : Rule::GlobalSpace, variable->getLocation(), variable);
  }

  bool VisitFunctionDecl(FunctionDecl *function) {
    if (!instantiations_ && function->isVirtualAsWritten())
      report(Rule::Virtual, function->getLocation(), function);
    return true;
  }
  bool VisitCXXRecordDecl(CXXRecordDecl *record) {
    if (!instantiations_ && record->isThisDeclarationADefinition())
      for (const CXXBaseSpecifier &base : record->bases())
        if (base.isVirtual())
          report(Rule::VirtualBase, base.getBeginLoc(), record);
    return true;
  }
  bool VisitGotoStmt(GotoStmt *s) { return report(Rule::Goto, s->getBeginLoc()); }
  bool VisitIndirectGotoStmt(IndirectGotoStmt *s) { return report(Rule::Goto, s->getBeginLoc()); }
  bool VisitCXXNewExpr(CXXNewExpr *e) { return report(Rule::New, e->getBeginLoc()); }
  bool VisitCXXDeleteExpr(CXXDeleteExpr *e) { return report(Rule::Delete, e->getBeginLoc()); }
  bool VisitCXXThrowExpr(CXXThrowExpr *e) { return report(Rule::Exception, e->getBeginLoc()); }
  bool VisitCXXTryStmt(CXXTryStmt *s) { return report(Rule::Exception, s->getBeginLoc()); }

  // See method_spaces.h: Clang lets an object in thread memory call the functions of every space.
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *call) {
    object(call->getImplicitObjectArgument(), call->getMethodDecl());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) {
    if (const auto *method = dyn_cast_or_null<CXXMethodDecl>(call->getCalleeDecl()); method && call->getNumArgs())
      object(call->getArg(0), method);
    return true;
  }

private:
  void users() {
    for (Decl *decl : context_.getTranslationUnitDecl()->noload_decls()) // none of a precompiled shim's
      if (inUserFile(decl->getLocation()))
        TraverseDecl(decl);
  }

  bool inUserFile(SourceLocation where) const {
    return where.isValid() && files_.view(sources_.getFilename(sources_.getFileLoc(where))) != nullptr;
  }

  // Not the text of a macro of the shim's.
  bool isUsersText(SourceLocation where) const {
    return files_.view(sources_.getFilename(sources_.getSpellingLoc(where))) != nullptr;
  }

  bool report(Rule rule, SourceLocation where, const NamedDecl *named) {
    return report(rule, where, named->getNameAsString());
  }
  bool report(Rule rule, SourceLocation where, const std::string &name = {}) {
    // Once for what a template, a list of declarators or a macro says several times.
    if (seen_.insert({rule, sources_.getFileLoc(where)}).second)
      context_.getDiagnostics().Report(where, ids_[size_t(rule)]) << name;
    return true;
  }

  // --- pointers and references

  void pointers(TypeLoc type, const DeclaratorDecl *decl) {
    for (;;) {
      type = type.getUnqualifiedLoc();
      TypeLoc pointee;
      SourceLocation mark;
      if (const auto paren = type.getAs<ParenTypeLoc>())
        type = paren.getInnerLoc();
      else if (const auto attributed = type.getAs<AttributedTypeLoc>())
        type = attributed.getModifiedLoc();
      else if (const auto fromMacro = type.getAs<MacroQualifiedTypeLoc>())
        type = fromMacro.getInnerLoc();
      else if (const auto array = type.getAs<ArrayTypeLoc>())
        type = array.getElementLoc();
      else if (const auto pointer = type.getAs<PointerTypeLoc>())
        pointee = pointer.getPointeeLoc(), mark = pointer.getStarLoc();
      else if (const auto reference = type.getAs<ReferenceTypeLoc>())
        pointee = reference.getPointeeLoc(), mark = reference.getSigilLoc();
      else
        return;
      if (pointee.isNull())
        continue;
      const QualType to = pointee.getType();
      if (to->isFunctionType())
        return;
      const bool free = to->isDependentType() || to->getContainedDeducedType();
      if (!free && context_.getBaseElementType(to).getAddressSpace() == LangAS::Default && isUsersText(mark) &&
          !threadBefore(mark)) {
        report(type.getAs<PointerTypeLoc>() ? Rule::PointerSpace : Rule::ReferenceSpace, decl->getLocation(), decl);
        return;
      }
      type = pointee;
    }
  }

  // Do the words before a `*` or `&` hold `thread`, or a macro that may?
  bool threadBefore(SourceLocation mark) {
    mark = sources_.getSpellingLoc(mark);
    const auto [file, offset] = sources_.getDecomposedLoc(mark);
    std::vector<RawToken> &tokens = tokens_[file];
    if (tokens.empty()) {
      const llvm::StringRef text = sources_.getBufferData(file);
      tokens = lexRaw(std::string_view(text.data(), text.size()));
    }
    size_t i = size_t(std::lower_bound(tokens.begin(), tokens.end(), offset,
                                       [](const RawToken &t, uint32_t at) { return t.offset < at; }) -
                      tokens.begin());
    int depth = 0;
    while (i-- > 0) {
      const RawToken &t = tokens[i];
      if (t.is(")") || t.is(">") || t.is("]"))
        ++depth;
      else if (t.is(">>"))
        depth += 2;
      else if (t.is("(") || t.is("<") || t.is("[")) {
        if (--depth < 0 && !t.is("("))
          return false;
        if (depth < 0) // `T (&x)[4]`, or the list of parameters
          if (depth = 0; i == 0 || tokens[i - 1].kind != TokenKind::Identifier || !tokens[i + 1].is("&"))
            return false;
      } else if (depth == 0 && t.kind == TokenKind::Identifier) {
        if (t.is("thread") || isMacro(t.text))
          return true;
      } else if (depth == 0 && !t.is("::") && !t.is("*") && !t.is("&")) {
        return false;
      }
    }
    return false;
  }

  bool isMacro(std::string_view word) const {
    const IdentifierInfo *identifier =
        preprocessor_.getIdentifierInfo(llvm::StringRef(word.data(), word.size()));
    if (!identifier->hadMacroDefinition())
      return false;
    const llvm::StringRef shim(kShimRoot.data(), kShimRoot.size());
    for (const MacroDirective *d = preprocessor_.getLocalMacroDirectiveHistory(identifier); d; d = d->getPrevious())
      if (const auto *definition = dyn_cast<DefMacroDirective>(d))
        if (!sources_.getFilename(definition->getInfo()->getDefinitionLoc()).starts_with(shim))
          return true;
    return false;
  }

  // --- threadgroup memory

  void initialiser(const VarDecl *variable) {
    const Expr *init = variable->getInit();
    if (!init)
      return;
    if (init->isValueDependent() || variable->getType()->isDependentType()) {
      dependentInitialiser_ = true;
      return;
    }
    const auto *construction = dyn_cast<CXXConstructExpr>(init->IgnoreImplicit());
    if (construction && construction->getNumArgs() == 0 && doesNothing(construction->getConstructor()))
      return;
    SmallVector<PartialDiagnosticAt> notes;
    APValue value;
    if (init->EvaluateAsInitializer(value, context_, variable, notes, true) && isZero(value))
      return;
    report(Rule::ThreadgroupInitialiser, variable->getLocation(), variable);
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

  // --- members of address spaces

  void object(const Expr *object, const CXXMethodDecl *method) {
    if (!object || !method || method->isStatic())
      return;
    const LangAS wanted = method->getMethodQualifiers().getAddressSpace();
    if (wanted == LangAS::Default || isPtrSizeAddressSpace(wanted))
      return;
    const Expr *written = object->IgnoreParenImpCasts();
    QualType type = written->getType();
    if (type->isPointerType())
      type = type->getPointeeType();
    if (type.getAddressSpace() != wanted && !type->isDependentType())
      report(Rule::ObjectSpace, object->getExprLoc(), method);
  }

  ASTContext &context_;
  Preprocessor &preprocessor_;
  SourceManager &sources_;
  const ViewFileSystem &files_;
  std::array<unsigned, kTexts.size()> ids_;
  std::map<FileID, std::vector<RawToken>> tokens_;
  std::set<std::pair<Rule, SourceLocation>> seen_;
  bool dependentInitialiser_ = false;
  bool instantiations_ = false;
};

} // namespace

void checkMetalRules(ASTContext &context, Preprocessor &preprocessor, const ViewFileSystem &files) {
  RuleChecker(context, preprocessor, files).run();
}

} // namespace assay::frontend
