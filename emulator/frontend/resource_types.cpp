#include "frontend/resource_types.h"

#include "frontend/annotations.h"
#include "frontend/memory_spaces.h"
#include "frontend/vector_classes.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>

namespace assay::frontend {
namespace {

using namespace clang;

std::optional<ScalarType> scalar(BuiltinType::Kind kind) {
  switch (kind) {
  case BuiltinType::Bool: return ScalarType::Bool;
  case BuiltinType::Char_S:
  case BuiltinType::SChar: return ScalarType::Char;
  case BuiltinType::UChar:
  case BuiltinType::Char_U: return ScalarType::UChar;
  case BuiltinType::Short: return ScalarType::Short;
  case BuiltinType::UShort: return ScalarType::UShort;
  case BuiltinType::Int: return ScalarType::Int;
  case BuiltinType::UInt: return ScalarType::UInt;
  case BuiltinType::Long:
  case BuiltinType::LongLong: return ScalarType::Long;
  case BuiltinType::ULong:
  case BuiltinType::ULongLong: return ScalarType::ULong;
  case BuiltinType::Float16:
  case BuiltinType::Half: return ScalarType::Half;
  case BuiltinType::BFloat16: return ScalarType::BFloat;
  case BuiltinType::Float: return ScalarType::Float;
  default: return std::nullopt;
  }
}

const TextureClass *textureClass(llvm::StringRef name) {
  for (const TextureClass &known : kTextureClasses)
    if (name == llvm::StringRef(known.name.data(), known.name.size()))
      return &known;
  return nullptr;
}

} // namespace

std::pair<std::optional<ScalarType>, uint32_t> scalarOf(QualType type) {
  type = type.getCanonicalType();
  while (const ArrayType *array = type->getAsArrayTypeUnsafe())
    type = array->getElementType().getCanonicalType();
  if (const auto *builtin = dyn_cast<BuiltinType>(type.getTypePtr()))
    return {scalar(builtin->getKind()), 1};
  const auto *record = type->getAsCXXRecordDecl();
  const auto *specialisation = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
  if (!specialisation || !specialisation->getDeclContext()->isNamespace())
    return {};
  const llvm::StringRef name = specialisation->getName();
  const auto &arguments = specialisation->getTemplateArgs();
  if (name != "vec" && name != "packed_vec" && name != "matrix" && name != "atomic" && name != "_atomic")
    return {};
  if (arguments.size() == 0 || arguments[0].getKind() != TemplateArgument::Type)
    return {};
  const auto element = scalarOf(arguments[0].getAsType()).first; // a vector's argument is an array type
  const auto vector = vectorClass(specialisation);
  return {element, vector && !vector->packed ? vector->length : 1};
}

bool isNumber(QualType type) {
  if (type.getCanonicalType()->isBuiltinType())
    return true;
  const auto *record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  const auto vector = record ? vectorClass(record) : std::nullopt;
  return vector && !vector->packed;
}

bool isValue(QualType type) {
  const auto *record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (record && inMetal(record) && record->getName() == "array")
    return isValue(record->getTemplateArgs()[0].getAsType());
  return scalarOf(type).first.has_value();
}

std::optional<std::pair<ScalarType, uint32_t>> attributeNumberOf(QualType type) {
  const auto [element, components] = scalarOf(type);
  if (!element || !isNumber(type) || *element == ScalarType::Bool || *element == ScalarType::BFloat ||
      scalarTypeInfo(*element).bytes > 4)
    return std::nullopt;
  return std::pair(*element, components);
}

Handles handlesOf(QualType type) {
  Handles handles;
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record || !record->getIdentifier() || !inMetal(record))
    return handles;
  handles.sampler = record->getName() == "sampler";
  const auto *special = dyn_cast<ClassTemplateSpecializationDecl>(record);
  if (!special)
    return handles;
  const TemplateArgumentList &arguments = special->getTemplateArgs();
  if (record->getName() == "array") {
    handles = handlesOf(arguments[0].getAsType());
    handles.count *= uint32_t(arguments[1].getAsIntegral().getZExtValue());
  } else if (const TextureClass *known = textureClass(record->getName())) {
    constexpr Access kAccess[] = {Access::Sample, Access::Read, Access::Write, Access::ReadWrite};
    handles.texture = {known->type, known->depth, scalarOf(arguments[0].getAsType()).first,
                       kAccess[arguments[1].getAsIntegral().getZExtValue() % std::size(kAccess)]};
  }
  return handles;
}

bool isFunctionTable(QualType type) {
  const auto *record = type->getAsCXXRecordDecl();
  return record && inMetal(record) && record->getName() == "visible_function_table";
}

