#include "frontend/method_spaces.h"

#include "frontend/annotations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/ParsedAttrInfo.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Sema/ParsedAttr.h>
#include <clang/Sema/Sema.h>
#include <llvm/ADT/DenseSet.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

namespace assay::frontend {
namespace {

using namespace clang;

constexpr LangAS kThread = LangAS::ptr64;

struct Space {
  std::string_view word;
  LangAS space;
};
constexpr std::array kSpaces = {Space{"threadgroup_imageblock", LangAS::sycl_local},
                                Space{"ray_data", LangAS::sycl_private},
                                Space{"object_data", LangAS::sycl_global},
                                Space{"device", LangAS::sycl_global_device},
                                Space{"constant", LangAS::sycl_global_host},
                                Space{"threadgroup", LangAS::sycl_local},
                                Space{"thread", kThread}};

const Space *spaceOf(const CXXMethodDecl *method) {
  if (!method->hasAttr<AnnotateAttr>())
    return nullptr;
  for (const Space &row : kSpaces)
    if (annotation(method, fmt::format("method.{}", row.word)))
      return &row;
  return nullptr;
}

CXXMethodDecl *methodOf(Decl *decl) {
  if (auto *tmpl = dyn_cast<FunctionTemplateDecl>(decl))
    decl = tmpl->getTemplatedDecl();
  return dyn_cast<CXXMethodDecl>(decl);
}

// `thread S &operator=(const thread S &) thread = default`: Clang requires a result in the object's space.
QualType resultOf(const CXXMethodDecl *method, QualType result, LangAS space) {
  const auto *reference = result->getAs<LValueReferenceType>();
  if (!method->isExplicitlyDefaulted() || !reference || reference->getPointeeType().hasAddressSpace())
    return result;
  ASTContext &context = method->getASTContext();
  return context.getLValueReferenceType(
      context.getAddrSpaceQualType(reference->getPointeeTypeAsWritten(), space));
}

// A member function of constant objects can be called on any of them: nothing there can be changed.
void addSpace(Qualifiers &qualifiers, const CXXMethodDecl *method, LangAS space) {
  qualifiers.addAddressSpace(space);
  if (space == LangAS::sycl_global_host && !isa<CXXConstructorDecl>(method))
    qualifiers.addConst();
}

// Sets the space in the type and in the written type, from which templates make instantiations.
void setSpace(CXXMethodDecl *method, LangAS space) {
  const auto *type = method->getType()->getAs<FunctionProtoType>();
  if (!type || method->isStatic() || type->getMethodQuals().hasAddressSpace())
    return;
  ASTContext &context = method->getASTContext();
  FunctionProtoType::ExtProtoInfo info = type->getExtProtoInfo();
  addSpace(info.TypeQuals, method, space);
  method->setType(
      context.getFunctionType(resultOf(method, type->getReturnType(), space), type->getParamTypes(), info));

  TypeSourceInfo *written = method->getTypeSourceInfo();
  const auto *writtenType = written ? dyn_cast<FunctionProtoType>(written->getType().getTypePtr()) : nullptr;
  if (!writtenType)
    return;
  info = writtenType->getExtProtoInfo();
  addSpace(info.TypeQuals, method, space);
  TypeSourceInfo *qualified = context.CreateTypeSourceInfo(context.getFunctionType(
      resultOf(method, writtenType->getReturnType(), space), writtenType->getParamTypes(), info));
  // The locations of a function type also fit a type that differs only in qualifiers.
  qualified->getTypeLoc().initializeFullCopy(
      TypeLoc(qualified->getType(), written->getTypeLoc().getOpaqueData()));
  method->setTypeSourceInfo(qualified);
}

// A function of thread memory by its overloads gets what the word `thread` brings in the source view.
void setThreadByOverloads(CXXMethodDecl *method, LangAS space = kThread) {
  ASTContext &context = method->getASTContext();
  for (size_t n = 0; n < enableIfsOf("thread"); ++n)
    method->addAttr(EnableIfAttr::CreateImplicit(
        context, CXXBoolLiteralExpr::Create(context, true, context.BoolTy, method->getLocation()), ""));
  setSpace(method, space);
}

constexpr llvm::StringLiteral kTwin = "assay.twin";
// For Clang it is narrower than the default space, so that a twin is better than its function. Of the
// functions for other spaces neither is narrower than the other.
constexpr LangAS kTwinSpace = LangAS::sycl_private;

bool canHaveTwin(const CXXMethodDecl *method) {
  const auto hasDefault = [](const ParmVarDecl *parameter) { return parameter->hasDefaultArg(); };
  return !method->isDependentContext() && !method->getInstantiatedFromMemberFunction() &&
         !method->isStatic() && !method->isConstexpr() && !method->isVariadic() &&
         !method->getReturnType()->getContainedDeducedType() && !isa<CXXConversionDecl>(method) &&
         method->getOverloadedOperator() != OO_Equal && llvm::none_of(method->parameters(), hasDefault);
}

// What Clang takes for objects in thread memory, in place of the function.
void addTwin(Sema &sema, CXXMethodDecl *method) {
  ASTContext &context = method->getASTContext();
  const SourceLocation where = method->getLocation();
  auto *twin =
      CXXMethodDecl::Create(context, method->getParent(), where, method->getNameInfo(), method->getType(),
                            method->getTypeSourceInfo(), SC_None, method->UsesFPIntrin(), /*isInline=*/false,
                            ConstexprSpecKind::Unspecified, where);
  llvm::SmallVector<ParmVarDecl *> parameters;
  for (const ParmVarDecl *parameter : method->parameters())
    parameters.push_back(ParmVarDecl::Create(
        context, twin, parameter->getLocation(), parameter->getLocation(), parameter->getIdentifier(),
        parameter->getType(), parameter->getTypeSourceInfo(), SC_None, nullptr));
  twin->setParams(parameters);
  twin->setAccess(method->getAccess());
  twin->setImplicit();
  twin->addAttr(AnnotateAttr::CreateImplicit(context, kTwin, nullptr, 0));
  setThreadByOverloads(twin, kTwinSpace);
  if (Scope *scope = sema.getScopeForContext(method->getParent())) // the bodies are not read yet
    sema.PushOnScopeChains(twin, scope, /*AddToContext=*/false);
  method->getParent()->addDecl(twin);
}

// For definitions outside of classes.
struct MethodSpaceAttribute : ParsedAttrInfo {
  MethodSpaceAttribute() {
    static constexpr Spelling kSpellings[] = {{AttributeCommonInfo::AS_GNU, kMethodSpaceAttribute.data()}};
    Spellings = kSpellings;
  }
  AttrHandling handleDeclAttribute(Sema &, Decl *decl, const ParsedAttr &) const override {
    CXXMethodDecl *method = methodOf(decl);
    const Space *row = method && method->isOutOfLine() ? spaceOf(method) : nullptr;
    if (row)
      for (NamedDecl *declared : method->getParent()->lookup(method->getDeclName()))
        if (const CXXMethodDecl *other = methodOf(declared);
            other && spaceOf(other) == row && other->getMethodQualifiers().hasAddressSpace()) {
          setSpace(method, other->getMethodQualifiers().getAddressSpace());
          break;
        }
    return AttributeApplied;
  }
};
const ParsedAttrInfoRegistry::Add<MethodSpaceAttribute> kRegistered(kMethodSpaceAttribute.data(), "");

} // namespace

void MethodSpaces::CompletedTagDefinition(const TagDecl *tag) {
  const auto *record = dyn_cast<CXXRecordDecl>(tag);
  if (!record)
    return;
  std::vector<CXXMethodDecl *> methods;
  llvm::DenseSet<DeclarationName> overloaded; // by a space other than thread
  for (Decl *decl : record->decls())
    if (CXXMethodDecl *method = methodOf(decl)) {
      methods.push_back(method);
      if (const Space *row = spaceOf(method); row && row->space != kThread)
        overloaded.insert(method->getDeclName());
    }
  if (overloaded.empty())
    return;
  const auto others = [&](const CXXMethodDecl *method, auto isMeant) {
    return llvm::any_of(methods, [&](const CXXMethodDecl *other) {
      return other != method && other->getDeclName() == method->getDeclName() && isMeant(other);
    });
  };
  const auto hasSpace = [](const CXXMethodDecl *method, LangAS space) {
    const Space *row = spaceOf(method);
    return row && row->space == space;
  };
  // A function without a space, and the one of thread memory with the same type.
  const auto isPair = [&](const CXXMethodDecl *method, const CXXMethodDecl *forThread) {
    return twins_ && !method->isImplicit() && !spaceOf(method) && hasSpace(forThread, kThread) &&
           !method->isDependentContext() && !method->getInstantiatedFromMemberFunction() &&
           differInObjectAlone(*method, *forThread);
  };
  for (CXXMethodDecl *method : methods) {
    const Space *row = spaceOf(method);
    if (isa<CXXConstructorDecl>(method)) {
      if (row && row->space == kThread)
        method->dropAttr<EnableIfAttr>();
      else if (row)
        setSpace(method, row->space);
      continue;
    }
    if (row)
      setSpace(method,
               others(method, [&](auto *other) { return isPair(other, method); }) ? kTwinSpace : row->space);
    else if (method->isImplicit() || !overloaded.contains(method->getDeclName()) ||
             others(method, [&](auto *other) { return isPair(method, other); }))
      continue;
    else if (twins_ && canHaveTwin(method) && !others(method, [&](auto *other) {
               return hasSpace(other, kThread) || hasSpace(other, kTwinSpace);
             }))
      addTwin(*twins_, method);
    else
      setThreadByOverloads(method);
  }
}

bool differInObjectAlone(const CXXMethodDecl &a, const CXXMethodDecl &b) {
  return a.isConst() == b.isConst() && a.isVolatile() == b.isVolatile() &&
         !a.getReturnType()->getContainedDeducedType() &&
         a.getASTContext().hasSameType(a.getReturnType(), b.getReturnType()) &&
         llvm::equal(a.parameters(), b.parameters(), [&](const ParmVarDecl *x, const ParmVarDecl *y) {
           return a.getASTContext().hasSameType(x->getType(), y->getType());
         });
}

CXXMethodDecl *twinOf(const FunctionDecl *function) {
  const auto *twin = dyn_cast_or_null<CXXMethodDecl>(function);
  if (!twin || !twin->isImplicit() || !annotation(twin, "twin"))
    return nullptr;
  for (NamedDecl *declared : twin->getParent()->lookup(twin->getDeclName()))
    if (auto *method = dyn_cast<CXXMethodDecl>(declared);
        method && !method->isImplicit() && !spaceOf(method) && differInObjectAlone(*method, *twin))
      return method;
  return nullptr;
}

void declareAssignments(Sema &sema, const TagDecl *tag) {
  auto *record = dyn_cast<CXXRecordDecl>(const_cast<TagDecl *>(tag));
  if (!record || record->isDependentContext() || record->isInvalidDecl())
    return;
  const DeclarationName name = sema.Context.DeclarationNames.getCXXOperatorName(OO_Equal);
  const bool overloaded = llvm::any_of(record->decls(), [&](Decl *decl) {
    const CXXMethodDecl *method = methodOf(decl);
    return method && method->getDeclName() == name && spaceOf(method) && spaceOf(method)->space != kThread;
  });
  if (!overloaded)
    return;
  const auto declare = [&](CXXMethodDecl *(Sema::*make)(CXXRecordDecl *)) {
    CXXMethodDecl *any = (sema.*make)(record);
    if (!any || any->isDeleted() || !any->isTrivial())
      return;
    // For Clang, each of the two is better than the other for an object in thread memory, and it takes the
    // one that was declared last. Two of one type would be an error.
    const QualType plain = any->getType();
    setSpace(any, LangAS::opencl_generic);
    if (CXXMethodDecl *ofThread = (sema.*make)(record))
      setThreadByOverloads(ofThread);
    any->setType(plain);
  };
  if (record->needsImplicitCopyAssignment())
    declare(&Sema::DeclareImplicitCopyAssignment);
  if (record->needsImplicitMoveAssignment())
    declare(&Sema::DeclareImplicitMoveAssignment);
}

void makeThreadSpacePlain(TargetInfo &target) {
  // The pointer to the table is protected; a derived class can access it.
  struct Open : TargetInfo {
    static const LangASMap *TargetInfo::*map() { return &Open::AddrSpaceMap; }
  };
  static const auto table = [&] {
    struct Copy {
      LangASMap map;
    } copy;
    std::copy(std::begin(target.getAddressSpaceMap()), std::end(target.getAddressSpaceMap()), copy.map);
    copy.map[unsigned(kThread)] = copy.map[unsigned(LangAS::Default)];
    return copy;
  }();
  target.*Open::map() = &table.map;
}

} // namespace assay::frontend
