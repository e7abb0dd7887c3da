// See publications.h.
#include "validation/publications.h"

#include <algorithm>

namespace assay::validation {

void Publications::atomic(uint32_t simdgroup, uint64_t address, AtomicKind kind, MemorySpace space) {
  Writers &writers = space == MemorySpace::Threadgroup ? threadgroup_ : device_;
  auto found = writers.find(address);
  if (found == writers.end()) {
    if (writers.size() >= kMostLocations || kind == AtomicKind::Load)
      return;
    found = writers.emplace(address, std::set<uint64_t>()).first;
  }
  if (kind != AtomicKind::Store)
    reads_[simdgroup].insert(address);
  if (kind != AtomicKind::Load) {
    found->second.insert(code(group_, simdgroup));
    found->second.insert(code(group_, kAny));
  }
}

bool Publications::handedOver(uint32_t group, uint32_t writer, uint32_t reader) const {
  const bool other = group != group_;
  const Writers *const kinds[] = {&device_, &threadgroup_};
  const uint64_t wanted = other ? code(group, kAny) : code(group, writer);
  return std::any_of(reads_.begin(), reads_.end(), [&](const auto &read) {
    return (other || read.first == reader) &&
           std::any_of(read.second.begin(), read.second.end(), [&](uint64_t address) {
             return std::any_of(std::begin(kinds), std::end(kinds), [&](const Writers *writers) {
               const auto found = writers->find(address);
               return found != writers->end() && found->second.contains(wanted);
             });
           });
  });
}

} // namespace assay::validation
