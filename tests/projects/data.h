// Inputs: the same for one seed on every machine.
#pragma once

#include "number.h"
#include "tests/support/kernel_data.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace assay::projects {

/// Uniform in [low, high), rounded to T.
template <class T> std::vector<T> uniform(size_t count, uint64_t seed, double low = -1, double high = 1) {
  testing_support::Random random(seed);
  std::vector<T> out(count);
  for (T &x : out)
    x = as<T>(low + (high - low) * double(random.bits() >> 11) * 0x1p-53);
  return out;
}

/// Any bits: for what is moved and not computed with.
template <class T> std::vector<T> anyBits(size_t count, uint64_t seed) {
  testing_support::Random random(seed);
  std::vector<T> out(count);
  for (T &x : out) {
    const uint64_t bits = random.bits();
    std::memcpy(&x, &bits, sizeof(T));
  }
  return out;
}

inline std::vector<uint32_t> below(uint32_t bound, size_t count, uint64_t seed) {
  testing_support::Random random(seed);
  std::vector<uint32_t> out(count);
  for (uint32_t &x : out)
    x = random.below(bound);
  return out;
}

/// 0 .. count - 1 in random order.
inline std::vector<uint32_t> permutation(uint32_t count, uint64_t seed) {
  testing_support::Random random(seed);
  std::vector<uint32_t> out(count);
  std::iota(out.begin(), out.end(), 0u);
  for (uint32_t i = count; i > 1; --i)
    std::swap(out[i - 1], out[random.below(i)]);
  return out;
}

/// Numbers that differ from each other by at least `step`, in random order: for sorts and selections, where
/// a tie would have two right answers.
template <class T> std::vector<T> distinct(uint32_t count, uint64_t seed, double step = 1.0 / 16) {
  std::vector<T> out;
  for (const uint32_t i : permutation(count, seed))
    out.push_back(as<T>((double(i) - count / 2) * step));
  return out;
}

} // namespace assay::projects
