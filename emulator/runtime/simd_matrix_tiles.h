// The evaluation of matrix products for one set of instructions. simd_matrix.cpp includes this file once for
// each set, in a namespace of its own, with
//   ASSAY_MATRIX_FUNCTION   what each function is declared with
//   kInstructions           whether AVX2, FMA and F16C may be used; the macro of that name says the same
//   kRowsAtOnce             how far to unroll: eight chains of vector code hide their latency
// A row of eight elements is one vector of the compiler's, which takes as many registers as it needs.

typedef float FloatRow __attribute__((vector_size(32)));
typedef uint32_t WordRow __attribute__((vector_size(32)));
typedef int32_t SignedRow __attribute__((vector_size(32)));

// ---- arithmetic of one type ----

struct FloatMatrix {
  using Stored = uint32_t;
  static constexpr int32_t kSmallestNormal = 0x00800000;
  using Row = FloatRow;
  ASSAY_MATRIX_FUNCTION static void widen(const Stored *bits, Row &row) {
    std::memcpy(&row, bits, sizeof row);
  }
  ASSAY_MATRIX_FUNCTION static void narrow(const Row &row, Stored *bits) {
    const WordRow nan = (WordRow)(row != row);
    const WordRow canonical = (nan & kCanonicalNanFloat) | (~nan & (WordRow)row);
    std::memcpy(bits, &canonical, sizeof canonical);
  }
  ASSAY_MATRIX_FUNCTION static void round(Row &) {}
  /// acc = a * b + acc. Without the instruction, as in fusedMultiplyAdd (soft_float.h).
  ASSAY_MATRIX_FUNCTION static void step(float a, const Row &b, Row &acc) {
    if constexpr (kInstructions) {
#if ASSAY_MATRIX_INSTRUCTIONS
      acc = (Row)_mm256_fmadd_ps(_mm256_set1_ps(a), (__m256)b, (__m256)acc);
#endif
    } else {
      for (uint32_t i = 0; i < kSide; ++i)
        acc[i] = fusedMultiplyAdd(a, b[i], acc[i]);
    }
  }
};

template <bool kEachStep> struct BfloatMatrix {
  using Stored = uint16_t;
  static constexpr int32_t kSmallestNormal = FloatMatrix::kSmallestNormal;
  using Row = FloatRow;
  ASSAY_MATRIX_FUNCTION static void widen(const Stored *bits, Row &row) {
    for (uint32_t i = 0; i < kSide; ++i)
      row[i] = std::bit_cast<float>(uint32_t(bits[i]) << 16);
  }
  ASSAY_MATRIX_FUNCTION static void narrow(const Row &row, Stored *bits) {
    Row rounded = row;
    toBfloat(rounded);
    for (uint32_t i = 0; i < kSide; ++i)
      bits[i] = uint16_t(std::bit_cast<uint32_t>(float(rounded[i])) >> 16);
  }
  ASSAY_MATRIX_FUNCTION static void round(Row &row) {
    if (kEachStep)
      toBfloat(row);
  }
  ASSAY_MATRIX_FUNCTION static void step(float a, const Row &b, Row &acc) {
    FloatMatrix::step(a, b, acc);
    round(acc);
  }

private:
  // Half a unit less one, plus one where the last kept bit is odd; carries run into the exponent.
  ASSAY_MATRIX_FUNCTION static void toBfloat(Row &row) {
    const WordRow bits = (WordRow)row;
    const WordRow rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    const WordRow nan = (WordRow)((bits & 0x7fffffff) > 0x7f800000);
    row = (Row)((nan & kCanonicalNanFloat) | (~nan & rounded));
  }
};

