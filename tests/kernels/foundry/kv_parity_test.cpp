// Online and materialised attention over the same quantised cache, and both against attention over the
// elements that were never quantised: long caches, extreme logits, outliers with and without the side table.
#include "quantised_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::kernels::foundry {
namespace {

using namespace testing_support;

// Tolerance of parity. Both kernels compute attention over the same elements, which are floats, and
// oracle::prefillReference bounds how far the materialised and the prefill kernels are from its float64. The
// same bound holds for a decode of W simdgroups with N keys in a round if W N >= 32, N <= 16, W <= 16, as all
// variants of selectDecode are. It allows for each tile of 32 keys 36 roundings of a weight's term, 12 once,
// and head_dim roundings of a dot product. The decode has a round for every W N keys, so at most one for a
// tile, with N additions, a decay and its product: 18; then an exp, a quotient, the merge's exp, its two
// products, at most W additions and a quotient: 22, which the 18 that a tile leaves and the 12 hold. Its dot
// products have at most 8 terms of a lane, five additions of lanes and one factor: 14, at most head_dim.
// So two outputs are at most twice the bound apart, element by element. The bound is of first order in what a
// weight errs, x; scores here are at most some thousands with products of 4e4, so x is below 2 * 64 * 2^-24 *
// 4e4 / 8 < 0.05 and e^x - 1 < 1.03 x: 2.1 stands for twice that.
constexpr double kApart = 2.1;
::testing::AssertionResult near(const QuantisedCase &problem, const std::vector<uint16_t> &online,
                                const std::vector<uint16_t> &whole, int splits = 0) {
  const oracle::PrefillReference r = problem.reference(splits);
  double largest = 0, bound = 0;
  for (size_t i = 0; i < online.size(); ++i) {
    const double difference = std::fabs(double(problem.value(online[i])) - problem.value(whole[i]));
    if (!(difference <= kApart * r.bound[i]))
      return ::testing::AssertionFailure()
             << "element " << i << ": " << problem.value(online[i]) << " and " << problem.value(whole[i])
             << " are more than " << kApart * r.bound[i] << " apart";
    largest = std::max(largest, difference), bound = std::max(bound, kApart * r.bound[i]);
  }
  ::testing::Test::RecordProperty("largest_difference", fmt::format("{:.3g}", largest));
  ::testing::Test::RecordProperty("largest_tolerance", fmt::format("{:.3g}", bound));
  return ::testing::AssertionSuccess();
}

std::vector<uint16_t> materialised(QuantisedCase &problem) {
  problem.prefill.out.buffer.poison();
  EXPECT_TRUE(succeeded(SdpaReferenceStep(appleKernels()).run(problem.prefill)));
  return problem.out();
}

Knobs comparing() {
  Knobs knobs;
  knobs.compareOnline = true;
  return knobs;
}

/// The step runs, compares with the materialised one by itself, and both are where they should be.
void expectDecodeParity(QuantisedCase &problem) {
  FlashDecodeStep step(kernelSet(), comparing());
  step.allow({.quantisedDecode = true});
  step.compareWith(materializedDecode(kernelSet()));
  problem.prefill.out.buffer.poison();
  ASSERT_TRUE(succeeded(step.run(problem.decode)));
  const std::vector<uint16_t> online = problem.out(), whole = materialised(problem);
  EXPECT_TRUE(near(problem, online, whole));
  double largest = 0;
  for (size_t i = 0; i < online.size(); ++i)
    largest = std::max(largest, std::fabs(double(problem.value(online[i])) - problem.value(whole[i])));
  ASSERT_TRUE(step.comparison());
  EXPECT_EQ(step.comparison()->maxAbsDiff, largest);
}

void expectPrefillParity(QuantisedCase &problem) {
  FlashPrefillStep step(appleKernels(), comparing());
  step.allow({.quantisedPrefill = true});
  problem.prefill.out.buffer.poison();
  const auto report = step.run(problem.prefill);
  ASSERT_TRUE(succeeded(report));
  const std::vector<uint16_t> online = problem.out(), whole = materialised(problem);
  EXPECT_TRUE(near(problem, online, whole, report->plan.splitK));
  ASSERT_TRUE(step.comparison());
  EXPECT_EQ(step.comparison()->online,
            problem.value(online[size_t(step.comparison()->column) +
                                 64 * (size_t(step.comparison()->query) +
                                       size_t(problem.test.queries) * size_t(step.comparison()->head))]));
}

const KvFormat kFull = int4With(
    [](KvFormat &f) { f.zeroType = DataType::Half, f.scaleType = DataType::Float, f.outliersPerBlock = 4; });

TEST(KvParity, TwentyThousandKeysOfInt8) {
  QuantisedCase problem({.k = KvFormat{}, .v = KvFormat{}, .keys = 19997, .capacity = 20000});
  expectDecodeParity(problem);
}
TEST(KvParity, TwentyThousandKeysInTiles) {
  QuantisedCase problem({.k = kvTilesFormat(), .v = kvTilesFormat(), .keys = 19997, .capacity = 20000});
  expectDecodeParity(problem);
}
TEST(KvParity, TwentyThousandKeysOfInt4WithEverything) {
  QuantisedCase problem({.k = kFull, .v = kFull, .keys = 19997, .capacity = 20000, .padding = true});
  expectDecodeParity(problem);
}
TEST(KvParity, TwentyThousandKeysOfInt4AreExact) {
  QuantisedCase problem(
      {.k = kvInt4Format(), .v = kvInt4Format(), .heads = 1, .keys = 19997, .capacity = 20000});
  const DecodeVariant variant = selectDecode({}, 64, 19997);
  ASSERT_TRUE(succeeded(dispatchFlashDecode(kernelSet(), problem.decode, variant)));
  EXPECT_TRUE(bitsEqual(oracle::flashDecodeExact<oracle::Apple>(problem.decodeShape(), problem.decodeInputs(),
                                                                orderOf(variant)),
                        problem.out()));
}
TEST(KvParity, PrefillAfterALongCache) {
  for (const KvFormat &format : {KvFormat{}, kFull}) {
    QuantisedCase problem({.k = format, .v = format, .queries = 5, .keys = 3000});
    ASSERT_GT(selectPrefill({}, 5, 3000).splitK, 1);
    expectPrefillParity(problem);
  }
}
TEST(KvParity, PrefillOfAPrompt) {
  for (const bool bfloat : {false, true}) {
    QuantisedCase problem({.k = kFull, .v = KvFormat{}, .queries = 70, .keys = 90, .bfloat = bfloat});
    expectPrefillParity(problem);
  }
}

// ---- extreme logits ----

/// Scores of some hundreds, with outliers of thousands; most weights are 0.
TEST(KvParity, ExtremeLogits) {
  for (const KvFormat &format :
       {KvFormat{}, kvInt4Format(), kFull, tilesWith([](KvFormat &f) { f.keysPerBlock = 20; })}) {
    SCOPED_TRACE(format.name());
    QuantisedCase decode({.k = format, .v = format, .keys = 300, .range = 20});
    expectDecodeParity(decode);
    QuantisedCase prefill({.k = format, .v = format, .queries = 20, .keys = 100, .range = 20});
    expectPrefillParity(prefill);
  }
}

/// One key scores 1.6e7 and more above all others: its value is the output, rounded once, in every kernel.
TEST(KvParity, AnExtremeLogitTakesAllWhereverItStands) {
  for (const int place : {0, 7, 31, 32, 38})
    for (const KvFormat &format : {KvFormat{}, kvInt4Format()}) {
      SCOPED_TRACE(::testing::Message() << format.name() << ", key " << place);
      QuantisedCase problem({.k = format, .v = format, .heads = 1, .keys = 39, .causal = false});
      std::fill(problem.q.begin(), problem.q.end(), 1024.0f);
      oracle::KvCache &k = problem.k.cache;
      std::fill(k.scales.begin(), k.scales.end(), 256.0f);
      for (size_t i = 0; i < k.numbers.size(); ++i)
        k.numbers[i] = int(i) / 64 == place ? 7 : -8; // 64 products of 1024 * 256 * 15, over 8
      problem.bind();
      const std::vector<float> v = oracle::kvElements<oracle::Apple>(problem.v.cache);
      const std::vector<uint16_t> expected =
          bitsOf(std::vector<float>(v.begin() + place * 64, v.begin() + (place + 1) * 64), false);
      ASSERT_TRUE(succeeded(dispatchFlashDecode(kernelSet(), problem.decode, {4, 2, 2})));
      EXPECT_TRUE(bitsEqual(expected, problem.out()));
      for (const PrefillPlan plan : {PrefillPlan{4, 1}, PrefillPlan{4, 2}}) {
        problem.prefill.out.buffer.poison();
        ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.prefill, plan)));
        EXPECT_TRUE(bitsEqual(expected, problem.out()));
      }
      EXPECT_TRUE(bitsEqual(expected, materialised(problem)));
    }
}

