// The attention oracles judge each other: the float64 gradient against finite differences of the float64
// forward pass, and the exact one against the float64 gradient.
#include "attention_cases.h"
#include "f32.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace assay::oracle {
namespace {

AttentionShape smallShape() {
  AttentionShape s;
  s.batches = 2, s.queryHeads = 4, s.gqa = 2, s.queries = 5, s.keys = 6, s.size = 3;
  s.tileQueries = 4, s.tileKeys = 4, s.scale = 0.6f;
  return s;
}

/// sum of dO * O: its gradients are what the backward pass computes.
double loss(const AttentionShape &s, const AttentionReals &in) {
  const AttentionForward forward = attentionForwardReference(s, in);
  double sum = 0;
  for (double x : forward.rowDot)
    sum += x;
  return sum;
}

/// Central differences with step 2^-17: truncation about h^2 = 6e-11, cancellation about 1e-15 / h = 1e-10.
void expectGradient(const AttentionShape &s, AttentionReals in, std::vector<double> AttentionReals::*input,
                    const std::vector<double> &gradient) {
  constexpr double h = 0x1p-17;
  for (size_t i = 0; i < gradient.size(); ++i) {
    double &x = (in.*input)[i];
    const double saved = x;
    x = saved + h;
    const double above = loss(s, in);
    x = saved - h;
    const double below = loss(s, in);
    x = saved;
    ASSERT_NEAR((above - below) / (2 * h), gradient[i], 2e-8) << "element " << i;
  }
}

TEST(OracleAttention, GradientIsTheFiniteDifference) {
  for (const bool causal : {false, true})
    for (const MaskKind mask : {MaskKind::None, MaskKind::Random}) {
      AttentionShape s = smallShape();
      s.causal = causal, s.queryOffset = causal ? 1 : 0;
      const AttentionReals in = AttentionReals::from(makeAttentionCase(s, mask, 11));
      const AttentionGradients<double> gradients = attentionBackwardReference(s, in);
      expectGradient(s, in, &AttentionReals::q, gradients.dQ);
      expectGradient(s, in, &AttentionReals::k, gradients.dK);
      expectGradient(s, in, &AttentionReals::v, gradients.dV);
    }
}

double worst(const std::vector<float> &exact, const std::vector<double> &reference) {
  double worst = 0;
  for (size_t i = 0; i < exact.size(); ++i)
    worst = std::max(worst, std::abs(exact[i] - reference[i]));
  return worst;
}

// P and dS carry the rounding of L and D (relative 2^-24 of values below about 8: 5e-7) and of dot products
// over 64 numbers; a gradient sums at most 40 such terms of size at most 8 with random signs. 1e-5 is twice
// what the roundings can add up to; a wrong or missing term would be of the size of the gradients, about 0.1.
TEST(OracleAttention, ExactIsNearTheReference) {
  for (const bool causal : {false, true})
    for (const MaskKind mask : {MaskKind::None, MaskKind::Random}) {
      AttentionShape s;
      s.batches = 2, s.queryHeads = 4, s.gqa = 4, s.queries = 37, s.keys = 41, s.size = 64, s.causal = causal;
      s.scale = 0.125f;
      const AttentionInputs in = makeAttentionCase(s, mask, 12);
      const auto exact = attentionBackwardExact<Apple>(s, in);
      const auto reference = attentionBackwardReference(s, AttentionReals::from(in));
      EXPECT_LT(worst(exact.dQ, reference.dQ), 1e-5);
      EXPECT_LT(worst(exact.dK, reference.dK), 1e-5);
      EXPECT_LT(worst(exact.dV, reference.dV), 1e-5);
      // A product of two bfloats is exact in float, so only what follows the softmax can tell fused from not.
      EXPECT_FALSE(exact.dQ == attentionBackwardExact<Ieee>(s, in).dQ)
          << "the case must tell the profiles apart";
    }
}

// The bound must hold, and say something: with an L and a D that are rounded to float, a thousandth of
// the largest gradient. Its terms, by hand, where they are plain: one query, one key, size 1, q = k = v = dO
// = 1, scale 1. S = L = 1, P = 1, dP = D = 1, so only the errors given to L and D are left, to first order:
// |dV' - 1| <= eL, |dQ'| and |dK'| <= eD.
TEST(OracleAttention, TheBoundHoldsAndIsNarrow) {
  for (const bool causal : {false, true}) {
    AttentionShape s;
    s.batches = 2, s.queryHeads = 4, s.gqa = 4, s.queries = 37, s.keys = 41, s.size = 64, s.causal = causal;
    s.queryOffset = causal ? 4 : 0, s.scale = 0.125f;
    const AttentionInputs in = makeAttentionCase(s, MaskKind::Random, 14);
    const AttentionReals reals = AttentionReals::from(in);
    const AttentionForward forward = attentionForwardReference(s, reals);
    std::vector<double> offL, offD;
    for (size_t row = 0; row < s.queryRows(); ++row) {
      offL.push_back(std::abs(in.logSumExp[row] - forward.logSumExp[row]));
      offD.push_back(std::abs(in.rowDot[row] - forward.rowDot[row]));
    }
    const auto bound = attentionBackwardBound(s, reals, offL, offD);
    const auto exact = attentionBackwardExact<Apple>(s, in);
    const auto reference = attentionBackwardReference(s, reals);
    for (const auto member : {&AttentionGradients<double>::dQ, &AttentionGradients<double>::dK,
                              &AttentionGradients<double>::dV}) {
      const std::vector<double> &allowed = bound.*member, &expected = reference.*member;
      const std::vector<float> &actual = member == &AttentionGradients<double>::dQ   ? exact.dQ
                                         : member == &AttentionGradients<double>::dK ? exact.dK
                                                                                     : exact.dV;
      double largest = 0;
      for (const double x : expected)
        largest = std::max(largest, std::abs(x));
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_LE(std::abs(actual[i] - expected[i]), allowed[i]) << "element " << i;
        ASSERT_LT(allowed[i], 1e-3 * largest) << "element " << i;
      }
    }
  }
  AttentionShape one;
  one.queries = one.keys = one.size = 1;
  const AttentionReals ones{{1}, {1}, {1}, {1}, {}};
  const auto bound = attentionBackwardBound(one, ones, {0x1p-10}, {0x1p-9});
  EXPECT_NEAR(bound.dV[0], 0x1p-10, 2e-6);
  EXPECT_NEAR(bound.dQ[0], 0x1p-9, 4e-6);
  EXPECT_NEAR(bound.dK[0], 0x1p-9, 4e-6);
}

TEST(OracleAttention, RowsThatAttendToNothingAreNaNInTheExactOracle) {
  // L of such a row is -inf, and -inf - -inf has no value: what Metal computes, and what the caller must
  // avoid.
  AttentionShape s = smallShape();
  const AttentionInputs in = makeAttentionCase(s, MaskKind::DeadRows, 13);
  const auto exact = attentionBackwardExact<Apple>(s, in);
  EXPECT_TRUE(std::isnan(exact.dQ[4 * s.size]));
  EXPECT_FALSE(std::isnan(exact.dQ[3 * s.size]));
}

} // namespace
} // namespace assay::oracle
