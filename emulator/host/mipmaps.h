// Mip levels that are computed from the levels before them, for blit encoders and for textures of the command
// line.
#pragma once

#include "texture.h"

namespace assay::detail {

/// errors   Usage "texture-format": integers or depths; "null-texture"
Result<void> canHaveMipmaps(const Texture &texture);

/// Fills all levels but the first, as BlitCommandEncoder::generateMipmaps says.
///   texture   one that can have mipmaps
void generateMipmaps(const Texture &texture);

} // namespace assay::detail
