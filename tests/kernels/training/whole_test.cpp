// Forward and backward as one: what a training step gets, against float64.
//
// The backward bound (oracles/attention_bound.cpp) takes the errors of L and D. Both come from the forward
// kernel and are judged first: L by its own bound (oracles/tiled_attention.cpp: mostly the bf16 rounding of
// the scaled Q, which the backward pass does not repeat), D by that of O times |dO| and the roundings of the
// sum. What they are off, by float64, is then what the gradients may make of it: taking the two bounds
// instead would allow a third of a gradient for D = 256.
// In the end each gradient is rounded to bf16, by at most 2^-8 of it.
#include "train_problem.h"

namespace assay::train_test {
namespace {

class WholePass : public ::testing::TestWithParam<Problem> {};

TEST_P(WholePass, GradientsAreNearFloat64) {
  const Inputs inputs(GetParam());
  const AttentionShape &s = inputs.s;
  KernelSet set(ownKernelFolder());
  FlashAttnTrainForward forward;
  static_cast<FlashAttnTrainInputs &>(forward) = inputs.arguments();
  forward.o = makeTensor(DataType::BFloat, inputs.querySizes(), GetParam().layout);
  forward.logSumExp = TensorView::poisoned(set.device(), DataType::Float, inputs.rowSizes());
  ASSERT_TRUE(ran(dispatchFlashAttnTrainForward(set, forward)));

  FlashAttnTrainBackward backward;
  static_cast<FlashAttnTrainInputs &>(backward) = forward;
  backward.o = forward.o, backward.logSumExp = forward.logSumExp,
  backward.dO = inputs.queryTensor(inputs.in.dO);
  backward.dQ = TensorView::poisoned(set.device(), DataType::BFloat, inputs.querySizes());
  backward.dK = TensorView::poisoned(set.device(), DataType::BFloat, inputs.keySizes());
  backward.dV = TensorView::poisoned(set.device(), DataType::BFloat, inputs.keySizes());
  const auto report = dispatchFlashAttnTrainBackward(set, backward);
  ASSERT_TRUE(ran(report));
  EXPECT_EQ(report->gradients.threadgroups, uint64_t((s.queries + 31) / 32) * s.queryHeads * s.batches);
  EXPECT_EQ(report->computeD.threadgroups, uint64_t((s.queries + 3) / 4) * s.queryHeads * s.batches);

  // What was narrowed is what is left.
  std::vector<uint16_t> narrow;
  for (const float x : valuesOf<float>(report->dKFloat))
    narrow.push_back(F32<Apple>::toBfloat(x));
  EXPECT_TRUE(bitsEqual(narrow, valuesOf<uint16_t>(backward.dK)));

  const AttentionReals reals = AttentionReals::from(inputs.in);
  const TiledAttentionReference tiled = tiledAttentionReference(inputs.tiledShape(), inputs.tiledInputs());
  const AttentionForward exact = attentionForwardReference(s, reals);
  std::vector<double> rowDotBound(s.queryRows());
  for (size_t i = 0; i < tiled.output.size(); ++i)
    rowDotBound[i / s.size] +=
        std::fabs(reals.dO[i]) * (tiled.outputBound[i] + 14 * 0x1p-24 * std::fabs(tiled.output[i]));
  const std::vector<float> L = valuesOf<float>(forward.logSumExp), D = valuesOf<float>(report->rowDot);
  EXPECT_TRUE(withinBound(exact.logSumExp, tiled.logSumExpBound, L)) << "L";
  EXPECT_TRUE(withinBound(exact.rowDot, rowDotBound, D)) << "D";
  std::vector<double> offL, offD;
  for (size_t row = 0; row < L.size(); ++row)
    offL.push_back(std::fabs(L[row] - exact.logSumExp[row])),
        offD.push_back(std::fabs(D[row] - exact.rowDot[row]));
  const AttentionGradients<double> bound = attentionBackwardBound(s, reals, offL, offD);
  const AttentionGradients<double> reference = attentionBackwardReference(s, reals);
  const auto check = [&](const char *name, const std::vector<double> &expected, std::vector<double> allowed,
                         const TensorView &actual) {
    double largest = 0, most = 0;
    for (size_t i = 0; i < allowed.size(); ++i) {
      allowed[i] += 0x1p-8 * (std::fabs(expected[i]) + allowed[i]) + 0x1p-126;
      largest = std::max(largest, std::fabs(expected[i])), most = std::max(most, allowed[i]);
    }
    Within within;
    EXPECT_TRUE(withinBound(expected, allowed, widened(valuesOf<uint16_t>(actual)), &within)) << name;
    EXPECT_LT(most, largest / 4) << name << ": a bound that allows as much as there is says nothing";
    RecordProperty(name, fmt::format("off by {:.2g}, {:.2g} of the largest, {:.2g} of the bound",
                                     within.largest, within.largest / largest, within.worst));
  };
  check("dQ", reference.dQ, bound.dQ, backward.dQ);
  check("dK", reference.dK, bound.dK, backward.dK);
  check("dV", reference.dV, bound.dV, backward.dV);
}

INSTANTIATE_TEST_SUITE_P(Shapes, WholePass,
                         ::testing::Values(Problem{"Ragged", shapeOf(64, 2, 4, 4, 37, 41)},
                                           Problem{"Causal", shapeOf(64, 1, 2, 2, 70, 70, true),
                                                   MaskKind::None, Layout::HeadsInside},
                                           Problem{"CausalAtTheEnd", shapeOf(64, 1, 2, 1, 33, 70, true, 37)},
                                           Problem{"Masked", shapeOf(64, 1, 4, 2, 33, 50), MaskKind::Random},
                                           Problem{"BoolMasked", shapeOf(64, 1, 4, 2, 33, 50),
                                                   MaskKind::Random, Layout::HeadsOutside, 1, true},
                                           Problem{"D256Causal", shapeOf(256, 1, 2, 2, 40, 40, true)},
                                           Problem{"D256BoolMasked", shapeOf(256, 1, 1, 1, 33, 19),
                                                   MaskKind::Random, Layout::HeadsInside, 1, true}),
                         problemName);

} // namespace
} // namespace assay::train_test
