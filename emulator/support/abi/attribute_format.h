// MTLAttributeFormat as an enumeration, with the facts of the table (attribute_formats.def).
#pragma once

#include "pixel_format.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace assay {

/// The numbers are Metal's.
enum class AttributeFormat : uint8_t {
  Invalid = 0,
#define ASSAY_ATTRIBUTE_FORMAT(name, number, ...) name = number,
#define ASSAY_PACKED_ATTRIBUTE_FORMAT(name, number, ...) name = number,
#include "attribute_formats.def"
#undef ASSAY_ATTRIBUTE_FORMAT
#undef ASSAY_PACKED_ATTRIBUTE_FORMAT
};

struct AttributeFormatInfo {
  AttributeFormat format;
  std::string_view name;
  uint8_t bytes; ///< in memory
  /// What the bytes mean, as of a texel. It has 16 bytes: memory that is shorter is to be padded first.
  PixelFormatInfo texel;

  constexpr bool isNormalized() const {
    return texel.kind == PixelKind::Unorm || texel.kind == PixelKind::Snorm;
  }
};

namespace detail {

// Components of one width, the first one lowest.
constexpr std::array<PixelChannel, 4> channelsOf(uint8_t bits, uint8_t components) {
  std::array<PixelChannel, 4> channels{};
  for (uint8_t i = 0; i < components; ++i)
    channels[i] = {uint8_t(i * bits), bits};
  return channels;
}

} // namespace detail

inline constexpr std::array kAttributeFormats = {
#define ASSAY_ATTRIBUTE_FORMAT(name, number, kind, bits, components)                                         \
  AttributeFormatInfo{                                                                                       \
      AttributeFormat::name,                                                                                 \
      #name,                                                                                                 \
      bits * components / 8,                                                                                 \
      {PixelFormat::Invalid, #name, 16, PixelKind::kind, detail::channelsOf(bits, components), false}},
#define ASSAY_PACKED_ATTRIBUTE_FORMAT(name, number, kind, x, xBits, y, yBits, z, zBits, w, wBits)            \
  AttributeFormatInfo{AttributeFormat::name,                                                                 \
                      #name,                                                                                 \
                      4,                                                                                     \
                      {PixelFormat::Invalid,                                                                 \
                       #name,                                                                                \
                       16,                                                                                   \
                       PixelKind::kind,                                                                      \
                       {{{x, xBits}, {y, yBits}, {z, zBits}, {w, wBits}}},                                   \
                       false}},
#include "attribute_formats.def"
#undef ASSAY_ATTRIBUTE_FORMAT
#undef ASSAY_PACKED_ATTRIBUTE_FORMAT
};

/// Null for a number that is no format.
constexpr const AttributeFormatInfo *attributeFormatInfo(AttributeFormat format) {
  for (const AttributeFormatInfo &info : kAttributeFormats)
    if (info.format == format)
      return &info;
  return nullptr;
}

} // namespace assay
