// Every simd and quad operation, on every type, under full and partial masks, against the sentence that
// defines it: the expected value of each lane is worked out here lane by lane, in the slowest way.
#include "runtime/random.h"
#include "runtime/simd_eval.h"
#include "tests/runtime/test_kernel.h"

#include <xmmintrin.h>

#include <cmath>
#include <limits>
#include <optional>

namespace assay::runtime::test {
namespace {

constexpr uint32_t kMasks[] = {~0u,         1u,          1u << 31,    0x1fffu,
                               0xaaaaaaaau, 0x00f0000fu, 0x90000001u, 0x7ffffffeu};

// Lanes with `count` elements each, as bytes.
struct Lanes {
  Lanes(uint32_t elementBytes, uint32_t count, uint32_t inputs, uint64_t seed)
      : elementBytes(elementBytes), count(count), in(32), out(32) {
    SplitMix64 random(seed);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      in[lane].resize(size_t(elementBytes) * count * inputs);
      for (uint8_t &byte : in[lane])
        byte = uint8_t(random.next());
      out[lane].assign(std::max<size_t>(size_t(elementBytes) * count, 8), 0xcd);
    }
  }
  void evaluate(SimdOp op, ScalarType type, uint32_t active,
                const NumericsProfile &numerics = kAppleNumerics) {
    const void *inPointers[32];
    void *outPointers[32];
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const bool isActive = active >> lane & 1; // others must not be touched
      inPointers[lane] = isActive ? in[lane].data() : nullptr;
      outPointers[lane] = isActive ? out[lane].data() : nullptr;
    }
    simdFunction(op, type)({inPointers, outPointers, operand, active, count, &numerics});
  }
  template <class T> T &input(uint32_t lane, uint32_t element = 0) {
    return reinterpret_cast<T *>(in[lane].data())[element];
  }
  template <class T> T output(uint32_t lane, uint32_t element = 0) const {
    T value;
    std::memcpy(&value, out[lane].data() + element * sizeof(T), sizeof value);
    return value;
  }
  uint32_t elementBytes, count;
  std::vector<std::vector<uint8_t>> in, out;
  uint32_t operand[32] = {};
};

// ---- permutes ----

// What a lane gets: element of input 0 or 1 of a lane.
struct From {
  int lane;
  int input = 0;
};

// The definitions, for blocks of w lanes; l is the lane in its block.
From source(SimdOp op, int l, int w, uint32_t operand, uint32_t active) {
  const int o = int(operand & 0xffff);
  switch (op) {
  case SimdOp::Broadcast:
  case SimdOp::Shuffle: return {o};
  case SimdOp::BroadcastFirst:
    for (int j = 0;; ++j)
      if (active >> j & 1)
        return {j};
  case SimdOp::ShuffleXor: return {l ^ o};
  case SimdOp::ShuffleUp: return {l - o};
  case SimdOp::ShuffleDown: return {l + o};
  case SimdOp::ShuffleRotateUp: return {((l - o) % w + w) % w};
  case SimdOp::ShuffleRotateDown: return {(l + o) % w};
  case SimdOp::ShuffleAndFillUp: { // the filling data lies in front of the vector
    const int m = operand >> 16 ? int(operand >> 16) : w, first = l / m * m;
    return l % m - o >= 0 ? From{l - o} : From{first + l % m - o + m, 1};
  }
  default: { // ShuffleAndFillDown: after it
    const int m = operand >> 16 ? int(operand >> 16) : w, first = l / m * m;
    return l % m + o < m ? From{l + o} : From{first + l % m + o - m, 1};
  }
  }
}

