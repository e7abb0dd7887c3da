// Views of textures.
#include "texture_views.h"

#include <fmt/format.h>

namespace assay {
namespace {

/// Types with the same number are views of one another. source: Apple's documentation of newTextureView.
int familyOf(TextureType type) {
  switch (type) {
  case TextureType::Type1D:
  case TextureType::Type1DArray: return 1;
  case TextureType::Type2D:
  case TextureType::Type2DArray:
  case TextureType::TypeCube:
  case TextureType::TypeCubeArray: return 2;
  case TextureType::Type2DMultisample:
  case TextureType::Type2DMultisampleArray: return 3;
  case TextureType::Type3D: return 4;
  default: return 5;
  }
}

bool outside(Range range, uint64_t count) {
  return !range.length || range.location > count || range.length > count - range.location;
}

TextureSwizzle through(const TextureSwizzleChannels &below, TextureSwizzle channel) {
  return channel < TextureSwizzle::Red ? channel : below[size_t(channel) - size_t(TextureSwizzle::Red)];
}

} // namespace

Result<Texture> Texture::newTextureView(PixelFormat format) const {
  return newTextureView(format, textureType(), {0, mipmapLevelCount()},
                        {0, detail::layersOf(state_->descriptor)});
}

Result<Texture> Texture::newTextureView(PixelFormat format, TextureType type, Range levels, Range slices,
                                        TextureSwizzleChannels swizzle) const {
  const TextureDescriptor &from = state_->descriptor;
  const PixelFormatInfo *info = pixelFormatInfo(format);
  if (!info)
    return Error::usage("pixel-format", fmt::format("pixel format {} is not supported", uint32_t(format)));
  if (info->bytes != state_->format->bytes || info->isDepth() != state_->format->isDepth())
    return detail::badDescriptor(
        fmt::format("a texture of format {} has no view of format {}", state_->format->name, info->name),
        "texels have the same size, and depth formats stay themselves");
  if (size_t(type) >= kTextureTypes.size() || familyOf(type) != familyOf(from.textureType))
    return detail::badDescriptor(
        fmt::format("a texture of type {} has no view of type {}", textureTypeInfo(from.textureType).name,
                    size_t(type) < kTextureTypes.size() ? textureTypeInfo(type).name : "?"));
  if (outside(levels, from.mipmapLevelCount))
    return detail::badDescriptor(fmt::format("{} levels from {} on, of a texture that has {}", levels.length,
                                             levels.location, from.mipmapLevelCount));
  if (outside(slices, detail::layersOf(from)))
    return detail::badDescriptor(fmt::format("{} slices from {} on, of a texture that has {}", slices.length,
                                             slices.location, detail::layersOf(from)));
  const TextureTypeInfo &typeInfo = textureTypeInfo(type);
  if (slices.length % typeInfo.faces || (!typeInfo.arrayed && slices.length != typeInfo.faces))
    return detail::badDescriptor(fmt::format("a view of type {} has {}{} slices, {} are asked for",
                                             typeInfo.name, typeInfo.arrayed ? "a multiple of " : "",
                                             typeInfo.faces, slices.length));
  if (typeInfo.faces > 1 && from.width != from.height)
    return detail::badDescriptor("the faces of a cube are squares");
  for (TextureSwizzle channel : swizzle)
    if (channel > TextureSwizzle::Alpha)
      return detail::badDescriptor(fmt::format("no swizzle has the number {}", uint32_t(channel)));

  auto state = std::make_shared<detail::TextureState>();
  state->descriptor = from;
  TextureDescriptor &d = state->descriptor;
  d.textureType = type;
  d.pixelFormat = format;
  d.mipmapLevelCount = levels.length;
  d.arrayLength = slices.length / typeInfo.faces;
  for (size_t i = 0; i < swizzle.size(); ++i)
    d.swizzle[i] = through(from.swizzle, swizzle[i]);
  state->format = info;
  state->memory = state_->memory;
  for (uint64_t n = 0; n < levels.length; ++n) {
    TextureLevel level = state_->levels[levels.location + n];
    level.base += slices.location * level.sliceBytes;
    state->levels.push_back(level);
  }
  d.width = state->levels[0].width;
  d.height = state->levels[0].height;
  d.depth = state->levels[0].depth;
  Texture view;
  view.state_ = std::move(state);
  return view;
}

} // namespace assay
