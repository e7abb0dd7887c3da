#include "frontend/version_rules.h"

#include "frontend/annotations.h"
#include "frontend/attributes.h"
#include "frontend/later_names.h"
#include "frontend/memory_spaces.h"
#include "frontend/resource_types.h"
#include "frontend/user_code.h"
#include "frontend/vector_classes.h"
#include "support/abi/slot_kinds.h"

#include <clang/AST/Attr.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>

#include <fmt/format.h>

namespace assay::frontend {
namespace {

using namespace clang;

struct Since {
  llvm::StringRef name;
  LanguageVersion version;
};

// As [[attributes]]: the words kernel, vertex and fragment are of every version. Where the version for iOS is
// later, or is not known, that of macOS counts. source: what Apple's compiler says, as collected in
// metal_attributes.csv of kagurasumusun/llvm-project (those with "diag" as their evidence).
constexpr Since kSince[] = {
    {"function_constant", LanguageVersion::Metal1_2},
    {"condition", LanguageVersion::Metal1_2}, // function_constant on an argument
    {"id", LanguageVersion::Metal2_0},
    {"early_fragment_tests", LanguageVersion::Metal1_2},
    {"builtin.thread_index_in_simdgroup", LanguageVersion::Metal2_0},
    {"builtin.simdgroup_index_in_threadgroup", LanguageVersion::Metal2_0},
    {"builtin.simdgroups_per_threadgroup", LanguageVersion::Metal2_0},
    {"raster_order_group", LanguageVersion::Metal2_0},
    {"viewport_array_index", LanguageVersion::Metal2_0},
    {"max_total_threads_per_threadgroup", LanguageVersion::Metal2_1},
    {"host_name", LanguageVersion::Metal2_2},
    {"amplification_id", LanguageVersion::Metal2_2},
    {"barycentric_coord", LanguageVersion::Metal2_2},
    {"primitive_id", LanguageVersion::Metal2_2},
    {"kernel", LanguageVersion::Metal2_3},
    {"vertex", LanguageVersion::Metal2_3},
    {"fragment", LanguageVersion::Metal2_3},
    {"visible", LanguageVersion::Metal2_3},
    {"stitchable", LanguageVersion::Metal2_3},
    {"payload", LanguageVersion::Metal2_3},
    {"object", LanguageVersion::Metal3_0},
    {"mesh", LanguageVersion::Metal3_0},
    {"required_threads_per_threadgroup", LanguageVersion::Metal4_0},
    {"user_annotation", LanguageVersion::Metal4_0},
};

// Whether memory of this type holds long or ulong. What a pointer in it leads to is other memory.
bool holdsLongs(QualType type) {
  type = type.getCanonicalType();
  if (type->isDependentType())
    return false;
  if (const auto *array = dyn_cast<ArrayType>(type.getTypePtr()))
    return holdsLongs(array->getElementType());
  if (const auto *vector = dyn_cast<VectorType>(type.getTypePtr()))
    return holdsLongs(vector->getElementType());
  if (const auto *record = type->getAsCXXRecordDecl()) {
    if (!record->hasDefinition())
      return false;
    const auto inBase = [](const CXXBaseSpecifier &base) { return holdsLongs(base.getType()); };
    const auto inField = [](const FieldDecl *field) { return holdsLongs(field->getType()); };
    return llvm::any_of(record->bases(), inBase) || llvm::any_of(record->fields(), inField);
  }
  return type->isSpecificBuiltinType(BuiltinType::Long) || type->isSpecificBuiltinType(BuiltinType::ULong);
}

// What a pointer or a reference of a kernel leads to; null if that is no buffer.
QualType bufferOf(QualType parameter) {
  const QualType memory = parameter->getPointeeType();
  if (memory.isNull())
    return {};
  return isDevice(memory.getAddressSpace()) || isConstant(memory.getAddressSpace()) ? memory : QualType();
}

// Of an iOS device before Metal 2.0.
constexpr SlotKindInfo kFirstTextureSlots = {slotsOf(SlotKind::Texture).attribute, 31};

class VersionRulesChecker : public UserCodeVisitor {
public:
  VersionRulesChecker(ASTContext &context, const ViewFileSystem &files, LanguageVersion asked, bool ios)
      : UserCodeVisitor(context, files), asked_(asked), ios_(ios) {}
  void run(const Declarations &declarations) {
    visitUsers();
    visitInstantiations(declarations); // host_name
  }

  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    if (asked_ < LanguageVersion::Metal3_2 && isUsersText(lambda->getBeginLoc()))
      report(lambda->getBeginLoc(), "lambda expressions need Metal 3.2 or later");
    return UserCodeVisitor::TraverseLambdaExpr(lambda);
  }

