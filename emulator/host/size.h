// MTLSize and NSRange, and the size of a dispatch.
#pragma once

#include <cstdint>

namespace assay {

/// Counts of threads or threadgroups. They have 64 bits, so that a count that is too large is an error and
/// does not wrap.
struct Size {
  uint64_t width = 1, height = 1, depth = 1;

  constexpr Size() = default;
  constexpr Size(uint64_t w, uint64_t h = 1, uint64_t d = 1) : width(w), height(h), depth(d) {}
  static constexpr Size Make(uint64_t w, uint64_t h, uint64_t d) { return {w, h, d}; }
  bool operator==(const Size &) const = default;
};

/// How much a dispatch runs, for either of Metal's two calls.
struct DispatchSize {
  Size grid;        ///< threadgroups if wholeThreadgroups, else threads
  Size threadgroup; ///< in threads
  bool wholeThreadgroups = true;

  static constexpr DispatchSize threadgroups(Size perGrid, Size threadsPerThreadgroup) {
    return {perGrid, threadsPerThreadgroup, true};
  }
  static constexpr DispatchSize threads(Size perGrid, Size threadsPerThreadgroup) {
    return {perGrid, threadsPerThreadgroup, false};
  }
  bool operator==(const DispatchSize &) const = default;
};

/// `length` items from `location` on.
struct Range {
  uint64_t location = 0, length = 0;
  static constexpr Range Make(uint64_t location, uint64_t length) { return {location, length}; }
};

} // namespace assay
