// Makes textures from the SPEC of `assay run --texture INDEX=SPEC`.
//
// A texture has the shape of a NumPy array: [width], [height,width], [depth,height,width]. Layers and the six
// faces of a cube come before these axes; the samples of a multisampled texel come after them, and its
// channels last. Numbers are as in memory: 0 to 255 for rgba8unorm. Formats that pack channels into a word
// have no axis of channels. The pictures of PNG files have [height,width]. The axes before these follow from
// the number of pictures and the type of the kernel's argument.
#pragma once

#include "../host/assay.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// What the levels for which no SPEC is given hold.
enum class OtherLevels : uint8_t {
  None, ///< there are no others
  Box,  ///< BlitCommandEncoder::generateMipmaps
  Zeros,
  Poison,
};

/// A texture before the run, or one level of it, as far as it is known without the kernel.
struct TextureSpec {
  std::string text;                       ///< for messages
  bool null = false;                      ///< no texture, for which kernels ask by is_null_texture
  std::optional<PixelFormat> format = {}; ///< none: from the types of the array and the argument
  ScalarType type = ScalarType::UChar;
  std::vector<uint64_t> shape = {}; ///< of the array
  std::string bytes = {};
  uint64_t pictures = 0; ///< PNG files: `bytes` has so many arrays of `shape`; 0: it is one array
  std::vector<TextureSpec> smaller = {};  ///< levels 1, 2, ..
  OtherLevels others = OtherLevels::None; ///< after those
  uint64_t levels = 0;                    ///< with `others`: how many in all; 0: down to one texel
};

/// LEVEL, or LEVEL;LEVEL;.. from the largest on, with ...=box, ...=zeros or ...=poison at the end, and
/// perhaps :LEVELS, for those that are left out. A LEVEL is null (then the only one), zeros:FORMAT[d0,..],
/// poison:FORMAT[..], rand:FORMAT[..][:SEED], FORMAT[..]:v0,v1,.., FILE.npy[:FORMAT], FILE.png[:FORMAT] or
/// several files as in picture_files.h. The shapes are without channels, except for a file's.
///   errors   Usage "bad-spec", "bad-value", "npy", "png", "no-such-file", "unreadable-file", "texture-shape"
///            (pictures of several sizes), "pixel-format" (names the nearest)
Result<TextureSpec> readTextureSpec(std::string_view text);

/// The texture that the kernel needs, with the array's texels, for reading and writing.
///   user     what needs it, for messages: "argument 'photo' of type texture2d<float>"
///   errors   Usage "texture-shape": the array has other axes than the argument, or a level has not half the
///            extents of the one before; "texture-format": a level has another format, or one that has no box
///            filter; as Device::newTexture
Result<Texture> makeTexture(const Device &device, const TextureSpec &spec, const TextureUse &use,
                            const std::string &user);

/// A level's texels as an array.
struct TextureArray {
  ScalarType type;
  std::vector<uint64_t> shape;
  std::string bytes;
};
TextureArray textureArray(const Texture &texture, uint64_t level = 0);
/// How many pictures a level is: its layers, faces and depths.
uint64_t picturesOf(const Texture &texture, uint64_t level);

/// As users write it: "rgba8unorm".
std::string formatName(PixelFormat format);

} // namespace assay::cli