  bool VisitCXXRecordDecl(CXXRecordDecl *record) override {
    if (asked_ < LanguageVersion::Metal1_2 && record->isUnion() && record->isThisDeclarationADefinition() &&
        isUsersText(record->getLocation()))
      report(record->getLocation(), "unions need Metal 1.2 or later");
    return true;
  }

  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (asked_ < LanguageVersion::Metal2_3 && annotation(function, "kernel"))
      for (const ParmVarDecl *parameter : function->parameters())
        if (const QualType memory = bufferOf(parameter->getType()); !memory.isNull() && holdsLongs(memory))
          report(parameter->getLocation(), "a buffer with long or ulong needs Metal 2.3 or later");
    return true;
  }

  bool VisitVarDecl(VarDecl *variable) override {
    const QualType type = variable->getType();
    const auto needs = [&](LanguageVersion version, llvm::StringRef what) {
      if (asked_ < version && isUsersText(variable->getLocation()))
        report(variable->getLocation(),
               fmt::format("{} needs Metal {} or later", what.str(), versionText(version)));
    };
    const QualType target = type->getPointeeType();
    if (type->isMemberFunctionPointerType() || (type->isPointerType() && target->isFunctionType()))
      needs(LanguageVersion::Metal2_1, "a pointer to a function");
    if (const auto *parameter = dyn_cast<ParmVarDecl>(variable)) {
      if (ios_ && asked_ < LanguageVersion::Metal2_0)
        textureSlots(parameter);
      return true;
    }
    if (isGlobalBinding(variable) && builtinOf(variable))
      needs(LanguageVersion::Metal3_1, "an attribute of threads at program scope");
    const QualType element = context_.getBaseElementType(type);
    if (isThreadgroup(element.getAddressSpace()) && matrixElement(element->getAsCXXRecordDecl()))
      needs(LanguageVersion::Metal3_0, "a matrix in threadgroup memory");
    return true;
  }

  bool VisitDecl(Decl *decl) override {
    for (const auto *attribute : decl->specific_attrs<AnnotateAttr>()) {
      llvm::StringRef name = attribute->getAnnotation();
      if (!name.consume_front(llvm::StringRef(kAnnotationPrefix.data(), kAnnotationPrefix.size())))
        continue;
      for (const Since &row : kSince)
        if (row.name == name && asked_ < row.version && isUsersText(attribute->getLocation()))
          report(
              attribute->getLocation(),
              fmt::format("[[{}]] needs Metal {} or later",
                          name == "condition" ? "function_constant" : name.substr(name.rfind('.') + 1).str(),
                          versionText(row.version)));
      if (name == "host_name" && asked_ == LanguageVersion::Metal2_2 && isUsersText(attribute->getLocation()))
        if (const auto *text = dyn_cast_or_null<StringLiteral>(annotationArgument(attribute, 0));
            text && text->getString().empty())
          report(attribute->getLocation(), "an empty [[host_name]] needs Metal 2.3 or later");
    }
    return true;
  }

private:
  void textureSlots(const ParmVarDecl *parameter) {
    const AnnotateAttr *attribute = annotation(parameter, kFirstTextureSlots.attribute);
    const auto index = attribute ? annotationInteger(context_, attribute, 0) : std::nullopt;
    if (!index)
      return;
    const Handles handles = handlesOf(parameter->getType());
    const uint32_t count = handles ? handles.count : 1;
    if (!kFirstTextureSlots.has(*index, count))
      report(attribute->getLocation(), slotOutOfRange(kFirstTextureSlots, *index, count) +
                                           ": Metal on iOS has more from version 2.0 on");
  }

  LanguageVersion asked_;
  bool ios_;
};

} // namespace

void checkVersion(clang::Sema &sema, const ViewFileSystem &files, LanguageVersion asked,
                  const Declarations &declarations) {
  const bool ios = sema.getPreprocessor().isMacroDefined(kIosMacro);
  if (asked != LanguageVersion::Any && asked < LanguageVersion::Metal4_0)
    VersionRulesChecker(sema.Context, files, asked, ios).run(declarations);
}

} // namespace assay::frontend
