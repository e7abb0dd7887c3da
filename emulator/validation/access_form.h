// Describes the addresses of the lanes of an access as runs.
//
// Neighbouring lanes mostly access neighbouring elements, or the same element: rows of a tile, a value for
// all lanes, members of structures. A form depends only on the distances between lanes. These distances are
// nearly always the same when a kernel comes to an access again.
#pragma once

#include "../support/abi/observer.h"

#include <array>
#include <cstring>
#include <vector>

namespace assay::validation {

struct AccessRun {
  int64_t offset;  ///< of its first byte, from the address of lane 0
  uint64_t bytes;  ///< to its last byte, with what lies between elements
  uint32_t lane;   ///< of the first element; each later one is of the next lane, unless the stride is 0
  uint32_t stride; ///< bytes from element to element; 0: several lanes access each byte
};

class AccessForm {
public:
  /// For whole simdgroups, and accesses of `bytes` bytes.
  AccessForm(const int64_t *distances, uint64_t bytes);

  bool isOf(const int64_t *distances, uint64_t bytes) const {
    return bytes == bytes_ && std::memcmp(distances, distances_.data(), sizeof distances_) == 0;
  }
  uint64_t bytes() const { return bytes_; }
  int64_t distance(uint32_t lane) const { return distances_[lane]; }
  /// False: lanes overlap in part, or there are as many runs as lanes.
  bool hasRuns() const { return !runs_.empty(); }
  const std::vector<AccessRun> &runs() const { return runs_; }
  /// Whether each byte is accessed by several lanes.
  bool isShared() const { return isShared_; }

private:
  std::array<int64_t, kSimdWidth> distances_;
  uint64_t bytes_;
  std::vector<AccessRun> runs_;
  bool isShared_ = false;
};

} // namespace assay::validation
