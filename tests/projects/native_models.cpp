// mlx-native: what models add to the common operations: routing to experts, and the convolution of a
// state-space layer.
// source: src/ops/{moe_gate,moe_softmax_topk,moe_weighted_reduce,ssm_conv}.rs
#include "entry_point.h"
#include "reference.h"

namespace assay::projects {
namespace {

/// The indices of the k largest, in descending order.
std::vector<uint32_t> largest(const Reals &x, uint32_t k) {
  std::vector<uint32_t> order(x.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return x[a].value > x[b].value; });
  order.resize(k);
  return order;
}

Reals overTheirSum(Reals x) {
  const Real total = sum(x);
  for (Real &v : x)
    v = v / total;
  return x;
}

// Logits of a normed token; the best k, weighted by softmax and a scale of each expert.
void moeGate(KernelRun &run) {
  const uint32_t tokens = 3, dim = 48, experts = 128, topK = 4, threads = 128;
  const float eps = 1e-6f;
  const auto hidden = uniform<Bfloat>(tokens * dim, 1, -2, 2);
  const auto router = uniform<float>(experts * dim, 2), norm = uniform<float>(dim, 3, 0.5, 1.5);
  const auto scale = uniform<float>(experts, 4, 0.5, 2);
  std::vector<uint32_t> ids;
  Reals weights;
  for (uint32_t t = 0; t < tokens; ++t) {
    Reals x = row(reals(hidden), t, dim);
    const Real inverse = inverseRms(x, eps);
    for (uint32_t i = 0; i < dim; ++i)
      x[i] = x[i] * inverse * Real(norm[i]);
    const Reals logits = matmulTransposed(x, reals(router), 1, experts, dim);
    const std::vector<uint32_t> best = largest(logits, topK);
    Reals chosen;
    for (const uint32_t e : best)
      chosen.push_back(logits[e]);
    Reals weighted = softmax(chosen);
    for (uint32_t i = 0; i < topK; ++i)
      weighted[i] = weighted[i] * Real(scale[best[i]]);
    ids.insert(ids.end(), best.begin(), best.end());
    append(weights, overTheirSum(weighted));
  }
  run.input(0, hidden).input(1, router).input(2, norm).input(3, scale);
  run.output<uint32_t>(4, ids.size()).output<float>(5, weights.size());
  run.bytes(6, dim).bytes(7, experts).bytes(8, topK).bytes(9, eps).threadgroupMemory(0, (dim + experts) * 4);
  ASSERT_TRUE(run.dispatchThreadgroups({tokens}, {threads}));
  EXPECT_TRUE(same(ids, run.read<uint32_t>(4)));
  EXPECT_TRUE(near(weights, run.read<float>(5)));
}

struct SoftmaxTopK {
  uint32_t tokens, experts, topK;
  float padding;
};

void moeSoftmaxTopK(KernelRun &run) {
  const uint32_t tokens = 3;
  for (const auto &[experts, topK] : {std::pair{16u, 3u}, {256u, 8u}}) {
    const uint32_t threads = std::min(experts, 128u);
    std::vector<float> logits;
    std::vector<uint32_t> ids;
    Reals weights;
    for (uint32_t t = 0; t < tokens; ++t) {
      const auto x = distinct<float>(experts, t + 5, 1.0 / 32);
      logits.insert(logits.end(), x.begin(), x.end());
      const Reals p = softmax(reals(x));
      const std::vector<uint32_t> best = largest(p, topK);
      Reals chosen;
      for (const uint32_t e : best)
        chosen.push_back(p[e]);
      ids.insert(ids.end(), best.begin(), best.end());
      append(weights, overTheirSum(chosen));
    }
    run.bytes(0, SoftmaxTopK{tokens, experts, topK, 0}).input(1, logits);
    run.output<uint32_t>(2, ids.size()).output<float>(3, weights.size());
    run.threadgroupMemory(0, (2 * threads + experts) * 4);
    ASSERT_TRUE(run.dispatchThreadgroups({tokens}, {threads}));
    EXPECT_TRUE(same(ids, run.read<uint32_t>(2)));
    EXPECT_TRUE(near(weights, run.read<float>(3)));
  }
}

struct WeightedReduce {
  uint32_t tokens, topK, width, addResidual;
};

void moeWeightedReduce(KernelRun &run) {
  const uint32_t tokens = 2, topK = 3, width = 300;
  const auto weights = uniform<float>(tokens * topK, 8, 0, 1),
             expert = uniform<float>(tokens * topK * width, 9);
  const auto logit = uniform<float>(tokens, 10, -2, 2), shared = uniform<float>(tokens * width, 11);
  const auto residual = uniform<float>(tokens * width, 12);
  for (const uint32_t addResidual : {0u, 1u}) {
    Reals expected;
    for (uint32_t t = 0; t < tokens; ++t)
      for (uint32_t i = 0; i < width; ++i) {
        Reals terms;
        for (uint32_t slot = t * topK; slot < (t + 1) * topK; ++slot)
          terms.push_back(Real(weights[slot]) * Real(expert[slot * width + i]));
        terms.push_back(sigmoid(Real(logit[t])) * Real(shared[t * width + i]));
        if (addResidual)
          terms.push_back(Real(residual[t * width + i]));
        expected.push_back(sum(terms));
      }
    run.bytes(0, WeightedReduce{tokens, topK, width, addResidual}).input(1, weights).input(2, expert);
    run.input(3, logit).input(4, shared).input(5, residual).output<float>(6, expected.size());
    ASSERT_TRUE(run.dispatchThreadgroups({(width + 255) / 256, tokens}, {256}));
    EXPECT_TRUE(near(expected, run.read<float>(6)));
  }
}

ASSAY_ENTRY_POINTS(Experts, MlxNative,
                   ({{"moe_gate.metal", "moe_gate", moeGate},
                     {"moe_softmax_topk.metal", "moe_softmax_topk_f32", moeSoftmaxTopK},
                     {"moe_weighted_reduce.metal", "moe_weighted_reduce_f32", moeWeightedReduce}}));

// --- convolution along the tokens: the last K - 1 inputs of a sequence come from its state -----------------

struct Convolution {
  uint32_t channels, tokens, sequences, width;
};
constexpr Convolution kConvolutions[] = {{5, 1, 1, 4}, {7, 2, 2, 4}, {6, 9, 3, 3}};

/// Input `t` of channel c, counted from the first that the state holds.
template <class T>
T extended(const Convolution &s, const std::vector<T> &x, const std::vector<T> &state, uint32_t sequence,
           uint32_t channel, uint32_t t) {
  const uint32_t kept = s.width - 1;
  return t < kept ? state[(sequence * s.channels + channel) * kept + t]
                  : x[(sequence * s.tokens + t - kept) * s.channels + channel];
}

template <class T> void convolution(KernelRun &run) {
  for (const Convolution &s : kConvolutions) {
    const auto x = uniform<T>(s.sequences * s.tokens * s.channels, 13);
    const auto w = uniform<T>(s.channels * s.width, 14);
    const auto state = uniform<T>(s.sequences * s.channels * (s.width - 1), 15);
    Reals expected;
    for (uint32_t q = 0; q < s.sequences; ++q)
      for (uint32_t t = 0; t < s.tokens; ++t)
        for (uint32_t c = 0; c < s.channels; ++c) {
          Reals terms;
          for (uint32_t k = 0; k < s.width; ++k)
            terms.push_back(Real(value(w[c * s.width + k])) *
                            Real(value(extended(s, x, state, q, c, t + k))));
          const Real y = sum(terms);
          expected.push_back(y * sigmoid(y));
        }
    run.output<T>(3, x.size()).input(0, x).input(1, w).input(2, state);
    run.input(4, std::vector<uint32_t>{s.channels, s.tokens, s.sequences, s.width});
    ASSERT_TRUE(run.dispatchThreads({s.channels, s.tokens, s.sequences}, {4, 2, 1}));
    EXPECT_TRUE(near(expected, run.read<T>(3)));
  }
}

template <class T> void nextState(KernelRun &run) {
  for (const Convolution &s : kConvolutions) {
    const auto x = anyBits<T>(s.sequences * s.tokens * s.channels, 16);
    const auto state = anyBits<T>(s.sequences * s.channels * (s.width - 1), 17);
    std::vector<T> expected;
    for (uint32_t q = 0; q < s.sequences; ++q)
      for (uint32_t c = 0; c < s.channels; ++c)
        for (uint32_t i = 0; i + 1 < s.width; ++i)
          expected.push_back(extended(s, x, state, q, c, s.tokens + i));
    run.output<T>(2, state.size()).input(0, x).input(1, state);
    run.input(3, std::vector<uint32_t>{s.channels, s.tokens, s.sequences, s.width});
    ASSERT_TRUE(run.dispatchThreads({s.width - 1, s.channels, s.sequences}, {2, 4, 1}));
    EXPECT_TRUE(same(expected, run.read<T>(2)));
  }
}

ASSAY_ENTRY_POINTS(Convolution, MlxNative,
                   ({{"ssm_conv.metal", "ssm_conv_forward_f32", convolution<float>},
                     {"ssm_conv.metal", "ssm_conv_forward_bf16", convolution<Bfloat>},
                     {"ssm_conv.metal", "ssm_conv_state_update_f32", nextState<float>},
                     {"ssm_conv.metal", "ssm_conv_state_update_bf16", nextState<Bfloat>}}));

} // namespace
} // namespace assay::projects
