// MLX's affine quantisation: a value is scale * q + bias, with a scale and a bias for each group of a row.
#pragma once

#include "data.h"
#include "reference.h"

#include <cstdint>
#include <vector>

namespace assay::projects {

/// A random matrix; S is the type of scales and biases.
template <class S> struct Affine {
  uint32_t bits, rows, columns, group;
  std::vector<uint8_t> packed; ///< rows of little-endian bit fields
  std::vector<S> scales, biases;

  Affine(uint32_t bits, uint32_t rows, uint32_t columns, uint32_t group, uint64_t seed)
      : bits(bits), rows(rows), columns(columns), group(group),
        packed(anyBits<uint8_t>(rows * columns * bits / 8, seed)),
        scales(uniform<S>(rows * columns / group, seed + 1, 0.01, 0.1)),
        biases(uniform<S>(rows * columns / group, seed + 2)) {}

  uint32_t quant(uint32_t r, uint32_t c) const {
    const size_t first = (size_t(r) * columns + c) * bits;
    uint32_t q = 0;
    for (uint32_t b = 0; b < bits; ++b)
      q |= (packed[(first + b) / 8] >> (first + b) % 8 & 1) << b;
    return q;
  }
  Real part(uint32_t r, uint32_t c) const { return quant(r, c) * value(scales[groupOf(r, c)]); }
  Real bias(uint32_t r, uint32_t c) const { return value(biases[groupOf(r, c)]); }
  /// A weight that is rounded to S: fused in one rounding, or with its product rounded first.
  Real weight(uint32_t r, uint32_t c) const {
    const Real w(part(r, c).value + bias(r, c).value);
    return stored<S>(Real(w.value, kUnit<S> * std::fabs(part(r, c).value)));
  }

private:
  size_t groupOf(uint32_t r, uint32_t c) const { return (size_t(r) * columns + c) / group; }
};

} // namespace assay::projects
