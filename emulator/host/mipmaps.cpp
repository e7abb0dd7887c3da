#include "mipmaps.h"

#include "texture_views.h"

#include "../runtime/texel.h"
#include "../runtime/texture_sample.h"
#include "msl_shim/detail/texture_request.h"

#include <fmt/format.h>

namespace assay {

Result<void> detail::canHaveMipmaps(const Texture &texture) {
  if (!texture)
    return Error::usage("null-texture", "mipmaps are generated for a texture, none was given");
  const PixelFormatInfo &format = *pixelFormatInfo(texture.pixelFormat());
  if (format.isInteger() || format.isDepth())
    return Error::usage("texture-format",
                        fmt::format("mipmaps of a texture of format {} cannot be generated", format.name),
                        "integers and depths have no filtered levels in Metal");
  return {};
}

namespace {

// Fills one slice of a level from the slice of the level before it.
void reduce(const TextureView &texture, const TextureLevel &from, const TextureLevel &to, uint64_t slice) {
  using namespace __assay_texture;
  TextureLevel source = from;
  source.base += slice * source.sliceBytes;
  TextureView picture = texture;
  picture.levels = &source;
  picture.levelCount = picture.arrayLength = 1;
  picture.type = texture.type == TextureType::Type3D ? TextureType::Type3D : TextureType::Type2D;
  picture.swizzle = kNoSwizzle;
  constexpr uint64_t kLinearPixels = kDefaultSampler | 1ull << kCoordBit | 1ull << kMagFilterBit |
                                     1ull << kMinFilterBit | 1ull << kInlineBit;
  SampleRequest request{};
  request.minLod = 0;
  const auto centre = [](uint32_t i, uint32_t count, uint32_t before) {
    return float((i + 0.5) * before / count);
  };
  for (uint32_t z = 0; z < to.depth; ++z)
    for (uint32_t y = 0; y < to.height; ++y)
      for (uint32_t x = 0; x < to.width; ++x) {
        request.coordinate[0] = centre(x, to.width, from.width);
        request.coordinate[1] = centre(y, to.height, from.height);
        request.coordinate[2] = centre(z, to.depth, from.depth);
        uint32_t words[4];
        runtime::sampleTexture(picture, kLinearPixels, request, words);
        runtime::encodeTexel(*texture.format, words,
                             to.base + slice * to.sliceBytes + z * to.imageBytes + y * to.rowBytes +
                                 x * uint64_t(texture.format->bytes));
      }
}

} // namespace

void detail::generateMipmaps(const Texture &texture) {
  const TextureView view = texture.view();
  const uint64_t slices = texture.arrayLength() * textureTypeInfo(texture.textureType()).faces;
  for (uint32_t n = 1; n < view.levelCount; ++n)
    for (uint64_t slice = 0; slice < slices; ++slice)
      reduce(view, view.levels[n - 1], view.levels[n], slice);
}

} // namespace assay
