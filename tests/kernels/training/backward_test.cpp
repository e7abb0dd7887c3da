// The backward kernel through its dispatcher: to the bit, near float64, like the original,
// and what it must not do.
#include "train_problem.h"

#include <filesystem>
#include <utility>

namespace assay::train_test {
namespace {

class Backward : public ::testing::TestWithParam<Problem> {
protected:
  Inputs inputs{GetParam()};
  const AttentionShape &s = inputs.s;
  const AttentionInputs &in = inputs.in;
  FlashAttnTrainGradients a;

  void SetUp() override {
    static_cast<FlashAttnTrainInputs &>(a) = inputs.arguments();
    a.dO = inputs.queryTensor(in.dO);
    a.logSumExp = floats(inputs.rowSizes(), in.logSumExp);
    a.rowDot = floats(inputs.rowSizes(), in.rowDot);
    const Device device = Device::systemDefault();
    a.dQ = TensorView::poisoned(device, DataType::Float, inputs.querySizes());
    a.dK = TensorView::poisoned(device, DataType::Float, inputs.keySizes());
    a.dV = TensorView::poisoned(device, DataType::Float, inputs.keySizes());
  }
  ::testing::AssertionResult dispatch(KernelSet &set, const DispatchOptions &options = {}) {
    for (TensorView *out : {&a.dQ, &a.dK, &a.dV})
      out->buffer.poison();
    set.options() = options;
    return ran(dispatchFlashAttnTrainGradients(set, a));
  }
  AttentionGradients<float> found() const {
    return {valuesOf<float>(a.dQ), valuesOf<float>(a.dK), valuesOf<float>(a.dV)};
  }
  void expectBits(const AttentionGradients<float> &expected, NanMatch nan = NanMatch::SameBits) {
    const AttentionGradients<float> actual = found();
    EXPECT_TRUE(bitsEqual(expected.dQ, actual.dQ, nan)) << "dQ";
    EXPECT_TRUE(bitsEqual(expected.dK, actual.dK, nan)) << "dK";
    EXPECT_TRUE(bitsEqual(expected.dV, actual.dV, nan)) << "dV";
  }
};

KernelSet &ownKernels() {
  static KernelSet set(ownKernelFolder());
  return set;
}

TEST_P(Backward, ExactInEveryWay) {
  const AttentionGradients<float> expected = attentionBackwardExact<Apple>(s, in);
  inAllWays(
      true, [&](const DispatchOptions &o) { return dispatch(ownKernels(), o); },
      [&] { expectBits(expected); });
}

// A row that attends to nothing has no gradient in float64, is NaN in the kernel,
// and reaches the keys that it visits.
TEST_P(Backward, NearFloat64) {
  ASSERT_TRUE(dispatch(ownKernels()));
  const AttentionReals reals = AttentionReals::from(in);
  const AttentionForward forward = attentionForwardReference(s, reals);
  AttentionGradients<double> reference = attentionBackwardReference(s, reals);
  const AttentionGradients<double> bound = attentionBackwardBound(
      s, reals, roundings(forward.logSumExp, 0x1p-24), roundings(forward.rowDot, 0x1p-24));
  AttentionGradients<float> actual = found();
  for (size_t i = 0; i < actual.dQ.size(); ++i)
    if (forward.logSumExp[i / s.size] == -HUGE_VAL) {
      ASSERT_TRUE(std::isnan(actual.dQ[i])) << "dQ element " << i;
      actual.dQ[i] = 0, reference.dQ[i] = 0;
    }
  Within q, k, v;
  EXPECT_TRUE(withinBound(reference.dQ, bound.dQ, actual.dQ, &q)) << "dQ";
  if (GetParam().mask != MaskKind::DeadRows) {
    EXPECT_TRUE(withinBound(reference.dK, bound.dK, actual.dK, &k)) << "dK";
    EXPECT_TRUE(withinBound(reference.dV, bound.dV, actual.dV, &v)) << "dV";
  }
  RecordProperty("largest", fmt::format("dQ {:.2g} dK {:.2g} dV {:.2g}", q.largest, k.largest, v.largest));
  RecordProperty("ofBound", fmt::format("dQ {:.2g} dK {:.2g} dV {:.2g}", q.worst, k.worst, v.worst));
}

/// What the original can do as well: no bool masks, no offset.
class BackwardAndOriginal : public Backward {};

TEST_P(BackwardAndOriginal, HaveTheSameBits) {
  ASSAY_NEEDS_ORIGINAL("flash_attn_train_bwd.metal");
  const std::filesystem::path original =
      std::filesystem::absolute(originalKernel("flash_attn_train_bwd.metal"));
  const std::string own = std::exchange(a.file, original.string());
  ASSERT_TRUE(dispatch(ownKernels()));
  const AttentionGradients<float> theirs = found();
  a.file = own;
  ASSERT_TRUE(dispatch(ownKernels()));
  expectBits(theirs);
}

// CausalDeadRows tells which key tiles are visited: only there does a row without a softmax leave its NaN.
const std::vector<Problem> kProblems{
    {"WholeTiles", shapeOf(64, 1, 2, 1, 64, 48)},
    {"Ragged", shapeOf(64, 2, 4, 4, 37, 41)},
    {"RaggedKeys", shapeOf(64, 1, 1, 1, 32, 17)},
    {"RaggedQueries", shapeOf(64, 1, 1, 1, 45, 32)},
    {"Causal", shapeOf(64, 1, 4, 2, 75, 75, true)},
    {"CausalMoreKeys", shapeOf(64, 1, 1, 1, 33, 70, true)},
    {"Masked", shapeOf(64, 2, 4, 4, 33, 19), MaskKind::Random},
    {"CausalMasked", shapeOf(64, 2, 4, 1, 40, 47, true), MaskKind::Random},
    {"DeadRows", shapeOf(64, 1, 2, 2, 21, 18), MaskKind::DeadRows},
    {"CausalDeadRows", shapeOf(64, 1, 1, 1, 33, 70, true), MaskKind::DeadRows},
    {"OneByOne", shapeOf(64, 1, 1, 1, 1, 1)},
    {"HeadsInside", shapeOf(64, 2, 4, 4, 35, 20), MaskKind::Random, Layout::HeadsInside},
    {"Gaps", shapeOf(64, 2, 2, 1, 35, 20), MaskKind::Random, Layout::Gaps},
    {"NearTheSmallestNormal", shapeOf(64, 1, 2, 1, 34, 33), MaskKind::None, Layout::HeadsOutside, 0x1p-39f},
    {"D256WholeTiles", shapeOf(256, 1, 1, 1, 32, 32)},
    {"D256Ragged", shapeOf(256, 1, 2, 2, 35, 19), MaskKind::None, Layout::HeadsInside},
    {"D256CausalMasked", shapeOf(256, 1, 2, 1, 33, 33, true), MaskKind::Random},
};
const std::vector<Problem> kOwnProblems{
    {"CausalAtTheEnd", shapeOf(64, 1, 2, 1, 33, 70, true, 37)},
    {"CausalPastTheEnd", shapeOf(64, 1, 1, 1, 33, 20, true, 40)},
    {"BoolMasked", shapeOf(64, 1, 2, 2, 33, 19), MaskKind::Random, Layout::HeadsOutside, 1, true},
    {"D256BoolMasked", shapeOf(256, 1, 1, 1, 9, 21), MaskKind::Random, Layout::HeadsOutside, 1, true},
    // Row 8 is 2^31 elements away from row 0, row 16 2^32: a product of 32 bits finds another row, or none.
    {"FarRows", shapeOf(64, 1, 1, 1, 33, 17), MaskKind::Random, Layout::FarRows},
};
INSTANTIATE_TEST_SUITE_P(Shared, Backward, ::testing::ValuesIn(kProblems), problemName);
INSTANTIATE_TEST_SUITE_P(Own, Backward, ::testing::ValuesIn(kOwnProblems), problemName);
INSTANTIATE_TEST_SUITE_P(Shared, BackwardAndOriginal, ::testing::ValuesIn(kProblems), problemName);

/// What a shape cannot change: the profile and the schedule.
class BackwardOnce : public Backward {};

TEST_P(BackwardOnce, ExactUnderIeee) {
  static KernelSet ieee(ownKernelFolder(), {{kIeeeNumerics}});
  ASSERT_TRUE(dispatch(ieee));
  expectBits(attentionBackwardExact<Ieee>(s, in), NanMatch::AnyNan);
}

/// sum of |P dO| and of |scale dS Q| for each element of dV and dK: what additions in another order can
/// change is a few roundings of it.
AttentionGradients<double> magnitudes(const AttentionShape &s, const AttentionReals &in) {
  const AttentionForward forward = attentionForwardReference(s, in);
  AttentionGradients<double> sums{{}, std::vector<double>(s.keyCount()), std::vector<double>(s.keyCount())};
  forEachQueryRow(s, [&](int query, size_t row, size_t keyBase) {
    const std::vector<double> scores = attentionScores(s, in, query, row, keyBase);
    for (int key = 0; key < s.keys; ++key) {
      double dP = 0;
      for (int d = 0; d < s.size; ++d)
        dP += in.dO[row * s.size + d] * in.v[(keyBase + key) * s.size + d];
      const double p = std::exp(scores[key] - forward.logSumExp[row]);
      const double dS = std::fabs(s.scale * p * (dP - forward.rowDot[row]));
      for (int d = 0; d < s.size; ++d) {
        sums.dK[(keyBase + key) * s.size + d] += dS * std::fabs(in.q[row * s.size + d]);
        sums.dV[(keyBase + key) * s.size + d] += p * std::fabs(in.dO[row * s.size + d]);
      }
    }
  });
  return sums;
}

// The n terms of an element do not depend on the order. Each of two orders is within (n - 1) u /
// (1 - (n - 1) u) of the sum of their magnitudes from the true sum, so they are within twice that of each
// other. The magnitudes are those of float64: a hundredth more allows for terms of floats.
TEST_P(BackwardOnce, AnotherOrderOfTheAtomicsIsAFewRoundingsAway) {
  const AttentionGradients<float> canonical = attentionBackwardExact<Apple>(s, in);
  AttentionGradients<double> bound = magnitudes(s, AttentionReals::from(in));
  const double terms = double(s.queries) * s.gqa;
  for (auto *sums : {&bound.dK, &bound.dV})
    for (double &x : *sums)
      x = 1.01 * 2 * terms * 0x1p-24 * x + terms * 0x1p-126;
  const auto reals = [](const std::vector<float> &x) { return std::vector<double>(x.begin(), x.end()); };
  bool different = false;
  for (const uint64_t seed : {5, 6, 7}) {
    DispatchOptions shuffled;
    shuffled.schedule = {ScheduleKind::Shuffle, seed};
    ASSERT_TRUE(dispatch(ownKernels(), shuffled));
    const AttentionGradients<float> first = found();
    EXPECT_TRUE(bitsEqual(canonical.dQ, first.dQ)) << "dQ has no atomics, so it has one order";
    EXPECT_TRUE(withinBound(reals(canonical.dK), bound.dK, first.dK)) << "dK";
    EXPECT_TRUE(withinBound(reals(canonical.dV), bound.dV, first.dV)) << "dV";
    different |= first.dK != canonical.dK;
    ASSERT_TRUE(dispatch(ownKernels(), shuffled));
    expectBits(first); // a seed is an order
  }
  EXPECT_TRUE(different) << "some seed must make a difference";
}

INSTANTIATE_TEST_SUITE_P(Shapes, BackwardOnce,
                         ::testing::Values(Problem{"Ragged", shapeOf(64, 2, 4, 4, 70, 41)},
                                           Problem{"CausalMasked", shapeOf(64, 1, 4, 4, 40, 47, true),
                                                   MaskKind::Random},
                                           Problem{"D256", shapeOf(256, 1, 2, 2, 33, 17)}),
                         problemName);

/// Small problems whose gradients are worked out by hand.
struct ByHand {
  FlashAttnTrainGradients a;