// ---- what quantising costs ----

/// Rows of which one element in forty is `outlier` times as large.
std::vector<float> heavyTailed(size_t count, uint64_t seed, float outlier) {
  Random random(seed);
  std::vector<float> out(count);
  for (float &x : out)
    x = valuesOf(bitsOf({random.uniform(-1, 1) * (random.below(40) == 0 ? outlier : 1.0f)}, false), false)[0];
  return out;
}

/// Of each element of the output: its distance from float64 attention over what was never quantised, and the
/// bound, which held.
struct Cost {
  std::vector<double> errors, bounds;
  double error() const { return *std::max_element(errors.begin(), errors.end()); }
  double bound() const { return *std::max_element(bounds.begin(), bounds.end()); }
};

// The bound. By kv_quantizer.h an element moves by at most e = r * scale, r = 5/8 for bytes and 0.508 for
// nibbles (and 2^-14), an outlier of the side table by 0. A score then moves by at most
// D_k = |softmax scale| * sum_d |q_d| e_kd. With D the largest of them each weight P_k changes by a factor
// within e^(+-2D), so
//   |out' - out| <= max_k e_kd of the values + (e^(2D) - 1) * sum_k P_k |v_kd|,
// and the kernel's own rounding adds its bound over the quantised elements.
Cost costOf(const KvFormat &format, const std::vector<float> &kRows, const std::vector<float> &vRows,
            bool throughDecode) {
  QuantisedTest t;
  t.keys = 60, t.range = 1, t.causal = false, t.queries = throughDecode ? 1 : 6;
  QuantisedCase plain(t), problem(t); // the same queries
  plain.setTyped(plain.k, kRows), plain.setTyped(plain.v, vRows);
  plain.bind();
  problem.quantise(problem.k, kRows, format);
  problem.quantise(problem.v, vRows, format);
  problem.prefill.out.buffer.poison();
  if (throughDecode)
    EXPECT_TRUE(succeeded(dispatchFlashDecode(kernelSet(), problem.decode, {4, 8, 2})));
  else
    EXPECT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.prefill, {4, 1})));
  const std::vector<uint16_t> got = problem.out();
  EXPECT_TRUE(problem.withinBound());
  EXPECT_TRUE(near(problem, got, materialised(problem)));

  const oracle::PrefillReference own = problem.reference(), truth = plain.reference();
  const double share = (format.bits == 8 ? 0.625 : 0.508) + 0x1p-14;
  const auto moved = [&](const oracle::KvCache &c, int key, int d) {
    return c.outliers.count(c.shape.element(0, key, d)) ? 0 : share * c.scales[c.shape.group(0, key, d)];
  };
  const int size = t.size;
  Cost cost;
  for (int row = 0; row < t.heads * t.queries; ++row) {
    std::vector<double> score(t.keys);
    double scoreMoved = 0, top = -INFINITY, total = 0;
    for (int key = 0; key < t.keys; ++key) {
      double delta = 0;
      for (int d = 0; d < size; ++d) {
        const double q = plain.q[size_t(row) * size + d];
        score[key] += q * kRows[size_t(key) * size + d] * plain.shape.scale;
        delta += std::fabs(q) * moved(problem.k.cache, key, d) * plain.shape.scale;
      }
      scoreMoved = std::max(scoreMoved, delta), top = std::max(top, score[key]);
    }
    for (const double s : score)
      total += std::exp(s - top);
    for (int d = 0; d < size; ++d) {
      double valueMoved = 0, magnitude = 0;
      for (int key = 0; key < t.keys; ++key) {
        valueMoved = std::max(valueMoved, moved(problem.v.cache, key, d));
        magnitude += std::exp(score[key] - top) / total * std::fabs(vRows[size_t(key) * size + d]);
      }
      const size_t at = size_t(row) * size + d;
      const double error = std::fabs(problem.value(got[at]) - truth.out[at]);
      const double bound = own.bound[at] + valueMoved + std::expm1(2 * scoreMoved) * magnitude;
      EXPECT_LE(error, bound) << "element " << at;
      cost.errors.push_back(error), cost.bounds.push_back(bound);
    }
  }
  return cost;
}

