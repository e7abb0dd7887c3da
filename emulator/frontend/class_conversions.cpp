#include "frontend/class_conversions.h"

#include "frontend/vector_classes.h"

namespace assay::frontend {

using namespace clang;

namespace {

// The definition of a class that is no vector; null if the type is none.
const CXXRecordDecl *definedClass(QualType type) {
  const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && !vectorClass(record) ? record->getDefinition() : nullptr;
}

} // namespace

std::string vectorThatMakes(QualType type) {
  const CXXRecordDecl *record = definedClass(type);
  if (!record)
    return {};
  for (const CXXConstructorDecl *made : record->ctors())
    if (made->getNumParams() > 0 && made->getMinRequiredArguments() <= 1 && !made->isExplicit())
      if (const auto vector = vectorClass(made->getParamDecl(0)->getType()->getAsCXXRecordDecl()))
        return nameOf(*vector);
  return {};
}

std::string numberOf(QualType type, bool floats) {
  const CXXRecordDecl *record = definedClass(type);
  if (!record)
    return {};
  for (const NamedDecl *found : record->getVisibleConversionFunctions())
    if (const auto *conversion = llvm::dyn_cast<CXXConversionDecl>(found->getUnderlyingDecl()))
      if (conversion->getConversionType()->isArithmeticType() && !conversion->isExplicit() &&
          (floats || !conversion->getConversionType()->isFloatingType()))
        return nameOfScalar(conversion->getConversionType());
  return {};
}

std::string vectorOf(QualType type) {
  const CXXRecordDecl *record = definedClass(type);
  if (!record)
    return {};
  QualType only;
  for (const NamedDecl *found : record->getVisibleConversionFunctions()) {
    const auto *conversion = llvm::dyn_cast<CXXConversionDecl>(found->getUnderlyingDecl());
    if (!conversion)
      return {};
    if (conversion->isExplicit())
      continue;
    const QualType to = conversion->getConversionType().getNonReferenceType();
    const QualType plain = conversion->getASTContext().getCanonicalType(
        conversion->getASTContext().removeAddrSpaceQualType(to).getUnqualifiedType());
    if (!only.isNull() && only != plain)
      return {};
    only = plain;
  }
  const auto vector = only.isNull() ? std::nullopt : vectorClass(only->getAsCXXRecordDecl());
  return vector && !vector->packed ? nameOf(*vector) : "";
}

} // namespace assay::frontend
