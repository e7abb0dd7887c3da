// Records which simdgroups have atomically read what other simdgroups have atomically written. Between two
// such simdgroups there may be a hand-over that lacks its fences. This only chooses the text for a race that
// has been found.
//
// The threadgroup memory of two threadgroups may have the same address, so it counts as a hand-over only
// within one threadgroup.
//
// Limit.  At most kMostLocations locations are followed, so that a histogram of millions costs nothing. A
//         race through a later location has the same text as any other race.
#pragma once

#include "fence_order.h"

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

namespace assay::validation {

class Publications {
public:
  void dispatchBegin() { device_.clear(), threadgroup_.clear(); }
  void groupBegin(uint32_t group) {
    group_ = group;
    reads_.clear();
    threadgroup_.clear();
  }
  void atomic(uint32_t simdgroup, uint64_t address, AtomicKind kind, MemorySpace space = MemorySpace::Device);
  /// Whether this threadgroup's `reader` has read what `writer` of `group` has written. For another
  /// threadgroup, any of its simdgroups counts as the writer and any of this one as the reader, because a
  /// barrier may have passed the value on.
  bool handedOver(uint32_t group, uint32_t writer, uint32_t reader) const;

private:
  static constexpr size_t kMostLocations = 4096;
  static uint64_t code(uint32_t group, uint32_t simdgroup) { return uint64_t(group) << 8 | simdgroup; }
  static constexpr uint32_t kAny = 255;
  using Writers = std::unordered_map<uint64_t, std::set<uint64_t>>; ///< by location
  uint32_t group_ = 0;
  Writers device_, threadgroup_;
  std::unordered_map<uint32_t, std::set<uint64_t>> reads_; ///< locations, by simdgroup of this threadgroup
};

} // namespace assay::validation
