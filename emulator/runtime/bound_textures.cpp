#include "runtime/bound_textures.h"

#include "msl_shim/detail/texture_request.h"

#include <algorithm>
#include <iterator>

namespace assay::runtime {

const TextureView *textureOf(const DispatchRequest &request, uint64_t handle) {
  const std::vector<TextureView> &slots = request.textures;
  if (handle < __assay_texture::kFirstResourceId)
    return handle - 1 < slots.size() && slots[handle - 1].levelCount ? &slots[handle - 1] : nullptr;
  const std::vector<ResidentTexture> &resident = request.residentTextures;
  const auto found =
      std::lower_bound(resident.begin(), resident.end(), handle,
                       [](const ResidentTexture &texture, uint64_t id) { return texture.resourceId < id; });
  return found != resident.end() && found->resourceId == handle ? &found->view : nullptr;
}

uint64_t samplerOf(const DispatchRequest &request, uint64_t handle) {
  if (handle >> __assay_texture::kInlineBit)
    return handle;
  return handle - 1 < request.samplers.size() ? request.samplers[handle - 1].bits : 0;
}

TextureUse textureUseOf(uint32_t declared) {
  constexpr Access kAccess[] = {Access::Sample, Access::Read, Access::Write, Access::ReadWrite};
  static_assert(__assay_texture::kSampled == 0 && __assay_texture::kReadAndWritten == 3);
  const auto byte = [&](unsigned at) { return declared >> at & 0xff; };
  TextureUse use;
  if (const uint32_t number = byte(__assay_texture::kClassBit); number < kTextureClasses.size()) {
    use.type = kTextureClasses[number].type;
    use.depth = kTextureClasses[number].depth;
  }
  if (const uint32_t number = byte(__assay_texture::kElementBit); number < kScalarTypes.size())
    use.element = ScalarType(number);
  use.access = kAccess[byte(__assay_texture::kAccessBit) % std::size(kAccess)];
  return use;
}

} // namespace assay::runtime
