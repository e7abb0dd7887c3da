// Finds what a host names by a number: a buffer by an address in it, a texture, a sampler or a tensor by its
// gpuResourceID.
//
// Problem.  Metal 4 binds numbers and not objects.
// Choice.   The device knows what lives on it. Resources enter themselves when they are made and leave when
//           they end; a binding takes what has the number at that moment, and keeps it.
// Rejected. Numbers that are pointers to objects: a wrong one would be followed.
#pragma once

#include "host/assay.h"

#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace assay::metal {

class ResourceFinder {
public:
  void enter(const Buffer &buffer);
  void enter(const Texture &texture);
  void enter(const Tensor &tensor);
  void enter(const SamplerState &sampler);
  void leave(const Buffer &buffer);
  void leave(const Texture &texture);
  void leave(const Tensor &tensor);

  /// The buffer that has the address, or ends at it, and the offset in it. Of several the longest.
  std::optional<std::pair<Buffer, size_t>> bufferAt(uint64_t address) const;
  std::optional<Texture> texture(uint64_t number) const;
  std::optional<Tensor> tensor(uint64_t number) const;
  std::optional<SamplerState> sampler(uint64_t number) const;

private:
  mutable std::mutex mutex_;
  std::multimap<uint64_t, Buffer> buffers_; // by address
  std::map<uint64_t, Texture> textures_;
  std::map<uint64_t, Tensor> tensors_;
  std::map<uint64_t, SamplerState> samplers_;
};

} // namespace assay::metal