void checkPermute(SimdOp op, ScalarType type, uint32_t count, uint32_t active, uint32_t operand,
                  bool perLane) {
  const SimdForm form = simdForm(op);
  const uint32_t bytes = scalarTypeInfo(type).bytes, w = form.width, inputs = simdOpInfo(op).inputs;
  Lanes lanes(bytes, count, inputs, operand + 1);
  for (uint32_t lane = 0; lane < 32; ++lane)
    lanes.operand[lane] = perLane ? (operand + lane * 5) % (w + 3) : operand;
  lanes.evaluate(op, type, active);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1)) {
      EXPECT_THAT(lanes.out[lane], testing::Each(0xcd));
      continue;
    }
    const uint32_t base = lane / w * w, inBlock = active >> base & (w == 32 ? ~0u : 15u);
    From from = source(form.op, int(lane - base), int(w), lanes.operand[lane], inBlock);
    const bool readable = from.lane >= 0 && from.lane < int(w) && (inBlock >> from.lane & 1);
    const uint8_t *expected =
        readable ? lanes.in[base + uint32_t(from.lane)].data() + size_t(from.input) * bytes * count
                 : lanes.in[lane].data();
    EXPECT_EQ(0, std::memcmp(lanes.out[lane].data(), expected, size_t(bytes) * count))
        << simdOpInfo(op).text << " " << scalarTypeInfo(type).metalName << " x" << count << " lane " << lane
        << " operand " << lanes.operand[lane] << " mask " << std::hex << active;
  }
}

class Permute : public testing::TestWithParam<SimdOp> {};

TEST_P(Permute, GivesEachLaneTheValueOfItsSource) {
  const uint32_t w = simdForm(GetParam()).width;
  for (const ScalarTypeInfo &type : kScalarTypes)
    for (uint32_t count : {1u, 3u, 16u})
      for (uint32_t active : kMasks)
        for (uint32_t operand : {0u, 1u, 2u, 3u, w - 1, w, w + 7, 4096u}) {
          if (simdOpInfo(GetParam()).inputs == 2 && operand > w)
            continue;
          checkPermute(GetParam(), type.type, count, active, operand, false);
        }
}

TEST_P(Permute, TakesTheOperandOfEachLane) {
  if (simdOpInfo(GetParam()).inputs == 2)
    return;
  for (uint32_t active : kMasks)
    checkPermute(GetParam(), ScalarType::UInt, 1, active, 3, true);
}

INSTANTIATE_TEST_SUITE_P(Ops, Permute,
                         testing::Values(SimdOp::Broadcast, SimdOp::BroadcastFirst, SimdOp::Shuffle,
                                         SimdOp::ShuffleXor, SimdOp::ShuffleUp, SimdOp::ShuffleDown,
                                         SimdOp::ShuffleRotateUp, SimdOp::ShuffleRotateDown,
                                         SimdOp::ShuffleAndFillUp, SimdOp::ShuffleAndFillDown,
                                         SimdOp::QuadBroadcast, SimdOp::QuadBroadcastFirst,
                                         SimdOp::QuadShuffle, SimdOp::QuadShuffleXor, SimdOp::QuadShuffleUp,
                                         SimdOp::QuadShuffleDown, SimdOp::QuadShuffleRotateUp,
                                         SimdOp::QuadShuffleRotateDown, SimdOp::QuadShuffleAndFillUp,
                                         SimdOp::QuadShuffleAndFillDown),
                         [](const auto &info) { return std::string(simdOpInfo(info.param).text); });

TEST(SimdShuffle, OutOfRangeLaneKeepsOwnValue) {
  Lanes lanes(4, 1, 1, 1);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    lanes.input<uint32_t>(lane) = lane;
    lanes.operand[lane] = 4;
  }
  lanes.evaluate(SimdOp::ShuffleUp, ScalarType::UInt, ~0u);
  EXPECT_EQ(lanes.output<uint32_t>(3), 3u);
  EXPECT_EQ(lanes.output<uint32_t>(4), 0u);
  lanes.evaluate(SimdOp::ShuffleDown, ScalarType::UInt, ~0u);
  EXPECT_EQ(lanes.output<uint32_t>(28), 28u);
  EXPECT_EQ(lanes.output<uint32_t>(27), 31u);
  lanes.operand[9] = 32;
  lanes.evaluate(SimdOp::Shuffle, ScalarType::UInt, ~0u);
  EXPECT_EQ(lanes.output<uint32_t>(9), 9u) << "simd_shuffle with an index of 32";
}