bool isTensor(QualType type) {
  const auto *record = type->getAsCXXRecordDecl();
  return record && inMetal(record) && record->getIdentifier() && record->getName() == "tensor";
}

namespace {

// The name of a class of Metal's; empty for other types.
StringRef nameInMetal(QualType type) {
  const auto *record = type->getAsCXXRecordDecl();
  return record && inMetal(record) && record->getIdentifier() ? record->getName() : StringRef();
}

std::optional<TensorElement> tensorElementOf(QualType type) {
  if (type->isBuiltinType())
    return scalarOf(type).first;
  return findPackedFormat(nameInMetal(type));
}

} // namespace

std::optional<TensorUse> hostTensorOf(QualType type) {
  const auto *special =
      isTensor(type) ? dyn_cast<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl()) : nullptr;
  if (!special)
    return std::nullopt;
  const TemplateArgumentList &arguments = special->getTemplateArgs();
  const auto *extents =
      dyn_cast_or_null<ClassTemplateSpecializationDecl>(arguments[1].getAsType()->getAsCXXRecordDecl());
  const auto *descriptor = arguments[2].getAsType()->getAsCXXRecordDecl();
  const QualType element = arguments[0].getAsType().getCanonicalType();
  const std::optional<AddressSpace> memory = metalMemory(element.getAddressSpace());
  const bool isConstant = memory == AddressSpace::Constant;
  const std::optional<TensorElement> known = tensorElementOf(element);
  const auto tags = arguments[3].pack_elements();
  const bool scaled = tags.size() == 1 && nameInMetal(tags[0].getAsType()) == "tensor_blockwise";
  if (!extents || !descriptor || descriptor->getName() != "tensor_handle" || tags.size() != scaled ||
      !(isConstant || memory == AddressSpace::Device) || !known || known->scalar == ScalarType::Bool)
    return std::nullopt;
  TensorUse use;
  use.element = *known;
  use.scales = scaled;
  use.space = *memory;
  use.access = isConstant || element.isConstQualified() ? Access::Read : Access::ReadWrite;
  use.index = scalarOf(extents->getTemplateArgs()[0].getAsType()).first.value_or(ScalarType::Int);
  for (const TemplateArgument &extent : extents->getTemplateArgs()[1].pack_elements())
    use.extents.push_back(extent.getAsIntegral().getZExtValue());
  return use;
}

namespace {

// A structure of the user's that can be taken apart; null for other types.
const CXXRecordDecl *structureOf(QualType type) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && !inMetal(record) && record->hasDefinition() && !record->isUnion() &&
                 record->getNumBases() == 0
             ? record
             : nullptr;
}

bool holdsBindings(const CXXRecordDecl *record) {
  for (const FieldDecl *member : record->fields()) {
    const QualType type = member->getType();
    const CXXRecordDecl *inner = structureOf(type);
    if (type->isPointerType() || type->isReferenceType() || handlesOf(type) || isFunctionTable(type) ||
        isTensor(type) || (inner && holdsBindings(inner)))
      return true;
  }
  return false;
}

void takeApart(const CXXRecordDecl *record, const std::string &prefix, uint64_t offset,
               std::vector<Binding> &bindings) {
  const ASTRecordLayout &layout = record->getASTContext().getASTRecordLayout(record);
  for (const FieldDecl *member : record->fields()) {
    const uint64_t at = offset + layout.getFieldOffset(member->getFieldIndex()) / 8;
    const std::string name = prefix + member->getNameAsString();
    if (const CXXRecordDecl *inner = structureOf(member->getType()); inner && holdsBindings(inner))
      takeApart(inner, name + ".", at, bindings);
    else
      bindings.push_back({member, name, at});
  }
}

} // namespace

std::vector<Binding> bindingsOf(const ParmVarDecl *parameter) {
  std::vector<Binding> bindings;
  const CXXRecordDecl *record = structureOf(parameter->getType());
  const std::string name = parameter->getNameAsString();
  if (record && annotation(parameter, "stage_in")) {
    const ASTRecordLayout &layout = record->getASTContext().getASTRecordLayout(record);
    for (const FieldDecl *member : record->fields())
      bindings.push_back({member, (name.empty() ? "" : name + ".") + member->getNameAsString(),
                          layout.getFieldOffset(member->getFieldIndex()) / 8, /*isAttribute=*/true});
  } else if (record && holdsBindings(record)) {
    takeApart(record, "", 0, bindings);
  }
  if (bindings.empty())
    bindings.push_back({parameter, name});
  return bindings;
}

} // namespace assay::frontend
