// Samples textures: finds texels from coordinates, filters them, and chooses levels of detail.
#pragma once

#include "msl_shim/detail/texture_request.h"
#include "support/abi/texture_view.h"

#include <cstdint>

namespace assay::runtime {

/// Why a texture access failed.
enum class TextureMistake : uint8_t {
  None,
  OutOfBounds,
  NoTexture, ///< nothing is bound, or a null texture
  NoSampler,
  LinearIntegers, ///< a linear filter, of texels or of levels, on an integer format
  RepeatedPixels, ///< a repeating address mode with coord::pixel
  BicubicFilter,  ///< filter::bicubic, which is not defined anywhere
  Reduction,      ///< reduction::minimum or maximum, of several texels
  SamplerBias,    ///< a bias among a sampler's options
  FarOffset,      ///< an offset that is not in -8..7
  NoAtomicFormat, ///< an atomic operation on a format other than R32Uint and R32Sint
  Misfit, ///< a texture of an argument buffer, declared otherwise by the kernel (support/abi/texture_rules.h)
};

/// The address of a texel; null if it is not in the texture.
///   where   kWhereWords words, msl_shim/detail/texture_request.h
uint8_t *texelAddress(const TextureView &texture, const uint32_t *where);

/// What a read of the texel gives: decoded, and with the texture's swizzle.
void loadTexel(const TextureView &texture, const uint8_t *texel, uint32_t (&words)[4]);

/// sample, gather and their comparisons.
///   order   nested interpolation, (1-a)*x + a*y with each step rounded, over x, then y, then z, then levels;
///           a weight of 0 takes the other texel as it is. Assumed: weights are floats with all 24 bits
///           (Metal allows fewer).
///   source  MSL specification, sections 2.10, 6.12, 8.7; Vulkan's equations where those are silent
TextureMistake sampleTexture(const TextureView &texture, uint64_t samplerBits,
                             const __assay_texture::SampleRequest &request, uint32_t (&texel)[4]);

} // namespace assay::runtime
