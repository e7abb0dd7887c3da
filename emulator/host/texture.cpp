// Textures and samplers. A texture's memory has rows and images without gaps, one level after the other, each
// with all its layers.
#include "texture.h"
#include "texture_views.h"

#include "buffer.h"

#include "../support/abi/limits.h"
#include "../support/numbers/float_bits.h"
#include "../support/process/sparse_pages.h"
#include "msl_shim/detail/texture_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <vector>

namespace assay {

uint64_t detail::nextResourceId() {
  static std::atomic<uint64_t> next = __assay_texture::kFirstResourceId;
  return next.fetch_add(1, std::memory_order_relaxed);
}

using detail::badDescriptor;
using detail::layersOf;

namespace {

uint64_t largestExtent(TextureType type) {
  switch (type) {
  case TextureType::Type1D:
  case TextureType::Type1DArray: return kMaxTextureExtent1D;
  case TextureType::Type3D: return kMaxTextureExtent3D;
  case TextureType::TypeTextureBuffer: return kMaxTextureBufferTexels;
  default: return kMaxTextureExtent2D;
  }
}

/// Every format there is, for somebody who asked for another.
std::string formatNames() {
  std::string names = "formats:";
  for (const PixelFormatInfo &format : kPixelFormats)
    names += fmt::format(" {} ({})", format.name, uint32_t(format.format));
  return names;
}

Result<void> checkDescriptor(const TextureDescriptor &d) {
  if (!pixelFormatInfo(d.pixelFormat))
    return Error::usage("pixel-format",
                        fmt::format("pixel format {} is not supported", uint32_t(d.pixelFormat)),
                        formatNames());
  if (size_t(d.textureType) >= kTextureTypes.size())
    return badDescriptor(fmt::format("no texture type has the number {}", uint32_t(d.textureType)));
  for (TextureSwizzle channel : d.swizzle)
    if (channel > TextureSwizzle::Alpha)
      return badDescriptor(fmt::format("no swizzle has the number {}", uint32_t(channel)));
  const TextureTypeInfo &type = textureTypeInfo(d.textureType);
  const uint64_t most = largestExtent(d.textureType);
  const struct {
    const char *name;
    uint64_t given, most;
  } counts[] = {{"width", d.width, most},
                {"height", d.height, type.coordinates > 1 ? most : 1},
                {"depth", d.depth, type.coordinates > 2 ? most : 1},
                {"array length", d.arrayLength, type.arrayed ? kMaxTextureLayers : 1},
                {"sample count", d.sampleCount, type.multisampled ? 8u : 1u}};
  for (const auto &count : counts)
    if (!count.given || count.given > count.most)
      return badDescriptor(fmt::format("{} {} of a texture of type {} is not in 1..{}", count.name,
                                       count.given, type.name, count.most));
  if (type.faces > 1 && d.width != d.height)
    return badDescriptor(
        fmt::format("the faces of a cube are squares, {} x {} are asked for", d.width, d.height));
  if (type.multisampled && (d.sampleCount < 2 || !std::has_single_bit(d.sampleCount)))
    return badDescriptor(fmt::format("sample count {} is not 2, 4 or 8", d.sampleCount));
  const bool levels = type.coordinates > 1 && !type.multisampled;
  const uint64_t mostLevels = levels ? std::bit_width(std::max({d.width, d.height, d.depth})) : 1;
  if (!d.mipmapLevelCount || d.mipmapLevelCount > mostLevels)
    return badDescriptor(
        fmt::format("{} mip levels of a texture of type {} and {} x {} x {} texels are not in 1..{}",
                    d.mipmapLevelCount, type.name, d.width, d.height, d.depth, mostLevels));
  return {};
}

std::vector<TextureLevel> layOut(const TextureDescriptor &d, const PixelFormatInfo &format, uint64_t &bytes) {
  std::vector<TextureLevel> levels;
  bytes = 0;
  for (uint64_t n = 0; n < d.mipmapLevelCount; ++n) {
    TextureLevel &level = levels.emplace_back();
    level.width = uint32_t(std::max<uint64_t>(1, d.width >> n));
    level.height = uint32_t(std::max<uint64_t>(1, d.height >> n));
    level.depth = uint32_t(std::max<uint64_t>(1, d.depth >> n));
    level.rowBytes = level.width * d.sampleCount * format.bytes;
    level.imageBytes = level.rowBytes * level.height;
    level.sliceBytes = level.imageBytes * level.depth;
    bytes += level.sliceBytes * layersOf(d);
  }
  return levels;
}

} // namespace

TextureDescriptor TextureDescriptor::texture2DDescriptor(PixelFormat format, uint64_t width, uint64_t height,
                                                         bool mipmapped) {
  TextureDescriptor d;
  d.pixelFormat = format;
  d.width = width;
  d.height = height;
  d.mipmapLevelCount = mipmapped ? std::bit_width(std::max(width, height)) : 1;
  return d;
}

TextureDescriptor TextureDescriptor::textureCubeDescriptor(PixelFormat format, uint64_t size,
                                                           bool mipmapped) {
  TextureDescriptor d = texture2DDescriptor(format, size, size, mipmapped);
  d.textureType = TextureType::TypeCube;
  return d;
}

TextureDescriptor TextureDescriptor::textureBufferDescriptor(PixelFormat format, uint64_t width) {
  TextureDescriptor d = texture2DDescriptor(format, width, 1, false);
  d.textureType = TextureType::TypeTextureBuffer;
  return d;
}

Result<std::shared_ptr<detail::TextureState>> detail::makeTexture(const TextureDescriptor &descriptor) {
  if (Result<void> ok = checkDescriptor(descriptor); !ok)
    return ok.error();
  auto state = std::make_shared<detail::TextureState>();
  state->descriptor = descriptor;
  state->format = pixelFormatInfo(descriptor.pixelFormat);
  uint64_t bytes = 0;
  state->levels = layOut(descriptor, *state->format, bytes);
  state->memory = allocatePages(bytes);
  auto *next = reinterpret_cast<uint8_t *>(state->memory.get());
  for (TextureLevel &level : state->levels) {
    level.base = next;
    next += level.sliceBytes * layersOf(descriptor);
  }
  return state;
}

Result<Texture> Buffer::newTexture(const TextureDescriptor &descriptor, size_t offset,
                                   size_t bytesPerRow) const {
  if (Result<void> ok = checkDescriptor(descriptor); !ok)
    return ok.error();
  const TextureTypeInfo &type = textureTypeInfo(descriptor.textureType);
  if (descriptor.textureType != TextureType::Type2D &&
      descriptor.textureType != TextureType::TypeTextureBuffer)
    return badDescriptor(fmt::format("a texture of type {} cannot lie in a buffer", type.name),
                         "types that can: Type2D, TypeTextureBuffer");
  if (descriptor.mipmapLevelCount != 1)
    return badDescriptor(
        fmt::format("a texture in a buffer has 1 mip level, {} are asked for", descriptor.mipmapLevelCount));
  auto state = std::make_shared<detail::TextureState>();
  state->descriptor = descriptor;
  state->format = pixelFormatInfo(descriptor.pixelFormat);
  uint64_t bytes = 0;
  state->levels = layOut(descriptor, *state->format, bytes);
  TextureLevel &level = state->levels[0];
  if (bytesPerRow < level.rowBytes || bytesPerRow % state->format->bytes)
    return badDescriptor(
        fmt::format("{} bytes per row: {} texels of {} need {}, and a whole number of texels", bytesPerRow,
                    level.width, state->format->name, level.rowBytes));
  const uint64_t end = offset + (level.height - 1) * uint64_t(bytesPerRow) + level.rowBytes;
  if (offset > length_ || end > length_)
    return badDescriptor(fmt::format("the texture ends at byte {} of a buffer of {} bytes", end, length_));
  level.rowBytes = bytesPerRow;
  level.base = reinterpret_cast<uint8_t *>(data_.get()) + offset;
  state->memory = data_;
  Texture texture;
  texture.state_ = std::move(state);
  return texture;
}

TextureType Texture::textureType() const {
  return state_->descriptor.textureType;
}
PixelFormat Texture::pixelFormat() const {
  return state_->descriptor.pixelFormat;
}
uint64_t Texture::width() const {
  return state_->descriptor.width;
}
uint64_t Texture::height() const {
  return state_->descriptor.height;
}
uint64_t Texture::depth() const {
  return state_->descriptor.depth;
}
uint64_t Texture::mipmapLevelCount() const {
  return state_->descriptor.mipmapLevelCount;
}
uint64_t Texture::sampleCount() const {
  return state_->descriptor.sampleCount;
}
uint64_t Texture::arrayLength() const {
  return state_->descriptor.arrayLength;
}
TextureUsage Texture::usage() const {
  return state_->descriptor.usage;
}

TextureSwizzleChannels Texture::swizzle() const {
  return state_->descriptor.swizzle;
}

uint64_t Texture::gpuResourceID() const {
  return state_->resourceId;
}

TextureView Texture::view() const {
  if (!state_)
    return {};
  const TextureDescriptor &d = state_->descriptor;
  return {state_->levels.data(),
          uint32_t(state_->levels.size()),
          uint32_t(d.arrayLength),
          uint32_t(d.sampleCount),
          d.textureType,
          state_->format,
          d.usage,
          d.swizzle};
}

void Texture::poison() {
  for (const TextureLevel &level : state_->levels)
    for (uint64_t slice = 0; slice < layersOf(state_->descriptor); ++slice)
      for (uint32_t z = 0; z < level.depth; ++z)
        for (uint32_t y = 0; y < level.height; ++y)
          std::memset(level.base + slice * level.sliceBytes + z * level.imageBytes + y * level.rowBytes,
                      Buffer::kPoisonByte,
                      level.width * state_->descriptor.sampleCount * state_->format->bytes);
}

namespace {

Error badRegion(std::string message) {
  return Error::usage("texture-region", std::move(message));
}

// Calls copy(texels, outside, bytes) for every row of the region.
template <class Copy>
Result<void> forRows(const detail::TextureState &state, const Region &region, uint64_t number, uint64_t slice,
                     uint64_t bytesPerRow, uint64_t bytesPerImage, Copy copy) {
  if (number >= state.levels.size())
    return badRegion(fmt::format("level {} of a texture that has {}", number, state.levels.size()));
  if (slice >= layersOf(state.descriptor))
    return badRegion(fmt::format("slice {} of a texture that has {}", slice, layersOf(state.descriptor)));
  const TextureLevel &level = state.levels[number];
  const auto &[o, s] = region;
  const auto outside = [](uint64_t from, uint64_t count, uint64_t extent) {
    return from > extent || count > extent - from;
  };
  if (outside(o.x, s.width, level.width) || outside(o.y, s.height, level.height) ||
      outside(o.z, s.depth, level.depth))
    return badRegion(fmt::format("a region of {} x {} x {} at ({},{},{}) of level {}, which has {} x {} x {}",
                                 s.width, s.height, s.depth, o.x, o.y, o.z, number, level.width, level.height,
                                 level.depth));
  const uint64_t texel = state.format->bytes * state.descriptor.sampleCount, row = s.width * texel;
  const uint64_t rowStep = bytesPerRow ? bytesPerRow : row;
  const uint64_t imageStep = bytesPerImage ? bytesPerImage : rowStep * s.height;
  if (s.height > 1 && rowStep < row)
    return badRegion(fmt::format("{} bytes per row are fewer than the {} of {} texels of {}", rowStep, row,
                                 s.width, state.format->name));
  if (s.depth > 1 && imageStep < rowStep * (s.height - 1) + row)
    return badRegion(fmt::format("{} bytes per image are fewer than its {} rows need", imageStep, s.height));
  for (uint64_t z = 0; z < s.depth; ++z)
    for (uint64_t y = 0; y < s.height; ++y)
      copy(level.base + slice * level.sliceBytes + (o.z + z) * level.imageBytes + (o.y + y) * level.rowBytes +
               o.x * texel,
           z * imageStep + y * rowStep, row);
  return {};
}

} // namespace

Result<void> Texture::replaceRegion(const Region &region, uint64_t mipmapLevel, uint64_t slice,
                                    const void *bytes, uint64_t bytesPerRow, uint64_t bytesPerImage) {
  return forRows(*state_, region, mipmapLevel, slice, bytesPerRow, bytesPerImage,
                 [&](uint8_t *texels, uint64_t outside, uint64_t row) {
                   std::memcpy(texels, static_cast<const uint8_t *>(bytes) + outside, row);
                 });
}

Result<void> Texture::replaceRegion(const Region &region, uint64_t mipmapLevel, const void *bytes,
                                    uint64_t bytesPerRow) {
  return replaceRegion(region, mipmapLevel, 0, bytes, bytesPerRow, 0);
}

Result<void> Texture::getBytes(void *bytes, uint64_t bytesPerRow, uint64_t bytesPerImage,
                               const Region &region, uint64_t mipmapLevel, uint64_t slice) const {
  return forRows(*state_, region, mipmapLevel, slice, bytesPerRow, bytesPerImage,
                 [&](const uint8_t *texels, uint64_t outside, uint64_t row) {
                   std::memcpy(static_cast<uint8_t *>(bytes) + outside, texels, row);
                 });
}

Result<void> Texture::getBytes(void *bytes, uint64_t bytesPerRow, const Region &region,
                               uint64_t mipmapLevel) const {
  return getBytes(bytes, bytesPerRow, 0, region, mipmapLevel, 0);
}

// ---- samplers ----

Result<uint64_t> detail::samplerBits(const SamplerDescriptor &d) {
  using namespace __assay_texture;
  const auto bad = [](std::string message) { return Error::usage("sampler-descriptor", std::move(message)); };
  if (d.maxAnisotropy < 1 || d.maxAnisotropy > 16)
    return bad(fmt::format("max anisotropy {} is not in 1..16", d.maxAnisotropy));
  if (!(d.lodMinClamp <= d.lodMaxClamp))
    return bad(fmt::format("the least level of detail, {}, is not below the largest, {}", d.lodMinClamp,
                           d.lodMaxClamp));
  // A host may have written any number.
  const struct {
    const char *name;
    uint32_t given, most;
  } numbers[] = {{"a min filter", uint32_t(d.minFilter), 1},
                 {"a mag filter", uint32_t(d.magFilter), 1},
                 {"a mip filter", uint32_t(d.mipFilter), 2},
                 {"an address mode", uint32_t(d.sAddressMode), 5},
                 {"an address mode", uint32_t(d.tAddressMode), 5},
                 {"an address mode", uint32_t(d.rAddressMode), 5},
                 {"a border colour", uint32_t(d.borderColor), 2},
                 {"a compare function", uint32_t(d.compareFunction), 7}};
  for (const auto &number : numbers)
    if (number.given > number.most)
      return bad(fmt::format("{} with the number {} is not supported", number.name, number.given));
  if (!d.normalizedCoordinates) {
    for (SamplerAddressMode mode : {d.sAddressMode, d.tAddressMode, d.rAddressMode})
      if (mode == SamplerAddressMode::Repeat || mode == SamplerAddressMode::MirrorRepeat)
        return bad("coordinates in pixels cannot repeat, only be clamped");
    if (d.minFilter != d.magFilter || d.mipFilter != SamplerMipFilter::NotMipmapped)
      return bad(
          "coordinates in pixels need one filter for minification and magnification, and no mip filter");
  }
  const auto half = [](float v) { return v > 65504 ? kHalfInfinity : uint64_t(halfFromFloat(v)); };
  return uint64_t(!d.normalizedCoordinates) << kCoordBit | uint64_t(d.sAddressMode) << kSAddressBit |
         uint64_t(d.tAddressMode) << kTAddressBit | uint64_t(d.rAddressMode) << kRAddressBit |
         uint64_t(d.magFilter) << kMagFilterBit | uint64_t(d.minFilter) << kMinFilterBit |
         uint64_t(d.mipFilter) << kMipFilterBit | uint64_t(d.compareFunction) << kCompareBit |
         uint64_t(d.borderColor) << kBorderBit | uint64_t(d.maxAnisotropy) << kAnisotropyBit |
         half(d.lodMinClamp) << kLodMinBit | half(d.lodMaxClamp) << kLodMaxBit | uint64_t(1) << kInlineBit;
}

} // namespace assay
