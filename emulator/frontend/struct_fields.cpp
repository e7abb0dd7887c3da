#include "frontend/struct_fields.h"

#include "frontend/annotations.h"
#include "frontend/diagnostics.h"
#include "frontend/memory_spaces.h"
#include "frontend/resource_types.h"
#include "frontend/vector_classes.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>

#include <fmt/format.h>

#include <tuple>

namespace assay::frontend {
namespace {

using namespace clang;

const CXXRecordDecl *definitionOf(QualType type) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && record->hasDefinition() ? record->getDefinition() : nullptr;
}

// As the user would write it: arguments of templates are written with their namespace.
std::string withoutMetal(std::string text) {
  constexpr std::string_view kSpace = "metal::";
  for (size_t at = text.find(kSpace); at != text.npos; at = text.find(kSpace, at)) {
    const bool begins = at == 0 || !(isalnum(static_cast<unsigned char>(text[at - 1])) ||
                                     text[at - 1] == '_' || text[at - 1] == ':');
    if (begins)
      text.erase(at, kSpace.size());
    else
      at += kSpace.size();
  }
  return text;
}

class Leaves {
public:
  Leaves(const ASTContext &context, StructFields &structs, StructInfo &info)
      : context_(context), structs_(structs), info_(info) {}

  void add(const CXXRecordDecl *record, const FieldInfo &at) {
    if (!info_.unsupported.empty() || ++visited_ > StructFields::kMostFields)
      return refuse(fmt::format("more than {} fields", StructFields::kMostFields));
    const ASTRecordLayout &layout = context_.getASTRecordLayout(record);
    for (const CXXBaseSpecifier &base : record->bases())
      if (const CXXRecordDecl *inner = definitionOf(base.getType()); inner && !base.isVirtual())
        add(inner, moved(at, layout.getBaseClassOffset(inner).getQuantity()));
    for (const FieldDecl *field : record->fields()) {
      FieldInfo inside = moved(at, layout.getFieldOffset(field->getFieldIndex()) / 8);
      const bool unnamed = field->getName().empty(); // of an anonymous struct or union: its fields are ours
      if (!unnamed)
        inside.name += (at.name.empty() ? "" : ".") + field->getNameAsString();
      if (field->isBitField()) {
        if (!unnamed)
          refuse(fmt::format("the bit-field '{}'", inside.name));
        continue;
      }
      type(field->getType(), std::move(inside));
    }
  }

private:
  static FieldInfo moved(FieldInfo at, uint64_t bytes) {
    at.offset += uint32_t(bytes);
    return at;
  }
  uint64_t bytesOf(QualType type) const { return context_.getTypeSizeInChars(type).getQuantity(); }

  void refuse(std::string why) {
    if (info_.unsupported.empty())
      info_.unsupported = std::move(why);
  }

  void extent(FieldInfo &at, uint64_t count, uint64_t bytes) {
    at.name += "[]";
    at.extents.push_back({uint32_t(count), uint32_t(bytes)});
  }

  void type(QualType given, FieldInfo at) {
    if (!info_.unsupported.empty())
      return;
    const QualType type = given.getCanonicalType().getUnqualifiedType();
    if (const auto *array = context_.getAsConstantArrayType(type)) {
      extent(at, array->getZExtSize(), bytesOf(array->getElementType()));
      // An array's element keeps the names of the source.
      const auto *written = context_.getAsConstantArrayType(given);
      return this->type((written ? written : array)->getElementType(), std::move(at));
    }
    if (at.spelling.empty())
      at.spelling =
          withoutMetal(metalSpelling(given.getUnqualifiedType().getAsString(metalPolicy(context_))));
    if (type->isPointerType() || type->isReferenceType()) {
      at.pointee = pointee(type->getPointeeType());
      return leaf(std::move(at), FieldKind::Address, ScalarType::ULong);
    }
    std::optional<TensorUse> tensor = hostTensorOf(type);
    if (const Handles handles = handlesOf(type);
        (handles && handles.count == 1) || isFunctionTable(type) || tensor) {
      at.texture = handles.texture;
      at.sampler = handles.sampler;
      at.functionTable = isFunctionTable(type);
      at.tensor = std::move(tensor);
      return leaf(std::move(at), FieldKind::Handle, ScalarType::ULong);
    }
    const QualType value = type->isEnumeralType()
                               ? type->castAs<EnumType>()->getDecl()->getIntegerType().getCanonicalType()
                               : type;
    if (value->isBuiltinType())
      if (const auto scalar = scalarOf(value).first)
        return leaf(std::move(at), FieldKind::Value, *scalar);
    const CXXRecordDecl *record = definitionOf(type);
    if (record && !inMetal(record) && !inVectorNamespace(record->getDeclContext())) {
      at.spelling.clear(); // each of its fields has its own
      return add(record, at);
    }
    if (record && libraryClass(record, type, at))
      return;
    refuse(fmt::format("field '{}' of type '{}'", at.name,
                       metalSpelling(given.getAsString(metalPolicy(context_)))));
  }

