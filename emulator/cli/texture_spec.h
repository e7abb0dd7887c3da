// Makes textures and samplers from the SPEC of `assay run --texture INDEX=SPEC` and `--sampler
// INDEX=OPTIONS`.
//
// A texture has the shape of a NumPy array: [width], [height,width], [depth,height,width]. Layers and the six
// faces of a cube come before these axes; the samples of a multisampled texel come after them, and its
// channels last. Numbers are as in memory: 0 to 255 for rgba8unorm. Formats that pack channels into a word
// have no axis of channels.
#pragma once

#include "../host/assay.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// A texture before the run, as far as it is known without the kernel.
struct TextureSpec {
  std::string text;                       ///< for messages
  bool null = false;                      ///< no texture, for which kernels ask by is_null_texture
  std::optional<PixelFormat> format = {}; ///< none: from the types of the array and the argument
  ScalarType type = ScalarType::UChar;
  std::vector<uint64_t> shape = {}; ///< of the array
  std::string bytes = {};
};

/// null, zeros:FORMAT[d0,..], poison:FORMAT[..], rand:FORMAT[..][:SEED], FORMAT[..]:v0,v1,..,
/// FILE.npy[:FORMAT], FILE.png[:FORMAT]. The shapes are without channels, except for a file's.
///   errors   Usage "bad-spec", "bad-value", "npy", "no-such-file", "unreadable-file", "pixel-format" (names
///            the nearest)
Result<TextureSpec> readTextureSpec(std::string_view text);

/// The texture that the kernel needs, with the array's texels, for reading and writing.
///   user     what needs it, for messages: "argument 'photo' of type texture2d<float>"
///   errors   Usage "texture-shape": the array has other axes than the argument; as Device::newTexture
Result<Texture> makeTexture(const Device &device, const TextureSpec &spec, const TextureUse &use,
                            const std::string &user);

/// A texture's texels at level 0 as an array.
struct TextureArray {
  ScalarType type;
  std::vector<uint64_t> shape;
  std::string bytes;
};
TextureArray textureArray(const Texture &texture);

/// "linear,repeat,pixel,..": words of msl_shim/detail/sampler_options.def, with or without their group
/// ("filter::linear", "mip_filter::linear", "t_address::repeat"); a bare word is in the first group that has
/// it. "lod_min_clamp=0.5", "lod_max_clamp=3" and "max_anisotropy=4" have numbers.
///   errors   Usage "bad-spec" (names the nearest), "sampler-descriptor"
Result<SamplerState> parseSampler(const Device &device, std::string_view text);

/// As users write it: "rgba8unorm".
std::string formatName(PixelFormat format);

} // namespace assay::cli