  /// One head of 64; every element of a row is the row's value.
  ByHand(const std::vector<float> &q, const std::vector<float> &k, const std::vector<float> &v,
         const std::vector<float> &dO, const std::vector<float> &logSumExp,
         const std::vector<float> &rowDot) {
    const auto rows = [](const std::vector<float> &values) {
      std::vector<uint16_t> bits;
      for (const float value : values)
        bits.insert(bits.end(), 64, toBfloat(value));
      return tensorOf(DataType::BFloat, {1, 1, int64_t(values.size()), 64}, Layout::HeadsOutside, bits);
    };
    a.q = rows(q), a.k = rows(k), a.v = rows(v), a.dO = rows(dO), a.scale = 1;
    a.logSumExp = floats({1, 1, int64_t(q.size())}, logSumExp),
    a.rowDot = floats({1, 1, int64_t(q.size())}, rowDot);
    const Device device = Device::systemDefault();
    a.dQ = TensorView::poisoned(device, DataType::Float, a.q.sizes);
    a.dK = TensorView::poisoned(device, DataType::Float, a.k.sizes);
    a.dV = TensorView::poisoned(device, DataType::Float, a.k.sizes);
  }
  static void expectRow(const TensorView &t, int row, float value) {
    const std::vector<float> all = valuesOf<float>(t);
    for (int d = 0; d < 64; ++d)
      ASSERT_EQ(all[row * 64 + d], value) << "row " << row << " element " << d;
  }
};

// Four lanes hold each query row. With one key P is 1, so dV is dO, once; were all four to add, it would be 4
// dO. S = 64 * 0.5 * 0.25 = 8 = L. dP = 64 * 3 * 2 = 384, D = 128 by decree, dS = 256:
// dQ = 256 * 0.25, dK = 256 * 0.5.
TEST(BackwardByHand, CountsAQueryRowOnceThoughFourLanesHoldIt) {
  ByHand one({0.5f}, {0.25f}, {2}, {3}, {8}, {128});
  ASSERT_TRUE(ran(dispatchFlashAttnTrainGradients(ownKernels(), one.a)));
  ByHand::expectRow(one.a.dV, 0, 3);
  ByHand::expectRow(one.a.dQ, 0, 64);
  ByHand::expectRow(one.a.dK, 0, 128);
}

// Two query rows and one key: dV = 3 + 5, and the scratch that was there before is not part of it.
TEST(BackwardByHand, AddsRowsOntoZeroes) {
  ByHand two({0.5f, 0.25f}, {0.25f}, {2}, {3, 5}, {8, 4}, {384, 640});
  two.a.dK.buffer.fillElements(7.0f), two.a.dV.buffer.fillElements(7.0f);
  ASSERT_TRUE(ran(dispatchFlashAttnTrainGradients(ownKernels(), two.a)));
  ByHand::expectRow(two.a.dV, 0, 8);
  ByHand::expectRow(two.a.dK, 0, 0);
}

// What a row that attends to nothing does: L is -inf,
// and its NaNs reach its own dQ and every key that it visits.
TEST(BackwardByHand, ARowThatAttendsToNothingMakesNaNs) {
  ByHand two({0.5f, 0.5f}, {0.25f}, {2}, {3, 3}, {8, -kInfinity}, {128, 0});
  two.a.mask =
      tensorOf<uint16_t>(DataType::BFloat, {1, 1, 2, 1}, Layout::HeadsOutside, {0, toBfloat(-kInfinity)});
  ASSERT_TRUE(ran(dispatchFlashAttnTrainGradients(ownKernels(), two.a)));
  ByHand::expectRow(two.a.dQ, 0, 64);
  EXPECT_TRUE(std::isnan(valuesOf<float>(two.a.dQ)[64]));
  EXPECT_TRUE(std::isnan(valuesOf<float>(two.a.dK)[0]));
  EXPECT_TRUE(std::isnan(valuesOf<float>(two.a.dV)[0]));
}

} // namespace
} // namespace assay::train_test
