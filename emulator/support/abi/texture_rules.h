// Decides which textures a kernel may use as a class of <metal_texture>. Each rule has its message here
// alone. A dispatch checks textures in slots before it runs. The runtime checks, at each access, a texture
// that a kernel found in an argument buffer.
#pragma once

#include "module_info.h"
#include "texture_view.h"

#include "../text/rule.h"

#include <optional>
#include <string>

namespace assay {

struct TextureMisfit {
  Rule rule; ///< "texture-type", "texture-format" or "texture-usage"
  std::string message, hint;
};

/// Nothing if the texture can be used so.
///   texture  names it in a message: "the texture at index 3"
///   user     names the argument that needs another texture: "'image' (texture2d<float>)"
std::optional<TextureMisfit> textureMisfit(const TextureView &texture, const TextureUse &use,
                                           const std::string &textureName, const std::string &user);

/// As the user would write it: "texture2d<float, access::read>".
std::string textureSpelling(const TextureUse &use);

} // namespace assay