struct HalfMatrix {
  using Stored = uint16_t;
  static constexpr int32_t kSmallestNormal = 0x38800000; // 2^-14 as a float
  using Row = FloatRow;
  ASSAY_MATRIX_FUNCTION static void widen(const Stored *bits, Row &row) {
    if constexpr (kInstructions) {
#if ASSAY_MATRIX_INSTRUCTIONS
      row = (Row)_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(bits)));
#endif
    } else {
      for (uint32_t i = 0; i < kSide; ++i)
        row[i] = floatFromHalf(bits[i]);
    }
  }
  // Of halves, NaNs apart.
  ASSAY_MATRIX_FUNCTION static void narrow(const Row &row, Stored *bits) {
    const WordRow nan = (WordRow)(row != row);
    const Row canonical = (Row)((nan & kCanonicalNanFloat) | (~nan & (WordRow)row));
    if constexpr (kInstructions) {
#if ASSAY_MATRIX_INSTRUCTIONS
      _mm_storeu_si128(reinterpret_cast<__m128i *>(bits), _mm256_cvtps_ph((__m256)canonical, 0));
#endif
    } else {
      for (uint32_t i = 0; i < kSide; ++i)
        bits[i] = halfFromFloat(canonical[i]);
    }
  }
  // Without the instruction: rounds to 11 bits, or to multiples of 2^-24, by adding and subtracting a number
  // whose last bit lies there.
  ASSAY_MATRIX_FUNCTION static void round(Row &row) {
    if constexpr (kInstructions) {
#if ASSAY_MATRIX_INSTRUCTIONS
      row = (Row)_mm256_cvtph_ps(_mm256_cvtps_ph((__m256)row, 0));
#endif
    } else {
      const WordRow bits = (WordRow)row, sign = bits & 0x80000000, exponent = bits & 0x7f800000;
      const WordRow small = (WordRow)(exponent < uint32_t(kSmallestNormal));
      const Row shift = (Row)((small & uint32_t(kSmallestNormal)) | (~small & exponent)) * 0x1.8p13f;
      const WordRow kept = (WordRow)((row + shift) - shift) | sign;
      const WordRow fits = (WordRow)((Row)(bits ^ sign) < 65520.0f);
      const WordRow beyond = (WordRow)(row * std::numeric_limits<float>::infinity());
      row = (Row)((fits & kept) | (~fits & beyond));
    }
  }
  ASSAY_MATRIX_FUNCTION static void step(float a, const Row &b, Row &acc) {
    const Row product = a * b, sum = product + acc;
    const Row rest = sum - product;
    const Row error = (product - (sum - rest)) + (acc - rest); // exact: Knuth's two-sum; NaN if not finite
    const WordRow inexact = (WordRow)(error < 0) | (WordRow)(error > 0);
    const WordRow bits = (WordRow)sum, even = (bits & 1) - 1;
    const WordRow direction = (WordRow)((SignedRow)(bits ^ (WordRow)error) >> 31) | 1; // of the exact sum
    acc = (Row)(bits + (inexact & even & direction));
    round(acc);
  }
};

// A with its subnormals flushed by hand, for profiles that MXCSR cannot serve.
template <class A> struct Flushed : A {
  using Row = typename A::Row;
  ASSAY_MATRIX_FUNCTION static void widen(const typename A::Stored *bits, Row &row) {
    A::widen(bits, row);
    flush(row);
  }
  ASSAY_MATRIX_FUNCTION static void round(Row &row) {
    A::round(row);
    flush(row);
  }
  ASSAY_MATRIX_FUNCTION static void step(float a, const Row &b, Row &acc) {
    A::step(a, b, acc);
    flush(acc);
  }

private:
  ASSAY_MATRIX_FUNCTION static void flush(Row &row) {
    const WordRow bits = (WordRow)row;
    const WordRow tiny = (WordRow)((SignedRow)(bits & 0x7fffffff) < A::kSmallestNormal);
    row = (Row)(bits & ~(tiny & 0x7fffffff));
  }
};

// ---- products of tiles ----

template <class A> struct Tile {
  typename A::Row row[kSide];
};

/// acc += a * b, each element a chain over k: eight rows of eight chains that do not wait for one another.
template <class A, bool kDescending>
ASSAY_MATRIX_FUNCTION void chain(const Tile<A> &a, const Tile<A> &b, Tile<A> &acc) {
  Tile<A> sum = acc;
#pragma GCC unroll 1
  for (uint32_t step = 0; step < kSide; ++step) {
    const uint32_t k = kDescending ? kSide - 1 - step : step;
    const typename A::Row right = b.row[k];
#pragma GCC unroll kRowsAtOnce
    for (uint32_t i = 0; i < kSide; ++i)
      A::step(a.row[i][k], right, sum.row[i]);
  }
  acc = sum;
}