TEST(SimdShuffle, FillTakesTheEndOfTheFillingDataWithinEachVectorOfModuloLanes) {
  for (uint32_t modulo : {2u, 4u, 8u, 16u, 32u}) {
    Lanes lanes(4, 1, 2, 1);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      lanes.input<uint32_t>(lane, 0) = lane;
      lanes.input<uint32_t>(lane, 1) = 100 + lane;
      lanes.operand[lane] = 1 | modulo << 16;
    }
    lanes.evaluate(SimdOp::ShuffleAndFillUp, ScalarType::UInt, ~0u);
    EXPECT_EQ(lanes.output<uint32_t>(0), 100 + modulo - 1);
    EXPECT_EQ(lanes.output<uint32_t>(1), 0u);
    lanes.evaluate(SimdOp::ShuffleAndFillDown, ScalarType::UInt, ~0u);
    EXPECT_EQ(lanes.output<uint32_t>(modulo - 1), 100u);
    EXPECT_EQ(lanes.output<uint32_t>(0), modulo > 1 ? 1u : 100u);
  }
}

// ---- votes ----

TEST(SimdVote, BallotHasTheBitsOfActiveLanesWhosePredicateHolds) {
  for (uint32_t active : kMasks) {
    Lanes lanes(4, 1, 1, 1);
    uint32_t expected = 0;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      lanes.operand[lane] = lane % 3 ? lane << 8 : 0;
      expected |= uint32_t(lane % 3 != 0 && (active >> lane & 1)) << lane;
    }
    lanes.evaluate(SimdOp::Ballot, ScalarType::UInt, active);
    for (uint32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(lanes.output<uint64_t>(lane), active >> lane & 1 ? expected : 0xcdcdcdcdcdcdcdcdu);
    lanes.evaluate(SimdOp::ActiveMask, ScalarType::UInt, active);
    EXPECT_EQ(lanes.output<uint64_t>(uint32_t(__builtin_ctz(active))), active);
  }
}

TEST(QuadVote, BallotHasFourBits) {
  Lanes lanes(4, 1, 1, 1);
  for (uint32_t lane = 0; lane < 32; ++lane)
    lanes.operand[lane] = lane % 3 == 0;
  lanes.evaluate(SimdOp::QuadBallot, ScalarType::UInt, 0xfffffff7);
  EXPECT_EQ(lanes.output<uint64_t>(0), 0b0001u) << "lane 3 is not active";
  EXPECT_EQ(lanes.output<uint64_t>(4), 0b0100u);
  EXPECT_EQ(lanes.output<uint64_t>(11), 0b0010u);
  lanes.evaluate(SimdOp::QuadActiveMask, ScalarType::UInt, 0xfffffff7);
  EXPECT_EQ(lanes.output<uint64_t>(1), 0b0111u);
  EXPECT_EQ(lanes.output<uint64_t>(31), 0b1111u);
}

// ---- integer arithmetic: any order gives the same ----

template <class T> T combine(SimdOp op, T a, T b) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
  case SimdOp::Sum:
  case SimdOp::PrefixInclusiveSum:
  case SimdOp::PrefixExclusiveSum: return T(U(uint64_t(U(a)) + uint64_t(U(b))));
  case SimdOp::Product:
  case SimdOp::PrefixInclusiveProduct:
  case SimdOp::PrefixExclusiveProduct: return T(U(uint64_t(U(a)) * uint64_t(U(b))));
  case SimdOp::Min: return std::min(a, b);
  case SimdOp::Max: return std::max(a, b);
  case SimdOp::And: return T(a & b);
  case SimdOp::Or: return T(a | b);
  default: return T(a ^ b);
  }
}

