// MTLPixelFormat and MTLTextureType as enumerations, with the facts of the tables (pixel_formats.def,
// msl_shim/detail/texture_types.def).
#pragma once

#include "scalar_type.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

/// The numbers are Metal's.
enum class PixelFormat : uint16_t {
  Invalid = 0,
#define ASSAY_PIXEL_FORMAT(name, number, ...) name = number,
#include "pixel_formats.def"
#undef ASSAY_PIXEL_FORMAT
};

enum class PixelKind : uint8_t { Unorm, Snorm, Srgb, Uint, Sint, Float, SharedExponent };

struct PixelChannel {
  uint8_t first, bits; ///< bits is 0 if the format has no such channel
};

struct PixelFormatInfo {
  PixelFormat format;
  std::string_view name;
  uint8_t bytes; ///< of a texel
  PixelKind kind;
  std::array<PixelChannel, 4> channels; ///< red, green, blue, alpha
  bool readWrite;

  constexpr bool hasAlpha() const { return channels[3].bits != 0; }
  constexpr bool isInteger() const { return kind == PixelKind::Uint || kind == PixelKind::Sint; }
  constexpr bool isDepth() const {
    return format == PixelFormat::Depth16Unorm || format == PixelFormat::Depth32Float;
  }
  /// How many channels the format has.
  constexpr uint32_t channelCount() const {
    uint32_t count = 0;
    for (const PixelChannel &channel : channels)
      count += channel.bits != 0;
    return count;
  }
  /// Whether the channels are numbers of 8, 16 or 32 bits one after the other, and not fields of one word.
  constexpr bool isArray() const {
    for (const PixelChannel &channel : channels)
      if (channel.bits && (channel.bits < 8 || channel.bits * channelCount() != bytes * 8u))
        return false;
    return true;
  }
  /// The type of a channel in memory (isArray), or of the whole texel as one number.
  constexpr ScalarType storage() const {
    const uint32_t size = isArray() ? bytes / channelCount() : bytes;
    if (isArray() && kind == PixelKind::Float)
      return size == 2 ? ScalarType::Half : ScalarType::Float;
    const bool isSigned = isArray() && (kind == PixelKind::Sint || kind == PixelKind::Snorm);
    return size == 1   ? isSigned ? ScalarType::Char : ScalarType::UChar
           : size == 2 ? isSigned ? ScalarType::Short : ScalarType::UShort
           : isSigned  ? ScalarType::Int
                       : ScalarType::UInt;
  }
};

inline constexpr std::array kPixelFormats = {
#define ASSAY_PIXEL_FORMAT(name, number, bytes, kind, r, rBits, g, gBits, b, bBits, a, aBits, readWrite)     \
  PixelFormatInfo{                                                                                           \
      PixelFormat::name, #name, bytes, PixelKind::kind, {{{r, rBits}, {g, gBits}, {b, bBits}, {a, aBits}}},  \
      readWrite},
#include "pixel_formats.def"
#undef ASSAY_PIXEL_FORMAT
};

/// Null for a number that is no format here.
constexpr const PixelFormatInfo *pixelFormatInfo(PixelFormat format) {
  for (const PixelFormatInfo &info : kPixelFormats)
    if (info.format == format)
      return &info;
  return nullptr;
}

/// The numbers are Metal's.
enum class TextureType : uint8_t {
#define ASSAY_TEXTURE_TYPE(name, number, ...) name = number,
#include "../../../msl_shim/detail/texture_types.def"
};

struct TextureTypeInfo {
  TextureType type;
  std::string_view name;
  uint8_t coordinates; ///< that name a texel of one layer or face
  bool arrayed;
  uint8_t faces;
  bool multisampled;
};

inline constexpr std::array kTextureTypes = {
#define ASSAY_TEXTURE_TYPE(name, number, coordinates, arrayed, faces, multisampled)                          \
  TextureTypeInfo{TextureType::name, #name, coordinates, arrayed, faces, multisampled},
#include "../../../msl_shim/detail/texture_types.def"
};

constexpr const TextureTypeInfo &textureTypeInfo(TextureType type) {
  return kTextureTypes[static_cast<size_t>(type)];
}

/// A class of <metal_texture>.
struct TextureClass {
  std::string_view name;
  TextureType type;
  bool depth;
};

inline constexpr std::array kTextureClasses = {
#define ASSAY_TEXTURE_CLASS(metal, type, depth) TextureClass{#metal, TextureType::type, depth},
#include "../../../msl_shim/detail/texture_types.def"
};

} // namespace assay
