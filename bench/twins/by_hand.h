// The third way: plain C++ as a programmer would write it who has half an hour, not a week. Compiled with -O3
// for this machine's processor; all processors take part, through TBB as in Assay. All matrices are
// row-major.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::twins {

/// A value of IEEE's half precision; the processor converts.
using half = _Float16;

/// 32 weights of four bits in the format q4_0 of ggml: weight i < 16 is the low nibble of byte i, weight
/// 16 + i its high nibble, each less 8 and times the scale.
struct Q4Block {
  half scale;
  uint8_t nibbles[16];
};
static_assert(sizeof(Q4Block) == 18);

struct DeltaNetByHand {
  uint32_t keySize, valueSize, heads, tokens; ///< keySize at most 128; valueSize a multiple of 16
  const float *q, *k, *v, *g, *beta, *stateIn;
  float *output, *stateOut;
};

void saxpyByHand(float a, size_t count, const float *x, float *y);
/// Points of [-2.2, 1) by [-1.5, 1.5); width is a multiple of 32.
void mandelbrotByHand(uint32_t width, uint32_t height, uint32_t steps, uint32_t *counts);
void rowSumsByHand(uint32_t rows, uint32_t columns, const float *in, float *sums);
void rowSoftmaxByHand(uint32_t rows, uint32_t columns, const float *in, float *out);
/// c = a * b of n by n; n is a multiple of 32.
void productByHand(uint32_t n, const float *a, const float *b, float *c);
void halfProductByHand(uint32_t n, const half *a, const half *b, float *c);
/// y = w * x, `columns` of w a multiple of 32.
void q4MatrixVectorByHand(uint32_t rows, uint32_t columns, const Q4Block *w, const float *x, float *y);
void deltaNetByHand(const DeltaNetByHand &work);

} // namespace assay::twins
