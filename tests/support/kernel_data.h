// Numbers for kernel tests: the same on every machine for one seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::testing_support {

/// splitmix64, whose whole state is its seed.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// In [low, high), 24 bits.
  float uniform(float low, float high) { return low + (high - low) * float(bits() >> 40) * 0x1p-24f; }
  uint32_t below(uint32_t bound) { return uint32_t(bits() % bound); }

private:
  uint64_t state_;
};

inline std::vector<float> uniformFloats(size_t count, uint64_t seed, float low = -1, float high = 1) {
  Random random(seed);
  std::vector<float> out(count);
  for (float &x : out)
    x = random.uniform(low, high);
  return out;
}

} // namespace assay::testing_support
