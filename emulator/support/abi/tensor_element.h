// The types that elements of tensors have: scalars, and the packed formats of
// msl_shim/detail/packed_formats.def.
#pragma once

#include "scalar_type.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

/// Under Metal's names.
enum class PackedFormat : uint8_t {
#define ASSAY_FORMAT(name, ...) name,
#include "../../../msl_shim/detail/packed_formats.def"
};

struct PackedFormatInfo {
  PackedFormat format;
  std::string_view metalName;
  uint8_t bits;
};

inline constexpr std::array kPackedFormats = {
#define ASSAY_FORMAT(name, alias, bits, ...) PackedFormatInfo{PackedFormat::name, #name, bits},
#include "../../../msl_shim/detail/packed_formats.def"
};

constexpr std::optional<PackedFormat> findPackedFormat(std::string_view metalName) {
  for (const PackedFormatInfo &info : kPackedFormats)
    if (info.metalName == metalName)
      return info.format;
  return std::nullopt;
}

struct TensorElement {
  ScalarType scalar = ScalarType::Float;
  std::optional<PackedFormat> format = {}; ///< then `scalar` is UChar, the type of the bytes

  constexpr TensorElement() = default;
  constexpr TensorElement(ScalarType type) : scalar(type) {}
  constexpr TensorElement(PackedFormat packed) : scalar(ScalarType::UChar), format(packed) {}

  constexpr uint32_t bits() const {
    return format ? kPackedFormats[size_t(*format)].bits : scalarTypeInfo(scalar).bytes * 8u;
  }
  constexpr std::string_view metalName() const {
    return format ? kPackedFormats[size_t(*format)].metalName : scalarTypeInfo(scalar).metalName;
  }
  friend constexpr bool operator==(const TensorElement &, const TensorElement &) = default;
};

/// Elements along dimension 0 that share a scale.
#define ASSAY_SCALE_BLOCK(elements) inline constexpr int64_t kElementsOfAScale = elements;
#include "../../../msl_shim/detail/packed_formats.def"

} // namespace assay
