// The SPECs of --texture, and the options of --sampler. No file is read.
#include "fuzz.h"

#include "cli/sampler_spec.h"
#include "cli/texture_spec.h"

using namespace assay;
using namespace assay::fuzz;
using namespace assay::cli;

namespace {

void texture(std::string_view spec) {
  if (spec.find(".npy") != spec.npos || spec.find(".png") != spec.npos || spec.find(".bin") != spec.npos)
    return;
  if (asksForMuch(spec))
    return;
  const Result<TextureSpec> texture = readTextureSpec(spec);
  if (!acceptedOrExplained(texture) || texture->null)
    return;
  uint64_t bytes = scalarTypeInfo(texture->type).bytes;
  for (uint64_t extent : texture->shape)
    bytes *= extent;
  require(texture->format.has_value(), "a texture that is no file has a format");
  require(texture->bytes.size() == bytes, "the texels have the size of their shape");
  for (const TextureType type : {TextureType::Type1D, TextureType::Type2D, TextureType::Type3D,
                                 TextureType::TypeCube, TextureType::Type2DArray}) {
    const Result<Texture> made = makeTexture(Device(), *texture, {type}, "argument 't'");
    if (acceptedOrExplained(made) && texture->bytes.size() < 65536)
      require(textureArray(*made).bytes == texture->bytes, "texels are read as they were written");
  }
}

} // namespace

static int tryInput(const uint8_t *data, size_t size) {
  const std::string_view text = textOf(data, size);
  texture(text);
  const Result<SamplerState> sampler = parseSampler(Device(), text);
  (void)acceptedOrExplained(sampler);
  return 0;
}

static const Parser parser("texture_spec", tryInput);
