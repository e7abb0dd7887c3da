#include "frontend/buffer_types.h"

#include "frontend/annotations.h"
#include "frontend/resource_types.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/SmallPtrSet.h>

#include <fmt/format.h>

namespace assay::frontend {
namespace {

using namespace clang;

bool isMetalArray(QualType type) {
  const auto *record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  return record && inMetal(record) && record->getName() == "array";
}

// What arrays hold, of C and of Metal; the type itself if it is no array.
QualType elementOf(QualType type) {
  type = type.getCanonicalType();
  if (const ArrayType *array = type->getAsArrayTypeUnsafe())
    return elementOf(array->getElementType());
  if (isMetalArray(type))
    return elementOf(
        cast<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl())->getTemplateArgs()[0].getAsType());
  return type;
}

// The first member of a structure, or of its members and bases, that is a pointer to a pointer. Each type is
// looked at once, since a structure can have far more members in all than there are types.
class PointersToPointers {
public:
  const FieldDecl *in(QualType type) {
    const CXXRecordDecl *record = elementOf(type)->getAsCXXRecordDecl();
    if (!record || !record->hasDefinition() || inMetal(record) || !seen_.insert(record).second)
      return nullptr;
    for (const CXXBaseSpecifier &base : record->bases())
      if (const FieldDecl *found = in(base.getType()))
        return found;
    for (const FieldDecl *field : record->fields()) {
      const QualType element = elementOf(field->getType());
      if (element->isPointerType() && elementOf(element->getPointeeType())->isPointerType())
        return field;
      if (const FieldDecl *found = in(element))
        return found;
    }
    return nullptr;
  }

private:
  llvm::SmallPtrSet<const CXXRecordDecl *, 8> seen_;
};

} // namespace

std::optional<std::string> whyNoBuffer(QualType type) {
  if (isMetalArray(type))
    return elementOf(type)->isPointerType()
               ? std::optional("is an array of pointers: put it into a structure")
               : std::nullopt;
  const QualType pointee = type->getPointeeType();
  if (pointee.isNull())
    return std::nullopt;
  if (type->isPointerType() && handlesOf(pointee).texture)
    return "points to textures: put them into a structure";
  if (!pointee->isArrayType() && !isMetalArray(pointee) && handlesOf(pointee).texture)
    return "refers to a texture: pass the texture, or put it into a structure";
  if (elementOf(pointee)->isPointerType())
    return "points to pointers: put them into a structure";
  if (const FieldDecl *field = PointersToPointers().in(pointee))
    return fmt::format(
        "points to a structure with the member '{}', a pointer to pointers, which no buffer may "
        "hold: make it a pointer to a structure, or a ulong",
        field->getNameAsString());
  return std::nullopt;
}

} // namespace assay::frontend