bool isExclusive(SimdOp op) {
  return op == SimdOp::PrefixExclusiveSum || op == SimdOp::PrefixExclusiveProduct;
}
bool isScan(SimdOp op) {
  return isExclusive(op) || op == SimdOp::PrefixInclusiveSum || op == SimdOp::PrefixInclusiveProduct;
}

template <class T> void checkIntegers(SimdOp op, ScalarType type) {
  const SimdForm form = simdForm(op);
  for (ReductionOrder order :
       {ReductionOrder::Butterfly, ReductionOrder::Pairwise, ReductionOrder::Sequential})
    for (uint32_t count : {1u, 3u})
      for (uint32_t active : kMasks) {
        NumericsProfile numerics = kAppleNumerics;
        numerics.simdSum = numerics.simdProduct = order;
        numerics.simdPrefix =
            order == ReductionOrder::Butterfly ? ScanOrder::Doubling : ScanOrder::Sequential;
        Lanes lanes(sizeof(T), count, 1, active);
        lanes.evaluate(op, type, active, numerics);
        for (uint32_t lane = 0; lane < 32; ++lane)
          for (uint32_t e = 0; active >> lane & 1 && e < count; ++e) {
            const bool isProduct = form.op == SimdOp::PrefixExclusiveProduct;
            std::optional<T> expected;
            if (isExclusive(form.op))
              expected = isProduct ? T(1) : T(0);
            const uint32_t base = lane / form.width * form.width;
            const uint32_t last = isExclusive(form.op) ? lane
                                  : isScan(form.op)    ? lane + 1
                                                       : base + form.width;
            for (uint32_t j = base; j < last; ++j)
              if (active >> j & 1)
                expected =
                    expected ? combine<T>(form.op, *expected, lanes.input<T>(j, e)) : lanes.input<T>(j, e);
            EXPECT_EQ(lanes.output<T>(lane, e), *expected)
                << simdOpInfo(op).text << " " << scalarTypeInfo(type).metalName << " lane " << lane;
          }
      }
}

class Arithmetic : public testing::TestWithParam<SimdOp> {};

TEST_P(Arithmetic, CombinesActiveLanesForEveryIntegerType) {
  checkIntegers<int8_t>(GetParam(), ScalarType::Char);
  checkIntegers<uint8_t>(GetParam(), ScalarType::UChar);
  checkIntegers<int16_t>(GetParam(), ScalarType::Short);
  checkIntegers<uint16_t>(GetParam(), ScalarType::UShort);
  checkIntegers<int32_t>(GetParam(), ScalarType::Int);
  checkIntegers<uint32_t>(GetParam(), ScalarType::UInt);
  checkIntegers<int64_t>(GetParam(), ScalarType::Long);
  checkIntegers<uint64_t>(GetParam(), ScalarType::ULong);
}

INSTANTIATE_TEST_SUITE_P(Ops, Arithmetic,
                         testing::Values(SimdOp::Sum, SimdOp::Product, SimdOp::Min, SimdOp::Max, SimdOp::And,
                                         SimdOp::Or, SimdOp::Xor, SimdOp::PrefixInclusiveSum,
                                         SimdOp::PrefixExclusiveSum, SimdOp::PrefixInclusiveProduct,
                                         SimdOp::PrefixExclusiveProduct, SimdOp::QuadSum, SimdOp::QuadProduct,
                                         SimdOp::QuadMin, SimdOp::QuadMax, SimdOp::QuadAnd, SimdOp::QuadOr,
                                         SimdOp::QuadXor, SimdOp::QuadPrefixInclusiveSum,
                                         SimdOp::QuadPrefixExclusiveSum, SimdOp::QuadPrefixInclusiveProduct,
                                         SimdOp::QuadPrefixExclusiveProduct),
                         [](const auto &info) { return std::string(simdOpInfo(info.param).text); });

// ---- float arithmetic: the order is part of the result ----

