// MTLDataType, as far as function constants use it: a scalar type and a number of components.
#pragma once

#include "../support/abi/scalar_type.h"

#include <cstdint>
#include <string>

namespace assay {

/// DataType::Float, DataType::Int2, DataType::Bool, ...: the names of MTLDataType without its prefix.
struct DataType {
  ScalarType scalar = ScalarType::Bool;
  uint32_t components = 1;

  constexpr DataType() = default;
  constexpr DataType(ScalarType s, uint32_t n = 1) : scalar(s), components(n) {}
  bool operator==(const DataType &) const = default;

  /// As in the kernel's source: "float", "int2".
  std::string name() const;
  /// The size of one value in memory; three components take the space of four, as in Metal.
  uint32_t bytes() const { return scalarTypeInfo(scalar).bytes * (components == 3 ? 4 : components); }

#define ASSAY_SCALAR(Name, metal, shortName, bytes, cls)                                                     \
  static const DataType Name, Name##2, Name##3, Name##4;
#include "../../msl_shim/detail/scalar_types.def"
#undef ASSAY_SCALAR
};

#define ASSAY_SCALAR(Name, metal, shortName, bytes, cls)                                                     \
  inline constexpr DataType DataType::Name{ScalarType::Name, 1};                                             \
  inline constexpr DataType DataType::Name##2 {ScalarType::Name, 2};                                         \
  inline constexpr DataType DataType::Name##3 {ScalarType::Name, 3};                                         \
  inline constexpr DataType DataType::Name##4 {ScalarType::Name, 4};
#include "../../msl_shim/detail/scalar_types.def"
#undef ASSAY_SCALAR

} // namespace assay
