#include "runtime/bound_textures.h"

#include "msl_shim/detail/texture_request.h"

#include <algorithm>

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

} // namespace assay::runtime