// Lanes that add their partner's value at distance 1, 2, 4, 8, 16, as the hardware does, or the other way
// round; an absent partner adds nothing, and a lane that is absent itself takes over its partner's.
template <class Add>
std::vector<std::optional<float>> butterfly(std::vector<std::optional<float>> v, int w, Add add,
                                            bool halvesFirst = false) {
  for (int step = 1; step < w; step *= 2) {
    const int d = halvesFirst ? w / 2 / step : step;
    const auto before = v;
    for (int i = 0; i < 32; ++i)
      if (before[i] && before[i ^ d])
        v[i] = add(*before[i], *before[i ^ d]);
      else if (before[i ^ d])
        v[i] = before[i ^ d];
  }
  return v;
}

float randomFloat(SplitMix64 &random) {
  return std::ldexp(float(int32_t(random.next() >> 40) - (1 << 23)), int(random.below(12)) - 20);
}

struct Format {
  ScalarType type;
  uint32_t bytes;
  float (*round)(float);
  uint32_t (*bits)(float);
};
const Format kFormats[] = {
    {ScalarType::Float, 4, [](float v) { return v; }, [](float v) { return std::bit_cast<uint32_t>(v); }},
    {ScalarType::Half, 2, [](float v) { return floatFromHalf(halfFromFloat(v)); },
     [](float v) { return uint32_t(halfFromFloat(v)); }},
    {ScalarType::BFloat, 2, [](float v) { return floatFromBfloat(bfloatFromFloat(v)); },
     [](float v) { return uint32_t(bfloatFromFloat(v)); }},
};

void put(Lanes &lanes, const Format &format, uint32_t lane, float value) {
  const uint32_t bits = format.bits(value);
  std::memcpy(lanes.in[lane].data(), &bits, format.bytes);
}
uint32_t get(const Lanes &lanes, const Format &format, uint32_t lane) {
  uint32_t bits = 0;
  std::memcpy(&bits, lanes.out[lane].data(), format.bytes);
  return bits;
}

TEST(SimdSum, AddsInTheOrderOfTheButterfly) {
  SplitMix64 random(7);
  uint32_t ordersDiffer = 0;
  for (const Format &format : kFormats)
    for (SimdOp op : {SimdOp::Sum, SimdOp::QuadSum, SimdOp::Product})
      for (uint32_t active : kMasks)
        for (int repeat = 0; repeat < 20; ++repeat) {
          Lanes lanes(format.bytes, 1, 1, 1);
          std::vector<std::optional<float>> values(32);
          float sequential = 0;
          for (uint32_t lane = 0; lane < 32; ++lane) {
            float v = format.round(randomFloat(random));
            if (op == SimdOp::Product)
              v = format.round(1.0f + std::ldexp(v, -8));
            put(lanes, format, lane, v);
            if (active >> lane & 1)
              values[lane] = v, sequential = format.round(sequential + v);
          }
          lanes.evaluate(op, format.type, active);
          const auto expected = butterfly(values, int(simdForm(op).width), [&](float a, float b) {
            return format.round(op == SimdOp::Product ? a * b : a + b);
          });
          for (uint32_t lane = 0; lane < 32; ++lane)
            if (active >> lane & 1) {
              EXPECT_EQ(get(lanes, format, lane), format.bits(*expected[lane]));
              ordersDiffer += op == SimdOp::Sum && format.bits(*expected[lane]) != format.bits(sequential);
            }
        }
  EXPECT_GT(ordersDiffer, 100u) << "the values do not tell the orders apart";
}

