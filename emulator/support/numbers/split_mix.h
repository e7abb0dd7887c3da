// The project's random numbers: splitmix64, written out here because the standard library's distributions
// differ between implementations, and a seed must mean the same everywhere.
#pragma once

#include <cstdint>

namespace assay {

/// Sebastiano Vigna's splitmix64: a Weyl sequence through a 64-bit mixer.
class SplitMix64 {
public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// In [0, bound): the high word of the 128-bit product. Its bias is below 2^-32 for the sizes of a
  /// dispatch.
  uint64_t below(uint64_t bound) { return uint64_t((unsigned __int128)(next())*bound >> 64); }

private:
  uint64_t state_;
};

} // namespace assay
