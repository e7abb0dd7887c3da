// What a Texture is a handle of: its descriptor and levels, and memory that its views share.
#pragma once

#include "texture.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace assay::detail {

/// Numbers are not used again: a stale one in an argument buffer finds no texture, and never another one.
uint64_t nextResourceId();

struct TextureState {
  const uint64_t resourceId = nextResourceId();
  TextureDescriptor descriptor;
  const PixelFormatInfo *format = nullptr;
  std::vector<TextureLevel> levels;
  std::shared_ptr<std::byte> memory; ///< the texture's own, a buffer's, or another texture's
};

/// Layers, or faces and layers of cubes.
inline uint64_t layersOf(const TextureDescriptor &d) {
  const TextureTypeInfo &type = textureTypeInfo(d.textureType);
  return (type.arrayed ? d.arrayLength : 1) * type.faces;
}

/// A texture or a view that cannot be made of its descriptor.
inline Error badDescriptor(std::string message, std::string hint = {}) {
  return Error::usage("texture-descriptor", std::move(message), std::move(hint));
}

} // namespace assay::detail
