// Simd operations that compute: reductions and prefix scans. See simd_eval.h for the rules.
#include "runtime/simd_eval.h"

#include "support/numbers/float_bits.h"

#include <cstring>
#include <limits>
#include <type_traits>

namespace assay::runtime {
namespace {

enum class Combine { Sum, Product, Min, Max, And, Or, Xor };

// How one scalar type computes. `Value` is what is combined; `load` and `store` go to and from memory.
// `arithmetic` says that a value is the result of an operation and not a lane's own.
template <class T> struct Integer {
  using Value = T;
  using Unsigned = std::make_unsigned_t<T>;
  using Stored = T;
  static Value load(Stored bits) { return bits; }
  static Stored store(Value value) { return value; }
  static Value prepare(Value value, const NumericsProfile &) { return value; }
  static Value finish(Value value, const NumericsProfile &) { return value; }
  static Value one() { return 1; }
  template <Combine kCombine> static Value combine(Value a, Value b) {
    // Wraps as MSL's integers do; 64 bits so that the product of two 16-bit values is not an int that
    // overflows.
    const uint64_t x = Unsigned(a), y = Unsigned(b);
    switch (kCombine) {
    case Combine::Sum: return Value(Unsigned(x + y));
    case Combine::Product: return Value(Unsigned(x * y));
    case Combine::Min: return b < a ? b : a;
    case Combine::Max: return a < b ? b : a;
    case Combine::And: return Value(Unsigned(x & y));
    case Combine::Or: return Value(Unsigned(x | y));
    case Combine::Xor: return Value(Unsigned(x ^ y));
    }
    return a;
  }
};

// A value below the smallest normal one of a format (in the bits of a float) becomes a zero of the same sign.
float flushed(float value, uint32_t smallestNormal) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return (bits & 0x7fffffff) < smallestNormal ? std::bit_cast<float>(bits & 0x80000000) : value;
}

// fmin, or fmax if kMax.
template <bool kMax> float extremum(float a, float b) {
  if (isNanBits(std::bit_cast<uint32_t>(a)))
    return b;
  if (isNanBits(std::bit_cast<uint32_t>(b)))
    return a;
  // Signed magnitudes as ordered integers: -0 below +0, and no comparison that MXCSR could change.
  auto key = [](float value) {
    const int32_t bits = std::bit_cast<int32_t>(value);
    return bits < 0 ? int32_t(0x80000000u - uint32_t(bits)) - 1 : bits;
  };
  const bool bIsSmaller = key(b) < key(a);
  return bIsSmaller != kMax ? b : a;
}

// The three float types differ in how a step is rounded and whether it flushes. MXCSR flushes steps where the
// profile lets it (NumericsProfile::flushesInHardware); kFlush does it by hand.
template <class Format, bool kFlush = false> struct Floating {
  using Value = float;
  using Stored = typename Format::Stored;
  static Value load(Stored bits) { return Format::widen(bits); }
  static Stored store(Value value) { return Format::narrow(value); }
  static Value prepare(Value value, const NumericsProfile &numerics) {
    return Format::flushes(numerics) ? flushed(value, Format::kSmallestNormal) : value;
  }
  static Value finish(Value value, const NumericsProfile &numerics) {
    const bool nan = isNanBits(std::bit_cast<uint32_t>(value));
    return nan && numerics.nan == NanBits::Canonical ? std::bit_cast<float>(kCanonicalNanFloat) : value;
  }
  static Value one() { return 1.0f; }
  /// Whether a step must be done by Floating<Format, true>.
  static bool needsFlush(const NumericsProfile &numerics) {
    return !kFlush && Format::flushesExplicitly(numerics);
  }
  template <Combine kCombine> static Value combine(Value a, Value b) {
    const auto step = [](Value value) { return kFlush ? flushed(value, Format::kSmallestNormal) : value; };
    switch (kCombine) {
    case Combine::Sum: return step(Format::round(step(a) + step(b)));
    case Combine::Product: return step(Format::round(step(a) * step(b)));
    case Combine::Max: return extremum<true>(a, b);
    default: return extremum<false>(a, b);
    }
  }
};

struct FloatFormat {
  using Stored = uint32_t;
  static constexpr uint32_t kSmallestNormal = 0x00800000;
  static bool flushes(const NumericsProfile &numerics) { return numerics.flushF32; }
  static bool flushesExplicitly(const NumericsProfile &numerics) { return numerics.flushesF32Explicitly(); }
  static float widen(Stored bits) { return std::bit_cast<float>(bits); }
  static Stored narrow(float value) { return std::bit_cast<uint32_t>(value); }
  static float round(float value) { return value; }
};
struct HalfFormat {
  using Stored = uint16_t;
  static constexpr uint32_t kSmallestNormal = 0x38800000; // 2^-14
  static bool flushes(const NumericsProfile &numerics) { return numerics.flushF16; }
  static bool flushesExplicitly(const NumericsProfile &numerics) { return numerics.flushF16; }
  static float widen(Stored bits) { return floatFromHalf(bits); }
  static Stored narrow(float value) { return halfFromFloat(value); }
  static float round(float value) { return floatFromHalf(halfFromFloat(value)); }
};
struct BfloatFormat {
  using Stored = uint16_t;
  static constexpr uint32_t kSmallestNormal = 0x00800000;
  static bool flushes(const NumericsProfile &numerics) { return numerics.flushBf16; }
  static bool flushesExplicitly(const NumericsProfile &numerics) { return numerics.flushesBf16Explicitly(); }
  static float widen(Stored bits) { return floatFromBfloat(bits); }
  static Stored narrow(float value) { return bfloatFromFloat(value); }
  static float round(float value) { return floatFromBfloat(bfloatFromFloat(value)); }
};

template <class A> auto loadElement(const SimdCall &call, uint32_t lane, uint32_t element) {
  typename A::Stored bits;
  std::memcpy(&bits, static_cast<const typename A::Stored *>(call.in[lane]) + element, sizeof bits);
  return bits;
}
template <class A>
void storeElement(const SimdCall &call, uint32_t lane, uint32_t element, typename A::Stored bits) {
  std::memcpy(static_cast<typename A::Stored *>(call.out[lane]) + element, &bits, sizeof bits);
}

template <uint32_t kWidth> constexpr uint32_t laneMask = ~0u >> (32 - kWidth);

// The tree of the butterfly over `width` lanes: block [i, i+2d) is block [i, i+d) combined with [i+d, i+2d).
template <class A, Combine kCombine, uint32_t kWidth>
typename A::Value reduceTree(typename A::Value *value, uint32_t present) {
  if (present == laneMask<kWidth>) {
    for (uint32_t d = 1; d < kWidth; d *= 2)
      for (uint32_t i = 0; i < kWidth; i += 2 * d)
        value[i] = A::template combine<kCombine>(value[i], value[i + d]);
    return value[0];
  }
  for (uint32_t d = 1; d < kWidth; d *= 2)
    for (uint32_t i = 0; i < kWidth; i += 2 * d) {
      const bool low = present >> i & 1, high = present >> (i + d) & 1;
      if (low && high)
        value[i] = A::template combine<kCombine>(value[i], value[i + d]);
      else if (high)
        value[i] = value[i + d];
      present |= uint32_t(high) << i;
    }
  return value[0];
}

// The tree of halves: [0, d) combined with [d, 2d), for d = width/2 down to 1.
template <class A, Combine kCombine, uint32_t kWidth>
typename A::Value reduceHalves(typename A::Value *value, uint32_t present) {
  for (uint32_t d = kWidth / 2; d > 0; d /= 2)
    for (uint32_t i = 0; i < d; ++i) {
      const bool low = present >> i & 1, high = present >> (i + d) & 1;
      if (low && high)
        value[i] = A::template combine<kCombine>(value[i], value[i + d]);
      else if (high)
        value[i] = value[i + d];
      present |= uint32_t(high) << i;
    }
  return value[0];
}

template <class A, Combine kCombine>
typename A::Value reduceAscending(const typename A::Value *value, uint32_t present) {
  typename A::Value result = value[__builtin_ctz(present)];
  for (present &= present - 1; present; present &= present - 1)
    result = A::template combine<kCombine>(result, value[__builtin_ctz(present)]);
  return result;
}

template <class A, Combine kCombine, uint32_t kWidth>
typename A::Value reduceInOrder(typename A::Value *value, uint32_t present, const NumericsProfile &numerics) {
  const ReductionOrder order = kCombine == Combine::Sum ? numerics.simdSum
                               : kCombine == Combine::Product
                                   ? numerics.simdProduct
                                   : ReductionOrder::Butterfly; // all give the same
  switch (order) {
  case ReductionOrder::Butterfly: return reduceTree<A, kCombine, kWidth>(value, present);
  case ReductionOrder::Pairwise: return reduceHalves<A, kCombine, kWidth>(value, present);
  case ReductionOrder::Sequential: return reduceAscending<A, kCombine>(value, present);
  }
  return value[0];
}

template <class A> constexpr bool kMayNeedFlush = false;
template <class Format> constexpr bool kMayNeedFlush<Floating<Format, false>> = true;
template <class A> struct FlushingOf {
  using Type = A;
};
template <class Format> struct FlushingOf<Floating<Format, false>> {
  using Type = Floating<Format, true>;
};

template <class A, Combine kCombine, uint32_t kWidth> void reduce(const SimdCall &call) {
  if constexpr (kMayNeedFlush<A>)
    if (A::needsFlush(*call.numerics))
      return reduce<typename FlushingOf<A>::Type, kCombine, kWidth>(call);
  constexpr bool kOrders = kCombine == Combine::Min || kCombine == Combine::Max;
  for (uint32_t element = 0; element < call.count; ++element) {
    typename A::Value value[32] = {};
    forEachLane(call.active, [&](uint32_t lane) {
      value[lane] = A::load(loadElement<A>(call, lane, element));
      if (kOrders) // sums and products flush by MXCSR
        value[lane] = A::prepare(value[lane], *call.numerics);
    });
    for (uint32_t base = 0; base < 32; base += kWidth) {
      const uint32_t present = call.active >> base & laneMask<kWidth>;
      if (!present)
        continue;
      const bool alone = (present & (present - 1)) == 0;
      typename A::Stored bits;
      if (alone) {
        bits = loadElement<A>(call, base + uint32_t(__builtin_ctz(present)), element);
      } else {
        const auto result = reduceInOrder<A, kCombine, kWidth>(value + base, present, *call.numerics);
        bits = A::store(A::finish(result, *call.numerics));
      }
      forEachLane(present << base, [&](uint32_t lane) { storeElement<A>(call, lane, element, bits); });
    }
  }
}

// Inclusive prefixes of every position from the first active one on. `computed` marks prefixes that are the
// result of an operation and not a lane's own value.
template <class A, Combine kCombine, uint32_t kWidth>
void scanDoubling(typename A::Value *value, uint32_t present, uint32_t &computed) {
  const bool all = present == laneMask<kWidth>;
  if (all)
    computed = laneMask<kWidth> & ~1u;
  for (uint32_t d = 1; d < kWidth; d *= 2) {
    typename A::Value before[32];
    std::memcpy(before, value, kWidth * sizeof(typename A::Value));
    if (all) { // no decision for each lane
      for (uint32_t i = d; i < kWidth; ++i)
        value[i] = A::template combine<kCombine>(before[i - d], before[i]);
      continue;
    }
    const uint32_t had = present, wasComputed = computed;
    for (uint32_t i = d; i < kWidth; ++i) {
      const bool below = had >> (i - d) & 1, own = had >> i & 1;
      if (!below)
        continue;
      value[i] = own ? A::template combine<kCombine>(before[i - d], before[i]) : before[i - d];
      present |= 1u << i;
      computed |= (own ? 1u : wasComputed >> (i - d) & 1) << i;
    }
  }
}

template <class A, Combine kCombine, uint32_t kWidth>
void scanAscending(typename A::Value *value, uint32_t present, uint32_t &computed) {
  for (uint32_t i = uint32_t(__builtin_ctz(present)) + 1; i < kWidth; ++i) {
    const bool own = present >> i & 1;
    value[i] = own ? A::template combine<kCombine>(value[i - 1], value[i]) : value[i - 1];
    computed |= (own ? 1u : computed >> (i - 1) & 1) << i;
  }
}

template <class A, Combine kCombine, uint32_t kWidth, bool kExclusive> void scan(const SimdCall &call) {
  if constexpr (kMayNeedFlush<A>)
    if (A::needsFlush(*call.numerics))
      return scan<typename FlushingOf<A>::Type, kCombine, kWidth, kExclusive>(call);
  const typename A::Value identity = kCombine == Combine::Sum ? typename A::Value(0) : A::one();
  for (uint32_t element = 0; element < call.count; ++element) {
    typename A::Value value[32] = {};
    forEachLane(call.active,
                [&](uint32_t lane) { value[lane] = A::load(loadElement<A>(call, lane, element)); });
    for (uint32_t base = 0; base < 32; base += kWidth) {
      const uint32_t present = call.active >> base & laneMask<kWidth>;
      if (!present)
        continue;
      uint32_t computed = 0;
      if (call.numerics->simdPrefix == ScanOrder::Doubling)
        scanDoubling<A, kCombine, kWidth>(value + base, present, computed);
      else
        scanAscending<A, kCombine, kWidth>(value + base, present, computed);
      const uint32_t first = uint32_t(__builtin_ctz(present));
      // Read every lane's bits before any is written: a first lane's own bits may be another's result.
      const typename A::Stored firstBits = loadElement<A>(call, base + first, element);
      forEachLane(present, [&](uint32_t i) {
        const uint32_t at = kExclusive ? i - 1 : i;
        typename A::Stored bits = firstBits;
        if (kExclusive && i == first)
          bits = A::store(identity);
        else if (computed >> at & 1)
          bits = A::store(A::finish(value[base + at], *call.numerics));
        storeElement<A>(call, base + i, element, bits);
      });
    }
  }
}

template <class A, uint32_t kWidth> SimdFunction arithmetic(SimdOp op) {
  switch (op) {
  case SimdOp::Sum: return reduce<A, Combine::Sum, kWidth>;
  case SimdOp::Product: return reduce<A, Combine::Product, kWidth>;
  case SimdOp::Min: return reduce<A, Combine::Min, kWidth>;
  case SimdOp::Max: return reduce<A, Combine::Max, kWidth>;
  case SimdOp::PrefixInclusiveSum: return scan<A, Combine::Sum, kWidth, false>;
  case SimdOp::PrefixExclusiveSum: return scan<A, Combine::Sum, kWidth, true>;
  case SimdOp::PrefixInclusiveProduct: return scan<A, Combine::Product, kWidth, false>;
  case SimdOp::PrefixExclusiveProduct: return scan<A, Combine::Product, kWidth, true>;
  default: return nullptr;
  }
}

template <class A, uint32_t kWidth> SimdFunction bitwise(SimdOp op) {
  switch (op) {
  case SimdOp::And: return reduce<A, Combine::And, kWidth>;
  case SimdOp::Or: return reduce<A, Combine::Or, kWidth>;
  case SimdOp::Xor: return reduce<A, Combine::Xor, kWidth>;
  default: return nullptr;
  }
}

bool isBitwise(SimdOp op) {
  return op == SimdOp::And || op == SimdOp::Or || op == SimdOp::Xor;
}

template <uint32_t kWidth> SimdFunction bitwiseBySize(SimdOp op, uint8_t bytes) {
  switch (bytes) {
  case 1: return bitwise<Integer<uint8_t>, kWidth>(op);
  case 2: return bitwise<Integer<uint16_t>, kWidth>(op);
  case 4: return bitwise<Integer<uint32_t>, kWidth>(op);
  default: return bitwise<Integer<uint64_t>, kWidth>(op);
  }
}

template <uint32_t kWidth> SimdFunction arithmeticByType(SimdOp op, ScalarType type) {
  switch (type) {
  case ScalarType::Bool:
  case ScalarType::UChar: return arithmetic<Integer<uint8_t>, kWidth>(op);
  case ScalarType::Char: return arithmetic<Integer<int8_t>, kWidth>(op);
  case ScalarType::Short: return arithmetic<Integer<int16_t>, kWidth>(op);
  case ScalarType::UShort: return arithmetic<Integer<uint16_t>, kWidth>(op);
  case ScalarType::Int: return arithmetic<Integer<int32_t>, kWidth>(op);
  case ScalarType::UInt: return arithmetic<Integer<uint32_t>, kWidth>(op);
  case ScalarType::Long: return arithmetic<Integer<int64_t>, kWidth>(op);
  case ScalarType::ULong: return arithmetic<Integer<uint64_t>, kWidth>(op);
  case ScalarType::Half: return arithmetic<Floating<HalfFormat>, kWidth>(op);
  case ScalarType::BFloat: return arithmetic<Floating<BfloatFormat>, kWidth>(op);
  case ScalarType::Float: return arithmetic<Floating<FloatFormat>, kWidth>(op);
  }
  return nullptr;
}

} // namespace

SimdFunction simdReduction(SimdOp op, ScalarType type) {
  if (onlyMeets(op))
    return nullptr;
  const SimdForm form = simdForm(op);
  const uint8_t bytes = scalarTypeInfo(type).bytes;
  if (isBitwise(form.op))
    return form.width == 32 ? bitwiseBySize<32>(form.op, bytes) : bitwiseBySize<4>(form.op, bytes);
  return form.width == 32 ? arithmeticByType<32>(form.op, type) : arithmeticByType<4>(form.op, type);
}

} // namespace assay::runtime