TEST(SimdSum, AddsHalvesFirstWhereTheProfileSaysPairwise) {
  SplitMix64 random(17);
  uint32_t ordersDiffer = 0;
  for (const Format &format : kFormats)
    for (SimdOp op : {SimdOp::Sum, SimdOp::QuadSum, SimdOp::Product, SimdOp::QuadProduct})
      for (uint32_t active : kMasks)
        for (int repeat = 0; repeat < 20; ++repeat) {
          const bool product = simdForm(op).op == SimdOp::Product;
          Lanes lanes(format.bytes, 1, 1, 1);
          std::vector<std::optional<float>> values(32);
          for (uint32_t lane = 0; lane < 32; ++lane) {
            float v = format.round(randomFloat(random));
            if (product)
              v = format.round(1.0f + std::ldexp(v, -8));
            put(lanes, format, lane, v);
            if (active >> lane & 1)
              values[lane] = v;
          }
          const auto add = [&](float a, float b) { return format.round(product ? a * b : a + b); };
          const int width = int(simdForm(op).width);
          const auto pairwise = butterfly(values, width, add, true),
                     ascending = butterfly(values, width, add);
          // The field of the other operation must not matter.
          NumericsProfile numerics = kAppleNumerics, other = kAppleNumerics;
          (product ? numerics.simdProduct : numerics.simdSum) = ReductionOrder::Pairwise;
          (product ? other.simdSum : other.simdProduct) = ReductionOrder::Pairwise;
          for (uint32_t lane = 0; lane < 32; ++lane)
            if (active >> lane & 1) {
              lanes.evaluate(op, format.type, active, numerics);
              EXPECT_EQ(get(lanes, format, lane), format.bits(*pairwise[lane]));
              lanes.evaluate(op, format.type, active, other);
              EXPECT_EQ(get(lanes, format, lane), format.bits(*ascending[lane]));
              ordersDiffer += format.bits(*pairwise[lane]) != format.bits(*ascending[lane]);
            }
        }
  EXPECT_GT(ordersDiffer, 100u) << "the values do not tell the orders apart";
}

TEST(SimdPrefixSum, AddsAscendingWhereTheProfileSaysSo) {
  NumericsProfile numerics = kAppleNumerics;
  numerics.simdPrefix = ScanOrder::Sequential;
  SplitMix64 random(18);
  for (const Format &format : kFormats)
    for (uint32_t active : kMasks) {
      Lanes lanes(format.bytes, 1, 1, 1);
      std::vector<float> v(32);
      for (uint32_t lane = 0; lane < 32; ++lane)
        put(lanes, format, lane, v[lane] = format.round(randomFloat(random)));
      lanes.evaluate(SimdOp::PrefixInclusiveSum, format.type, active, numerics);
      std::optional<float> sum;
      for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) {
          sum = sum ? format.round(*sum + v[lane]) : v[lane];
          EXPECT_EQ(get(lanes, format, lane), format.bits(*sum));
        }
    }
}

// The smallest normal value and half of it, in each format: their sum tells whether the half was flushed.
TEST(SimdSum, FlushesEachTypeAsItsOwnFieldSays) {
  struct Case {
    const Format &format;
    uint32_t tiny, smallest;
    bool NumericsProfile::*field;
  };
  const Case cases[] = {{kFormats[0], 0x00400000, 0x00800000, &NumericsProfile::flushF32},
                        {kFormats[1], 0x0200, 0x0400, &NumericsProfile::flushF16},
                        {kFormats[2], 0x0040, 0x0080, &NumericsProfile::flushBf16}};
  const unsigned before = _mm_getcsr();
  for (int bits = 0; bits < 8; ++bits) {
    NumericsProfile numerics = kAppleNumerics;
    numerics.flushF32 = bits & 1, numerics.flushF16 = bits & 2, numerics.flushBf16 = bits & 4;
    for (const Case &c : cases)
      for (SimdOp op : {SimdOp::Sum, SimdOp::PrefixInclusiveSum}) {
        Lanes lanes(c.format.bytes, 1, 1, 1);
        const auto set = [&](uint32_t lane, uint32_t value) {
          std::memcpy(lanes.in[lane].data(), &value, c.format.bytes);
        };
        for (uint32_t lane = 0; lane < 32; ++lane)
          set(lane, 0);
        set(0, c.tiny);
        set(1, c.smallest);
        _mm_setcsr(before | (numerics.flushesInHardware() ? 0x8040 : 0));
        lanes.evaluate(op, c.format.type, ~0u, numerics);
        _mm_setcsr(before);
        EXPECT_EQ(get(lanes, c.format, 31), numerics.*c.field ? c.smallest : c.smallest + c.tiny)
            << scalarTypeInfo(c.format.type).metalName << " " << bits;
        set(1, c.smallest | 1u << (8 * c.format.bytes - 1)); // - smallest: a subnormal result
        _mm_setcsr(before | (numerics.flushesInHardware() ? 0x8040 : 0));
        lanes.evaluate(op, c.format.type, ~0u, numerics);
        _mm_setcsr(before);
        const uint32_t minus = 1u << (8 * c.format.bytes - 1);
        EXPECT_EQ(get(lanes, c.format, 31), numerics.*c.field ? (c.smallest | minus) : (c.tiny | minus))
            << scalarTypeInfo(c.format.type).metalName << " " << bits;
      }
  }
}