class KvCost : public ::testing::TestWithParam<bool> {};

TEST_P(KvCost, IsBoundedByHalfAScale) {
  const std::vector<float> k = heavyTailed(60 * 64, 1, 1), v = heavyTailed(60 * 64, 2, 1);
  const auto zeros = [](KvFormat &f) { f.zeroType = DataType::Char; };
  const Cost int8 = costOf({}, k, v, GetParam()), int4 = costOf(kvInt4Format(), k, v, GetParam());
  costOf(int8With(zeros), k, v, GetParam());
  costOf(int4With(zeros), k, v, GetParam());
  RecordProperty("int8_error", fmt::format("{:.3g}", int8.error()));
  RecordProperty("int8_bound", fmt::format("{:.3g}", int8.bound()));
  RecordProperty("int4_error", fmt::format("{:.3g}", int4.error()));
  EXPECT_GT(int4.error(), int8.error()); // sixteen levels cost more than 255: the measure can tell
}

/// 2,048 elements of a block, one in forty an outlier: about 51, so a side table of 128 has them all.
TEST_P(KvCost, OfOutliersIsTakenOverByTheSideTable) {
  const std::vector<float> k = heavyTailed(60 * 64, 1, 100), v = heavyTailed(60 * 64, 2, 100);
  const KvFormat without, with = int8With([](KvFormat &f) { f.outliersPerBlock = 128; });
  const Cost spoilt = costOf(without, k, v, GetParam()), kept = costOf(with, k, v, GetParam());
  RecordProperty("without_error", fmt::format("{:.3g}", spoilt.error()));
  RecordProperty("with_error", fmt::format("{:.3g}", kept.error()));
  RecordProperty("with_bound", fmt::format("{:.3g}", kept.bound()));
  EXPECT_LT(kept.bound(), spoilt.bound());
  size_t past = 0; // what the cache costs without the table is past what it may cost with it
  for (size_t i = 0; i < spoilt.errors.size(); ++i)
    past += spoilt.errors[i] > kept.bounds[i];
  EXPECT_GT(past, spoilt.errors.size() / 10);
  RecordProperty("past_share", fmt::format("{:.2g}", double(past) / double(spoilt.errors.size())));
  // With the table the scales are those of a cache without outliers: at most 1 / 127 in half.
  QuantisedTest t;
  t.keys = 60;
  QuantisedCase problem(t);
  problem.quantise(problem.v, v, with);
  for (const float scale : problem.v.cache.scales)
    EXPECT_LE(scale, 1.0f / 127 * (1 + 0x1p-11f));
}
INSTANTIATE_TEST_SUITE_P(Through, KvCost, ::testing::Bool(),
                         [](const auto &info) { return info.param ? "Decode" : "Prefill"; });

} // namespace
} // namespace assay::kernels::foundry
