// The sentences of a fault of a texture access.
#include "runtime/bound_textures.h"
#include "runtime/fault.h"
#include "support/abi/texture_rules.h"

#include <fmt/format.h>

namespace assay::runtime {
namespace {

using namespace __assay_texture;

std::string textureName(const SiteInfo &site, uint64_t handle) {
  if (handle >= kFirstResourceId)
    return fmt::format("the texture of an argument buffer with gpuResourceID {:#x}", handle);
  return fmt::format("texture({}){}", handle - 1,
                     site.memoryName.empty() ? "" : " '" + site.memoryName + "'");
}

std::string tuple(std::initializer_list<uint32_t> numbers, uint32_t count) {
  std::string text;
  for (uint32_t i = 0; i < count; ++i)
    text += fmt::format("{}{}", i ? "," : "", numbers.begin()[i]);
  return count > 1 ? "(" + text + ")" : text;
}

std::string extents(const TextureLevel &level, uint32_t coordinates) {
  std::string text = fmt::format("{}", level.width);
  if (coordinates > 1)
    text += fmt::format(" x {}", level.height);
  if (coordinates > 2)
    text += fmt::format(" x {}", level.depth);
  return text;
}

const char *verb(const SiteInfo &site, bool sampled) {
  if (sampled)
    return "sample";
  return site.access == AccessKind::Write    ? "write"
         : site.access == AccessKind::Atomic ? "atomic access"
                                             : "read";
}

// Names the first of the coordinates that is too large.
Error outOfBounds(const RunPlan &plan, const SiteInfo &site, const Fault &fault) {
  const TextureView &texture = *textureOf(plan.request, fault.texture);
  const TextureTypeInfo &type = textureTypeInfo(texture.type);
  const uint32_t *at = fault.texel;
  const std::string name = textureName(site, fault.texture);
  const auto plain = [&](const char *what, uint32_t index, uint64_t count, const char *unit,
                         const char *method) {
    return Error::kernel("out-of-bounds",
                         fmt::format("{} of {} {} of {}, which has {} {}{}", verb(site, fault.sampled), what,
                                     index, name, count, unit, count == 1 ? "" : "s"),
                         site.where,
                         fmt::format("{}compare it with {}() before the access",
                                     fault.sampled ? "without checks it is the last layer; " : "", method));
  };
  if (at[kLevel] >= texture.levelCount)
    return plain("level", at[kLevel], texture.levelCount, "level", "get_num_mip_levels");
  if (at[kLayer] >= texture.arrayLength)
    return plain("layer", at[kLayer], texture.arrayLength, "layer", "get_array_size");
  if (type.faces > 1 && at[kZ] >= type.faces)
    return Error::kernel("out-of-bounds",
                         fmt::format("{} of face {} of {}, which has {} faces", verb(site, fault.sampled),
                                     at[kZ], name, type.faces),
                         site.where, "a cube has the faces 0 to 5");
  if (at[kSampleIndex] >= texture.sampleCount)
    return plain("sample", at[kSampleIndex], texture.sampleCount, "sample", "get_num_samples");
  const TextureLevel &level = texture.levels[at[kLevel]];
  return Error::kernel("out-of-bounds",
                       fmt::format("{} at {} of {}, which is {}{}", verb(site, fault.sampled),
                                   tuple({at[kX], at[kY], at[kZ]}, type.coordinates), name,
                                   extents(level, type.coordinates),
                                   at[kLevel] ? fmt::format(" at level {}", at[kLevel]) : ""),
                       site.where,
                       site.access == AccessKind::Atomic
                           ? "compare the coordinate with get_width() and the other sizes before the access"
                           : "Metal reads zeros there and drops writes; if that is not meant, compare the "
                             "coordinate with get_width() and the other sizes before the access");
}

} // namespace

Error describeTextureFault(const RunPlan &plan, const SiteInfo &site, const Fault &fault) {
  switch (fault.mistake) {
  case TextureMistake::NoTexture:
    if (fault.texture == 0)
      return Error::kernel("null-texture", fmt::format("{} of a null texture", verb(site, fault.sampled)),
                           site.where, "ask is_null_texture() before the access");
    if (fault.texture > kTextureSlots)
      return Error::kernel(
          "out-of-bounds",
          fmt::format("{} of a texture with gpuResourceID {:#x}, which the dispatch does not know",
                      verb(site, fault.sampled), fault.texture),
          site.where,
          "textures of argument buffers must be made known by useResource; else check that the "
          "argument buffer holds the texture's gpuResourceID");
    return Error::kernel(
        "null-texture",
        fmt::format("{} of {}, which is null", verb(site, fault.sampled), textureName(site, fault.texture)),
        site.where,
        fmt::format("ask is_null_texture() before the access, or bind a texture to slot {}",
                    fault.texture - 1));
  case TextureMistake::NoSampler:
    return Error::kernel("sampler", "a sampler that is neither bound nor constexpr nor of an argument buffer",
                         site.where, "check that the argument buffer holds the sampler's gpuResourceID");
  case TextureMistake::Misfit: {
    const TextureUse use = textureUseOf(fault.texel[kDeclared]);
    const auto misfit = textureMisfit(*textureOf(plan.request, fault.texture), use,
                                      textureName(site, fault.texture), textureSpelling(use));
    return Error::kernel(misfit->rule, misfit->message, site.where, misfit->hint);
  }
  case TextureMistake::LinearIntegers:
    return Error::kernel("sampler",
                         fmt::format("a linear filter samples {}, whose format {} holds integers",
                                     textureName(site, fault.texture),
                                     textureOf(plan.request, fault.texture)->format->name),
                         site.where, "integers have no mean: use filter::nearest");
  case TextureMistake::RepeatedPixels:
    return Error::kernel("sampler", "address::repeat or mirrored_repeat with coord::pixel", site.where,
                         "they need coord::normalized; pixels can be clamped");
  case TextureMistake::BicubicFilter:
    return Error::kernel(
        "sampler", fmt::format("filter::bicubic samples {}", textureName(site, fault.texture)), site.where,
        "its weights are published nowhere, so there is no result to give: use filter::linear, or "
        "compute the weights in the kernel");
  case TextureMistake::Reduction:
    return Error::kernel("sampler",
                         fmt::format("a sampler with reduction::minimum or maximum samples {}",
                                     textureName(site, fault.texture)),
                         site.where,
                         "it is not supported: read the texels and compute their minimum in the kernel");
  case TextureMistake::SamplerBias:
    return Error::kernel("sampler",
                         fmt::format("a sampler with a bias samples {}", textureName(site, fault.texture)),
                         site.where, "it is not supported: add it to the level that the sample asks for");
  case TextureMistake::FarOffset:
    return Error::kernel("sampler", "an offset of a sample or gather is not in -8..7", site.where,
                         "add it to the coordinate");
  case TextureMistake::NoAtomicFormat:
    return Error::kernel("texture-atomic",
                         fmt::format("an atomic operation on {}, whose format is {}",
                                     textureName(site, fault.texture),
                                     textureOf(plan.request, fault.texture)->format->name),
                         site.where, "Metal has them for the formats R32Uint and R32Sint");
  default: return outOfBounds(plan, site, fault);
  }
}

} // namespace assay::runtime