TEST(SimdSum, AddsAscendingWhereTheProfileSaysSo) {
  NumericsProfile numerics = kAppleNumerics;
  numerics.simdSum = ReductionOrder::Sequential;
  SplitMix64 random(8);
  for (const Format &format : kFormats)
    for (uint32_t active : kMasks) {
      Lanes lanes(format.bytes, 1, 1, 1);
      std::optional<float> expected;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const float v = format.round(randomFloat(random));
        put(lanes, format, lane, v);
        if (active >> lane & 1)
          expected = expected ? format.round(*expected + v) : v;
      }
      lanes.evaluate(SimdOp::Sum, format.type, active, numerics);
      for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) {
          EXPECT_EQ(get(lanes, format, lane), format.bits(*expected));
        }
    }
}

TEST(SimdPrefixSum, DoublesItsReachAndAnExclusiveOneIsTheInclusiveOneOfThePositionBelow) {
  SplitMix64 random(9);
  for (const Format &format : kFormats)
    for (uint32_t active : kMasks) {
      Lanes lanes(format.bytes, 1, 1, 1);
      std::vector<std::optional<float>> v(32);
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const float value = format.round(randomFloat(random));
        put(lanes, format, lane, value);
        if (active >> lane & 1)
          v[lane] = value;
      }
      for (int d = 1; d < 32; d *= 2) {
        const auto before = v;
        for (int i = d; i < 32; ++i)
          if (before[i] && before[i - d])
            v[i] = format.round(*before[i - d] + *before[i]);
          else if (before[i - d])
            v[i] = before[i - d];
      }
      lanes.evaluate(SimdOp::PrefixInclusiveSum, format.type, active);
      for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) {
          EXPECT_EQ(get(lanes, format, lane), format.bits(*v[lane]));
        }
      lanes.evaluate(SimdOp::PrefixExclusiveSum, format.type, active);
      const uint32_t first = uint32_t(__builtin_ctz(active));
      for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) {
          EXPECT_EQ(get(lanes, format, lane), lane == first ? 0u : format.bits(*v[lane - 1]));
        }
    }
}

TEST(SimdSum, OfOneActiveLaneIsThatLanesBits) {
  for (uint32_t bits : {0x80000000u, 0x00000001u, 0x7f800001u, 0xffc12345u}) {
    Lanes lanes(4, 1, 1, 1);
    lanes.input<uint32_t>(17) = bits;
    for (SimdOp op : {SimdOp::Sum, SimdOp::Product, SimdOp::Min, SimdOp::PrefixInclusiveSum}) {
      lanes.evaluate(op, ScalarType::Float, 1u << 17);
      EXPECT_EQ(lanes.output<uint32_t>(17), bits);
    }
  }
}

