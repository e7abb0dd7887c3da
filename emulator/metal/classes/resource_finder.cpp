#include "resource_finder.h"

namespace assay::metal {

void ResourceFinder::enter(const Buffer &buffer) {
  const std::lock_guard lock(mutex_);
  if (buffer.length())
    buffers_.emplace(buffer.gpuAddress(), buffer);
}
void ResourceFinder::enter(const Texture &texture) {
  const std::lock_guard lock(mutex_);
  textures_.insert_or_assign(texture.gpuResourceID(), texture);
}
void ResourceFinder::enter(const Tensor &tensor) {
  const std::lock_guard lock(mutex_);
  tensors_.insert_or_assign(tensor.gpuResourceID(), tensor);
}
void ResourceFinder::enter(const SamplerState &sampler) {
  const std::lock_guard lock(mutex_);
  samplers_.insert_or_assign(sampler.gpuResourceID(), sampler);
}

// Buffers of a heap may share an address; those of one length are the same memory.
void ResourceFinder::leave(const Buffer &buffer) {
  const std::lock_guard lock(mutex_);
  const auto [first, last] = buffers_.equal_range(buffer.gpuAddress());
  for (auto at = first; at != last; ++at)
    if (at->second.length() == buffer.length()) {
      buffers_.erase(at);
      return;
    }
}
void ResourceFinder::leave(const Texture &texture) {
  const std::lock_guard lock(mutex_);
  textures_.erase(texture.gpuResourceID());
}
void ResourceFinder::leave(const Tensor &tensor) {
  const std::lock_guard lock(mutex_);
  tensors_.erase(tensor.gpuResourceID());
}

std::optional<std::pair<Buffer, size_t>> ResourceFinder::bufferAt(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  std::optional<std::pair<Buffer, size_t>> best;
  uint64_t rest = 0;
  for (auto at = buffers_.upper_bound(address); at != buffers_.begin();) {
    --at;
    const uint64_t offset = address - at->first;
    if (offset <= at->second.length() && (!best || at->second.length() - offset > rest)) {
      best = {at->second, offset};
      rest = at->second.length() - offset;
    }
    // Only buffers that share memory overlap: those of one heap.
    if (best && at->first + at->second.length() < address)
      break;
  }
  return best;
}

namespace {
template <class Map> std::optional<typename Map::mapped_type> valueAt(const Map &map, uint64_t number) {
  const auto found = map.find(number);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}
} // namespace

std::optional<Texture> ResourceFinder::texture(uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return valueAt(textures_, number);
}
std::optional<Tensor> ResourceFinder::tensor(uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return valueAt(tensors_, number);
}
std::optional<SamplerState> ResourceFinder::sampler(uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return valueAt(samplers_, number);
}

} // namespace assay::metal
