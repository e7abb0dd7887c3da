// GGUF's quantised blocks, as bytes with random contents, and what each of their values stands for, exactly.
// source: the format as ggml writes it: a block is scales followed by packed quants; K-quants have 256 values
// in sub-blocks of 16 or 32 with scales of their own.
#pragma once

#include "data.h"
#include "reference.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace assay::projects {

struct GgmlFormat {
  uint32_t values, bytes;       ///< of a block
  std::vector<uint32_t> halves; ///< offsets of its half scales
  void (*decode)(const uint8_t *block, Real *out);
};

namespace ggml {

inline Real half(const uint8_t *at) {
  Half h;
  std::memcpy(&h, at, 2);
  return value(h);
}

inline void q4_0(const uint8_t *b, Real *out) {
  for (int i = 0; i < 16; ++i) {
    out[i] = half(b).value * ((b[2 + i] & 15) - 8);
    out[i + 16] = half(b).value * ((b[2 + i] >> 4) - 8);
  }
}
inline void q8_0(const uint8_t *b, Real *out) {
  for (int i = 0; i < 32; ++i)
    out[i] = half(b).value * int8_t(b[2 + i]);
}

// Eight pairs of a 6-bit scale and a 6-bit minimum in 12 bytes.
inline void scaleAndMinimum(const uint8_t *s, int j, int &scale, int &minimum) {
  scale = j < 4 ? s[j] & 63 : (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
  minimum = j < 4 ? s[j + 4] & 63 : s[j + 4] >> 4 | (s[j] >> 6) << 4;
}

// q5_K is q4_K with a plane of fifth bits before the nibbles.
inline void k45(const uint8_t *b, const uint8_t *fifth, const uint8_t *nibbles, Real *out) {
  for (int i = 0; i < 256; ++i) {
    const int sub = i / 32, low = nibbles[sub / 2 * 32 + i % 32] >> (sub % 2 * 4) & 15;
    const int q = low | (fifth ? fifth[i % 32] >> sub & 1 : 0) << 4;
    int scale, minimum;
    scaleAndMinimum(b + 4, sub, scale, minimum);
    // The kernels sum the two parts apart, so the error of the weight is that of the larger.
    const double part = half(b).value * scale * q, base = half(b + 2).value * minimum;
    out[i] = Real(part - base, 3 * kUnit<float> * (std::fabs(part) + std::fabs(base)));
  }
}
inline void q4_K(const uint8_t *b, Real *out) {
  k45(b, nullptr, b + 16, out);
}
inline void q5_K(const uint8_t *b, Real *out) {
  k45(b, b + 16, b + 48, out);
}

inline void q6_K(const uint8_t *b, Real *out) {
  const uint8_t *low = b, *high = b + 128;
  const int8_t *scales = reinterpret_cast<const int8_t *>(b + 192);
  for (int i = 0; i < 256; ++i) {
    const int part = i / 128, quarter = i % 128 / 32, l = i % 32;
    const int nibble = low[part * 64 + quarter % 2 * 32 + l] >> (quarter / 2 * 4) & 15;
    const int q = (nibble | (high[part * 32 + l] >> (2 * quarter) & 3) << 4) - 32;
    out[i] = half(b + 208).value * scales[i / 16] * q;
  }
}

inline const GgmlFormat Q4_0{32, 18, {0}, q4_0}, Q8_0{32, 34, {0}, q8_0}, Q4_K{256, 144, {0, 2}, q4_K},
    Q5_K{256, 176, {0, 2}, q5_K}, Q6_K{256, 210, {208}, q6_K};

} // namespace ggml

/// Random blocks for `count` values, with scales of a size that floats like.
inline std::vector<uint8_t> ggmlBlocks(const GgmlFormat &format, size_t count, uint64_t seed) {
  std::vector<uint8_t> out = anyBits<uint8_t>(count / format.values * format.bytes, seed);
  const auto scales = uniform<Half>(out.size(), seed + 1, 0.01, 0.2);
  for (size_t block = 0; block * format.bytes < out.size(); ++block)
    for (const uint32_t offset : format.halves)
      std::memcpy(&out[block * format.bytes + offset], &scales[block * 2 + (offset != format.halves[0])], 2);
  return out;
}

inline Reals decoded(const GgmlFormat &format, const std::vector<uint8_t> &blocks) {
  Reals out(blocks.size() / format.bytes * format.values);
  for (size_t block = 0; block * format.bytes < blocks.size(); ++block)
    format.decode(&blocks[block * format.bytes], &out[block * format.values]);
  return out;
}

} // namespace assay::projects
