// Numbers of the formats that tensors have: how the bits of an element become a number, and a sum the bits of
// a destination.
#pragma once

#include "tests/kernels/oracles/f32.h"
#include "tests/kernels/oracles/matrix.h"
#include "tests/support/kernel_data.h"

#include <bit>
#include <cstdint>
#include <vector>

namespace assay::testing_support {

struct FloatBits {
  using Bits = float;
  static float value(float x) { return x; }
  static float result(float x) { return x; }
  static float make(float x) { return x; }
};
struct HalfBits {
  using Bits = uint16_t;
  static float value(uint16_t x) { return oracle::fromHalf(x); }
  static uint16_t result(float x) { return oracle::toHalf(x); }
  static uint16_t make(float x) { return oracle::toHalf(x); }
};
struct BfloatBits {
  using Bits = uint16_t;
  static float value(uint16_t x) { return std::bit_cast<float>(uint32_t(x) << 16); }
  static uint16_t result(float x) { return oracle::F32<oracle::Apple>::toBfloat(x); }
  static uint16_t make(float x) { return oracle::toBfloat(x); }
};

template <class Format> std::vector<typename Format::Bits> numbers(size_t count, uint64_t seed) {
  std::vector<typename Format::Bits> bits;
  for (const float x : uniformFloats(count, seed, -2, 2))
    bits.push_back(Format::make(x));
  return bits;
}

} // namespace assay::testing_support
