// Floats around every bfloat: what a narrowing must round, one way or the other.
#pragma once

#include "tests/kernels/oracles/f32.h"

#include <bit>
#include <cmath>
#include <vector>

namespace assay::testing_support {

/// Every sign, exponent and kept bit, infinities and NaNs too, with the lost bits at and beside the tie.
inline std::vector<float> bfloatNeighbourhoods() {
  std::vector<float> values;
  for (uint32_t high = 0; high < 0x10000; ++high)
    for (const uint32_t low : {0x0000u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      values.push_back(std::bit_cast<float>(high << 16 | low));
  return values;
}

template <class Profile> std::vector<uint16_t> narrowed(const std::vector<float> &values) {
  std::vector<uint16_t> out;
  for (const float value : values)
    out.push_back(oracle::F32<Profile>::toBfloat(value));
  return out;
}

/// The profile that leaves the bits of a NaN open: all of them as one.
inline std::vector<uint16_t> withOneNaN(std::vector<uint16_t> values) {
  for (uint16_t &value : values)
    if (std::isnan(oracle::fromBfloat(value)))
      value = 0x7fc0;
  return values;
}

} // namespace assay::testing_support
