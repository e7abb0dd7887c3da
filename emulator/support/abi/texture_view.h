// The bound textures and samplers of a dispatch as plain data, which the host makes from its objects and the
// runtime reads.
#pragma once

#include "pixel_format.h"

#include <cstdint>

namespace assay {

/// One mip level.
struct TextureLevel {
  uint8_t *base = nullptr;
  uint32_t width = 1, height = 1, depth = 1; ///< in texels
  uint64_t rowBytes = 0;                     ///< from one row to the next
  uint64_t imageBytes = 0;                   ///< from one depth to the next
  uint64_t sliceBytes = 0;                   ///< from one layer or face to the next
};

/// MTLTextureUsage: a set of bits. A kernel's access must be among them; Unknown allows both.
enum class TextureUsage : uint8_t { Unknown = 0, ShaderRead = 1, ShaderWrite = 2, ShaderReadWrite = 3 };

/// A texture; nothing is bound if there are no levels.
struct TextureView {
  const TextureLevel *levels = nullptr;
  uint32_t levelCount = 0;
  uint32_t arrayLength = 1;
  uint32_t sampleCount = 1; ///< the samples of a texel are stored one after the other
  TextureType type = TextureType::Type2D;
  const PixelFormatInfo *format = nullptr;
  TextureUsage usage = TextureUsage::Unknown;
};

/// A texture that a kernel may reach through its number in an argument buffer.
struct ResidentTexture {
  uint64_t resourceId = 0; ///< MTLResourceID, kFirstResourceId and up
  TextureView view;
};

/// A sampler: the bits of msl_shim/detail/texture_request.h, with their top bit clear if nothing is bound.
struct SamplerView {
  uint64_t bits = 0;
};

} // namespace assay