TEST(SimdSum, ANanResultIsTheCanonicalOneIfTheProfileSaysSo) {
  for (const Format &format : kFormats) {
    Lanes lanes(format.bytes, 1, 1, 1);
    for (uint32_t lane = 0; lane < 32; ++lane)
      put(lanes, format, lane, 1.0f);
    put(lanes, format, 4, std::bit_cast<float>(0xffc0dead));
    const uint32_t canonical = format.type == ScalarType::Float  ? 0x7fc00000
                               : format.type == ScalarType::Half ? 0x7e00
                                                                 : 0x7fc0;
    for (SimdOp op : {SimdOp::Sum, SimdOp::Product, SimdOp::PrefixInclusiveSum}) {
      lanes.evaluate(op, format.type, ~0u);
      EXPECT_EQ(get(lanes, format, 31), canonical) << simdOpInfo(op).text;
    }
    lanes.evaluate(SimdOp::PrefixInclusiveSum, format.type, ~0u);
    EXPECT_EQ(get(lanes, format, 3), format.bits(4.0f));
    lanes.evaluate(SimdOp::Sum, format.type, ~0u, kIeeeNumerics);
    EXPECT_NE(get(lanes, format, 31), canonical);
  }
}

TEST(SimdMin, TakesTheNumberOverTheNanAndMinusZeroBelowZero) {
  for (const Format &format : kFormats) {
    Lanes lanes(format.bytes, 1, 1, 1);
    for (uint32_t lane = 0; lane < 32; ++lane)
      put(lanes, format, lane, lane == 3 ? 2.5f : lane == 9 ? -7.0f : std::nanf(""));
    lanes.evaluate(SimdOp::Min, format.type, ~0u);
    EXPECT_EQ(get(lanes, format, 0), format.bits(-7.0f));
    lanes.evaluate(SimdOp::Max, format.type, ~0u);
    EXPECT_EQ(get(lanes, format, 0), format.bits(2.5f));
    put(lanes, format, 3, 0.0f);
    put(lanes, format, 9, -0.0f);
    lanes.evaluate(SimdOp::Min, format.type, ~0u);
    EXPECT_EQ(get(lanes, format, 0), format.bits(-0.0f));
    lanes.evaluate(SimdOp::Max, format.type, ~0u);
    EXPECT_EQ(get(lanes, format, 0), format.bits(0.0f));
  }
}

TEST(SimdSum, HalfKeepsSubnormalsAndFloatFlushesThemAsMxcsrSays) {
  const unsigned before = _mm_getcsr();
  Lanes lanes(4, 1, 1, 1), halves(2, 1, 1, 1);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    lanes.input<uint32_t>(lane) = 1; // the smallest subnormal
    halves.input<uint16_t>(lane) = 1;
  }
  _mm_setcsr(before | 0x8040);
  lanes.evaluate(SimdOp::Sum, ScalarType::Float, ~0u);
  EXPECT_EQ(lanes.output<uint32_t>(0), 0u);
  halves.evaluate(SimdOp::Sum, ScalarType::Half, ~0u);
  EXPECT_EQ(halves.output<uint16_t>(0), 32u);
  _mm_setcsr(before);
  lanes.evaluate(SimdOp::Sum, ScalarType::Float, ~0u);
  EXPECT_EQ(lanes.output<uint32_t>(0), 32u);
}

TEST(SimdFunction, ExistsForEveryOperationAndType) {
  for (const SimdOpInfo &op : kSimdOps)
    for (const ScalarTypeInfo &type : kScalarTypes)
      EXPECT_NE(simdFunction(op.op, type.type), nullptr) << op.text << " " << type.metalName;
}

TEST(SimdFunction, InputAndOutputMayBeTheSameMemory) {
  uint32_t value[32];
  const void *in[32];
  void *out[32];
  uint32_t operand[32];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    value[lane] = lane;
    in[lane] = out[lane] = &value[lane];
    operand[lane] = 1;
  }
  simdFunction(SimdOp::ShuffleRotateDown, ScalarType::UInt)({in, out, operand, ~0u, 1, &kAppleNumerics});
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(value[lane], (lane + 1) % 32);
}

} // namespace
} // namespace assay::runtime::test