  PointeeInfo pointee(QualType type) {
    PointeeInfo info;
    info.access =
        isConstant(type.getAddressSpace()) || type.isConstQualified() ? Access::Read : Access::ReadWrite;
    std::tie(info.element, info.components) = scalarOf(type);
    const CXXRecordDecl *record = type->getAsCXXRecordDecl();
    if (type->isVoidType() || type->isFunctionType() || type->isIncompleteType() || type->isDependentType() ||
        (record && record->isInvalidDecl()))
      return info;
    info.bytes = uint32_t(bytesOf(type));
    info.align = uint32_t(context_.getTypeAlignInChars(type).getQuantity());
    info.structure = structs_.of(type);
    return info;
  }

  // Vectors, matrices, arrays and atomics.
  bool libraryClass(const CXXRecordDecl *record, QualType type, FieldInfo &at) {
    if (const auto vector = vectorClass(record)) {
      extent(at, vector->length, bytesOf(vector->element));
      at.components = vector->length;
      this->type(vector->element, std::move(at));
      return true;
    }
    const auto *special = dyn_cast<ClassTemplateSpecializationDecl>(record);
    if (!special)
      return false;
    const TemplateArgumentList &arguments = special->getTemplateArgs();
    const auto number = [&](unsigned i) { return arguments[i].getAsIntegral().getZExtValue(); };
    if (special->getName() == "atomic" || special->getName() == "_atomic") { // before Metal 2.4
      this->type(arguments[0].getAsType(), std::move(at));
      return true;
    }
    if (special->getName() == "array" && number(1)) {
      extent(at, number(1), bytesOf(type) / number(1));
      at.spelling.clear();
      this->type(arguments[0].getAsType(), std::move(at));
      return true;
    }
    if (special->getName() == "matrix") { // columns, each a vector
      extent(at, number(1), bytesOf(type) / number(1));
      extent(at, number(2), bytesOf(arguments[0].getAsType()));
      at.columns = uint32_t(number(1));
      at.components = uint32_t(number(2));
      this->type(arguments[0].getAsType(), std::move(at));
      return true;
    }
    return false;
  }

  void leaf(FieldInfo at, FieldKind kind, ScalarType scalar) {
    if (info_.fields.size() == StructFields::kMostFields)
      return refuse(fmt::format("more than {} fields", StructFields::kMostFields));
    at.kind = kind;
    at.type = scalar;
    info_.fields.push_back(std::move(at));
  }

  const ASTContext &context_;
  StructFields &structs_;
  StructInfo &info_;
  size_t visited_ = 0; // structs without a leaf take time, too
};

} // namespace

std::optional<uint32_t> StructFields::of(QualType type) {
  const CXXRecordDecl *record = definitionOf(type);
  if (!record || record->isDependentContext() || record->isInvalidDecl() || inMetal(record) ||
      inVectorNamespace(record->getDeclContext()))
    return std::nullopt;
  const auto [found, isNew] = known_.try_emplace(record, uint32_t(structs_.size()));
  const uint32_t number = found->second;
  if (isNew) {
    structs_.emplace_back(); // its number, which a field that points to this type needs
    StructInfo info;
    info.name = metalSpelling(context_.getTypeDeclType(record).getAsString(metalPolicy(context_)));
    info.bytes = uint32_t(context_.getTypeSizeInChars(context_.getTypeDeclType(record)).getQuantity());
    Leaves(context_, *this, info).add(record, {});
    if (!info.unsupported.empty())
      info.fields.clear();
    structs_[number] = std::move(info);
  }
  return number;
}

} // namespace assay::frontend
