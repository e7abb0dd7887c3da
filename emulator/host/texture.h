// MTLTexture and MTLSamplerState, with their descriptors and MTLRegion.
#pragma once

#include "size.h"

#include "../support/abi/pixel_format.h"
#include "../support/abi/texture_view.h"
#include "../support/text/result.h"

#include <cstdint>
#include <memory>

namespace assay {

class Buffer;

struct Origin {
  uint64_t x = 0, y = 0, z = 0;
};

/// MTLRegion.
struct Region {
  Origin origin;
  Size size;
  static constexpr Region Make1D(uint64_t x, uint64_t width) { return {{x, 0, 0}, {width, 1, 1}}; }
  static constexpr Region Make2D(uint64_t x, uint64_t y, uint64_t width, uint64_t height) {
    return {{x, y, 0}, {width, height, 1}};
  }
  static constexpr Region Make3D(uint64_t x, uint64_t y, uint64_t z, uint64_t width, uint64_t height,
                                 uint64_t depth) {
    return {{x, y, z}, {width, height, depth}};
  }
};

struct TextureDescriptor {
  TextureType textureType = TextureType::Type2D;
  PixelFormat pixelFormat = PixelFormat::RGBA8Unorm;
  uint64_t width = 1, height = 1, depth = 1;
  uint64_t mipmapLevelCount = 1;
  uint64_t sampleCount = 1;
  uint64_t arrayLength = 1;
  TextureUsage usage = TextureUsage::ShaderRead; ///< as in Metal, ShaderWrite if a kernel writes it
  TextureSwizzleChannels swizzle = kNoSwizzle;   ///< other than kNoSwizzle, only for reading

  static TextureDescriptor texture2DDescriptor(PixelFormat format, uint64_t width, uint64_t height,
                                               bool mipmapped);
  static TextureDescriptor textureCubeDescriptor(PixelFormat format, uint64_t size, bool mipmapped);
  static TextureDescriptor textureBufferDescriptor(PixelFormat format, uint64_t width);
};

namespace detail {
struct TextureState;
/// The state of Device::newTexture, with its errors.
Result<std::shared_ptr<TextureState>> makeTexture(const TextureDescriptor &descriptor);
} // namespace detail

/// A handle: copies share the texels.
class Texture {
public:
  Texture() = default; ///< no texture; binding it binds null, like nil

  explicit operator bool() const { return state_ != nullptr; }
  TextureType textureType() const;
  PixelFormat pixelFormat() const;
  uint64_t width() const;
  uint64_t height() const;
  uint64_t depth() const;
  uint64_t mipmapLevelCount() const;
  uint64_t sampleCount() const;
  uint64_t arrayLength() const;
  TextureUsage usage() const;
  TextureSwizzleChannels swizzle() const;
  /// Another texture with the same texels.
  ///   format          with texels of the same size
  ///   levels, slices  which of them; slices count layers, or faces and layers of cubes
  ///   swizzle         of what this texture gives
  /// errors  Usage "pixel-format", "texture-descriptor"
  Result<Texture> newTextureView(PixelFormat format) const;
  Result<Texture> newTextureView(PixelFormat format, TextureType type, Range levels, Range slices,
                                 TextureSwizzleChannels swizzle = kNoSwizzle) const;
  /// The number that a kernel finds in an argument buffer: eight bytes, little-endian, where the struct has
  /// the texture. ComputeCommandEncoder::useResource makes the texture known to a dispatch. Never given
  /// twice.
  uint64_t gpuResourceID() const;

  /// Copies texels in. `slice` counts layers, or faces and layers of cubes.
  ///   bytesPerRow, bytesPerImage   of `bytes`; 0: rows and images without gaps
  /// errors  Usage "texture-region": the region, the level or the slice is not in the texture, or a row is
  ///         too short
  Result<void> replaceRegion(const Region &region, uint64_t mipmapLevel, uint64_t slice, const void *bytes,
                             uint64_t bytesPerRow, uint64_t bytesPerImage);
  Result<void> replaceRegion(const Region &region, uint64_t mipmapLevel, const void *bytes,
                             uint64_t bytesPerRow);
  /// Copies texels out. errors as above
  Result<void> getBytes(void *bytes, uint64_t bytesPerRow, uint64_t bytesPerImage, const Region &region,
                        uint64_t mipmapLevel, uint64_t slice) const;
  Result<void> getBytes(void *bytes, uint64_t bytesPerRow, const Region &region, uint64_t mipmapLevel) const;
  /// As Buffer::poison(), for every texel of every level.
  void poison();

  /// What a dispatch gets; valid as long as a handle lives.
  TextureView view() const;

private:
  friend class Device;
  friend class Buffer;
  friend class ComputeCommandEncoder;
  std::shared_ptr<detail::TextureState> state_;
};

// The names of MTLSamplerAddressMode and similar enumerations, with their numbers.
#define ASSAY_HOST_OPTION(metal, host, number) host = number,
enum class SamplerAddressMode : uint8_t {
#define ASSAY_ADDRESS ASSAY_HOST_OPTION
#include "../../msl_shim/detail/sampler_options.def"
  MirrorClampToEdge = 1 ///< for hosts only: MSL has no word for it
};
enum class SamplerMinMagFilter : uint8_t {
#define ASSAY_FILTER ASSAY_HOST_OPTION
#include "../../msl_shim/detail/sampler_options.def"
};
enum class SamplerMipFilter : uint8_t {
#define ASSAY_MIP_FILTER ASSAY_HOST_OPTION
#include "../../msl_shim/detail/sampler_options.def"
};
enum class CompareFunction : uint8_t {
#define ASSAY_COMPARE_FUNC ASSAY_HOST_OPTION
#include "../../msl_shim/detail/sampler_options.def"
};
enum class SamplerBorderColor : uint8_t {
#define ASSAY_BORDER_COLOR ASSAY_HOST_OPTION
#include "../../msl_shim/detail/sampler_options.def"
};
#undef ASSAY_HOST_OPTION

/// Defaults are Metal's.
struct SamplerDescriptor {
  SamplerMinMagFilter minFilter = SamplerMinMagFilter::Nearest, magFilter = SamplerMinMagFilter::Nearest;
  SamplerMipFilter mipFilter = SamplerMipFilter::NotMipmapped;
  SamplerAddressMode sAddressMode = SamplerAddressMode::ClampToEdge, tAddressMode = sAddressMode,
                     rAddressMode = sAddressMode;
  SamplerBorderColor borderColor = SamplerBorderColor::TransparentBlack;
  CompareFunction compareFunction = CompareFunction::Never;
  bool normalizedCoordinates = true;
  uint32_t maxAnisotropy = 1;                 ///< 1 to 16; filters here are isotropic
  float lodMinClamp = 0, lodMaxClamp = 65504; ///< kept as halves
};

namespace detail {
/// The state of Device::newSamplerState, with its errors.
Result<uint64_t> samplerBits(const SamplerDescriptor &descriptor);
} // namespace detail

class SamplerState {
public:
  SamplerState() = default; ///< none; binding it unbinds, like nil
  explicit operator bool() const { return bits_ != 0; }
  SamplerView view() const { return {bits_}; }
  /// The eight bytes that a kernel finds in an argument buffer where the struct has the sampler.
  uint64_t gpuResourceID() const { return bits_; }

private:
  friend class Device;
  uint64_t bits_ = 0;
};

} // namespace assay