template <class A> ASSAY_MATRIX_FUNCTION void pairwise(const Tile<A> &a, const Tile<A> &b, Tile<A> &acc) {
#pragma GCC unroll 1
  for (uint32_t i = 0; i < kSide; ++i) {
    typename A::Row term[kSide];
    for (uint32_t k = 0; k < kSide; ++k) {
      term[k] = a.row[i][k] * b.row[k];
      A::round(term[k]);
    }
    for (uint32_t distance = 1; distance < kSide; distance *= 2)
      for (uint32_t k = 0; k < kSide; k += 2 * distance) {
        term[k] += term[k + distance];
        A::round(term[k]);
      }
    acc.row[i] += term[0];
    A::round(acc.row[i]);
  }
}

// ---- lanes to tiles and back ----

template <class A> ASSAY_MATRIX_FUNCTION void read(const SimdCall &call, uint32_t first, Tile<A> &tile) {
  typename A::Stored bits[kSide][kSide];
  for (uint32_t lane = 0; lane < 32; ++lane)
    std::memcpy(&bits[laneRow(lane)][laneColumn(lane)],
                static_cast<const typename A::Stored *>(call.in[lane]) + first, 2 * sizeof bits[0][0]);
  for (uint32_t i = 0; i < kSide; ++i)
    A::widen(bits[i], tile.row[i]);
}

template <class A>
ASSAY_MATRIX_FUNCTION void write(const SimdCall &call, uint32_t first, const Tile<A> &tile) {
  using Stored = typename A::Stored;
  Stored bits[kSide][kSide];
  for (uint32_t i = 0; i < kSide; ++i)
    A::narrow(tile.row[i], bits[i]);
  for (uint32_t lane = 0; lane < 32; ++lane)
    std::memcpy(static_cast<Stored *>(call.out[lane]) + first, &bits[laneRow(lane)][laneColumn(lane)],
                2 * sizeof(Stored));
}

template <class A> ASSAY_MATRIX_FUNCTION void evaluateAll(const SimdCall &call, bool accumulate) {
  for (uint32_t first = 0; first < call.count; first += 2) {
    Tile<A> left, right, acc = {};
    read(call, first, left);
    read(call, call.count + first, right);
    if (accumulate)
      read(call, 2 * call.count + first, acc);
    switch (call.numerics->matrix) {
    case MatrixOrder::Ascending: chain<A, false>(left, right, acc); break;
    case MatrixOrder::Descending: chain<A, true>(left, right, acc); break;
    case MatrixOrder::Pairwise: pairwise(left, right, acc); break;
    }
    write(call, first, acc);
  }
}

template <bool kAccumulate> void evaluateFloat(const SimdCall &call) {
  if (call.numerics->flushesF32Explicitly())
    flushedFloat(call, kAccumulate);
  else
    evaluateAll<FloatMatrix>(call, kAccumulate);
}
template <bool kAccumulate> void evaluateHalf(const SimdCall &call) {
  if (call.numerics->flushF16)
    flushedHalf(call, kAccumulate);
  else
    evaluateAll<HalfMatrix>(call, kAccumulate);
}
template <bool kAccumulate> void evaluateBfloat(const SimdCall &call) {
  if (call.numerics->flushesBf16Explicitly())
    flushedBfloat(call, kAccumulate);
  else if (call.numerics->bfloatMatrixSteps)
    evaluateAll<BfloatMatrix<true>>(call, kAccumulate);
  else
    evaluateAll<BfloatMatrix<false>>(call, kAccumulate);
}

template <bool kAccumulate> SimdFunction byType(ScalarType type) {
  switch (type) {
  case ScalarType::Half: return evaluateHalf<kAccumulate>;
  case ScalarType::BFloat: return evaluateBfloat<kAccumulate>;
  default: // the shim has no matrices of other types
    return evaluateFloat<kAccumulate>;
  }
}
