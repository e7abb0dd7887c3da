#include "frontend/initial_values.h"

namespace assay::frontend {

using namespace clang;

bool isZero(const APValue &value) {
  switch (value.getKind()) {
  case APValue::None:
  case APValue::Indeterminate: return true;
  case APValue::Int: return value.getInt() == 0;
  case APValue::Float: return value.getFloat().isPosZero();
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
  case APValue::Union: return isZero(value.getUnionValue());
  default: return false;
  }
}

} // namespace assay::frontend
