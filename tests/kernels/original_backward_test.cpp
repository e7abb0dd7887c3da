// flash_attn_train_bwd.metal, unchanged, against the attention oracles.
#include "bfloat_neighbourhoods.h"

#include "tests/kernels/oracles/attention_cases.h"
#include "tests/kernels/oracles/f32.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

using namespace testing_support;
using namespace oracle;

constexpr const char *kFile = "flash_attn_train_bwd.metal";

/// The kernel's parameters as they lie in memory.
struct Params {
  int32_t batches, queryHeads, size, queries, keys, gqa;
  float scale, softcapping;
  int32_t queryTiles, keyTiles, wholeQueryTiles, wholeKeyTiles, queryRest, keyRest, queryOffset, padding;
  int64_t qStrides[3], kStrides[3], vStrides[3], oStrides[3];
};
static_assert(sizeof(Params) == 160, "the ABI that host and kernel agreed on");
static_assert(offsetof(Params, qStrides) == 64);

struct MaskParams {
  int64_t strides[3];
};

/// How the inputs lie in memory; gradients are always [batch, head, row, size].
enum class Layout { HeadsOutside, HeadsInside };

struct Case {
  std::string name;
  AttentionShape shape;
  MaskKind mask = MaskKind::None;
  Layout layout = Layout::HeadsOutside;
  float inputSize = 1;
};

/// What GoogleTest prints of a parameter.
void PrintTo(const Case &c, std::ostream *out) {
  *out << c.name;
}

/// [batch, head, row, size] to [batch, row, head, size].
std::vector<uint16_t> headsInside(const std::vector<uint16_t> &in, int batches, int heads, int rows,
                                  int size) {
  std::vector<uint16_t> out(in.size());
  for (int b = 0; b < batches; ++b)
    for (int h = 0; h < heads; ++h)
      for (int r = 0; r < rows; ++r)
        for (int d = 0; d < size; ++d)
          out[((size_t(b) * rows + r) * heads + h) * size + d] =
              in[((size_t(b) * heads + h) * rows + r) * size + d];
  return out;
}

class OriginalBackward : public ::testing::TestWithParam<Case> {
protected:
  AttentionShape s = GetParam().shape;
  AttentionInputs in = makeAttentionCase(s, GetParam().mask, 51, GetParam().inputSize);
  KernelRun run{originalKernel(kFile),
                s.size == 256 ? "flash_attn_train_bwd_bf16_d256" : "flash_attn_train_bwd_bf16_d64"};

  void SetUp() override {
    ASSAY_NEEDS_ORIGINAL(kFile);
    Params p{};
    p.batches = s.batches, p.queryHeads = s.queryHeads, p.size = s.size, p.queries = s.queries,
    p.keys = s.keys;
    p.gqa = s.gqa, p.scale = s.scale, p.softcapping = 1;
    p.queryTiles = (s.queries + 31) / 32, p.keyTiles = (s.keys + 15) / 16;
    p.wholeQueryTiles = s.queries / 32, p.wholeKeyTiles = s.keys / 16;
    p.queryRest = s.queries % 32, p.keyRest = s.keys % 16;
    run.constant(200, p.queryRest == 0).constant(201, p.keyRest == 0);
    run.constant(300, in.mask.has_value()).constant(301, s.causal);

    const bool inside = GetParam().layout == Layout::HeadsInside;
    const auto place = [&](uint32_t slot, const std::vector<uint16_t> &data, int heads, int rows,
                           int64_t *strides) {
      const int64_t size = s.size, head = inside ? size : rows * size, row = inside ? heads * size : size;
      strides[0] = heads * rows * size, strides[1] = head, strides[2] = row;
      run.input(slot, inside ? headsInside(data, s.batches, heads, rows, s.size) : data);
    };
    place(0, in.q, s.queryHeads, s.queries, p.qStrides);
    place(1, in.k, s.keyHeads(), s.keys, p.kStrides);
    place(2, in.v, s.keyHeads(), s.keys, p.vStrides);
    place(5, in.dO, s.queryHeads, s.queries, p.oStrides);
    run.input(4, in.logSumExp).input(6, in.rowDot);
    run.output<float>(7, s.queryCount())
        .accumulator<float>(8, s.keyCount())
        .accumulator<float>(9, s.keyCount());
    run.bytes(10, p);
    if (in.mask) {
      const int64_t rows = s.queries, keys = s.keys;
      run.bytes(11, MaskParams{{s.queryHeads * rows * keys, rows * keys, keys}}).input(12, *in.mask);
    }
  }

  ::testing::AssertionResult dispatch(const DispatchOptions &options) {
    const uint64_t tiles = (s.queries + 31) / 32;
    return run.dispatchThreadgroups({tiles, uint64_t(s.queryHeads), uint64_t(s.batches)}, {32, 4, 1},
                                    options);
  }
  void expectBits(const AttentionGradients<float> &expected, NanMatch nan = NanMatch::SameBits) {
    EXPECT_TRUE(bitsEqual(expected.dQ, run.read<float>(7), nan)) << "dQ";
    EXPECT_TRUE(bitsEqual(expected.dK, run.read<float>(8), nan)) << "dK";
    EXPECT_TRUE(bitsEqual(expected.dV, run.read<float>(9), nan)) << "dV";
  }
};

TEST_P(OriginalBackward, EqualsTheOracleInEveryBit) {
  const AttentionGradients<float> expected = attentionBackwardExact<Apple>(s, in);
  inAllWays(true, [&](const DispatchOptions &o) { return dispatch(o); }, [&] { expectBits(expected); });
}

// The bound is argued for beside the oracle's own test against float64 (attention_backward_test.cpp). A row
// that attends to nothing is NaN in the kernel, has no gradient in float64, and reaches every key that it
// visits.
TEST_P(OriginalBackward, IsNearFloat64) {
  ASSERT_TRUE(dispatch({}));
  const AttentionReals reals = AttentionReals::from(in);
  const AttentionForward forward = attentionForwardReference(s, reals);
  const AttentionGradients<double> reference = attentionBackwardReference(s, reals);
  // L and D are those of the forward pass in float64, rounded once to float.
  const auto rounded = [](std::vector<double> values) {
    for (double &x : values)
      x = std::isfinite(x) ? std::abs(x) * 0x1p-24 : 0;
    return values;
  };
  const AttentionGradients<double> bound =
      attentionBackwardBound(s, reals, rounded(forward.logSumExp), rounded(forward.rowDot));
  const std::vector<float> dQ = run.read<float>(7), dK = run.read<float>(8), dV = run.read<float>(9);
  for (size_t i = 0; i < dQ.size(); ++i) {
    const bool dead = in.logSumExp[i / s.size] == -kInfinity;
    ASSERT_TRUE(dead ? std::isnan(dQ[i]) : std::abs(reference.dQ[i] - dQ[i]) <= bound.dQ[i])
        << "dQ element " << i;
  }
  if (GetParam().mask == MaskKind::DeadRows)
    return;
  for (size_t i = 0; i < dK.size(); ++i) {
    ASSERT_NEAR(reference.dK[i], dK[i], bound.dK[i]) << "dK element " << i;
    ASSERT_NEAR(reference.dV[i], dV[i], bound.dV[i]) << "dV element " << i;
  }
}

AttentionShape shape(int size, int batches, int heads, int gqa, int queries, int keys, bool causal = false) {
  AttentionShape s;
  s.batches = batches, s.queryHeads = heads, s.gqa = gqa, s.queries = queries, s.keys = keys, s.size = size;
  s.causal = causal, s.scale = 1.0f / std::sqrt(float(size));
  return s;
}

std::string caseName(const ::testing::TestParamInfo<Case> &info) {
  return info.param.name;
}

// CausalDeadRows tells which key tiles are visited: only there does a row without a softmax leave its NaN.
INSTANTIATE_TEST_SUITE_P(
    D64, OriginalBackward,
    ::testing::Values(
        Case{"WholeTiles", shape(64, 1, 2, 1, 64, 48)}, Case{"Ragged", shape(64, 2, 8, 4, 37, 41)},
        Case{"RaggedQueries", shape(64, 1, 1, 1, 45, 32)}, Case{"RaggedKeys", shape(64, 1, 1, 1, 32, 17)},
        Case{"Causal", shape(64, 1, 4, 4, 75, 75, true)},
        Case{"CausalWholeTiles", shape(64, 2, 2, 1, 64, 64, true)},
        Case{"CausalMoreKeys", shape(64, 1, 1, 1, 33, 70, true)},
        Case{"Masked", shape(64, 2, 4, 4, 33, 19), MaskKind::Random},
        Case{"MaskedWholeTiles", shape(64, 1, 2, 1, 32, 32), MaskKind::Random},
        Case{"CausalMasked", shape(64, 2, 4, 1, 40, 47, true), MaskKind::Random},
        Case{"DeadRows", shape(64, 1, 2, 2, 21, 18), MaskKind::DeadRows},
        Case{"CausalDeadRows", shape(64, 1, 1, 1, 33, 70, true), MaskKind::DeadRows},
        Case{"SmallerThanATile", shape(64, 1, 1, 1, 5, 7)}, Case{"OneByOne", shape(64, 1, 1, 1, 1, 1)},
        Case{"HeadsInside", shape(64, 2, 4, 4, 35, 20), MaskKind::None, Layout::HeadsInside},
        Case{"NearTheSmallestNormal", shape(64, 1, 2, 1, 34, 33), MaskKind::None, Layout::HeadsOutside,
             0x1p-39f}),
    caseName);

INSTANTIATE_TEST_SUITE_P(D256, OriginalBackward,
                         ::testing::Values(Case{"WholeTiles", shape(256, 1, 1, 1, 32, 32)},
                                           Case{"Ragged", shape(256, 2, 4, 4, 37, 19)},
                                           Case{"Causal", shape(256, 1, 4, 4, 41, 41, true)},
                                           Case{"Masked", shape(256, 1, 8, 4, 35, 21), MaskKind::Random},
                                           Case{"CausalMasked", shape(256, 2, 4, 4, 33, 33, true),
                                                MaskKind::Random}),
                         caseName);

/// What a shape cannot change: the profile and the schedule.
class OriginalBackwardOnce : public OriginalBackward {};

TEST_P(OriginalBackwardOnce, EqualsTheOracleUnderIeee) {
  run.numerics(kIeeeNumerics);
  ASSERT_TRUE(dispatch({}));
  expectBits(attentionBackwardExact<Ieee>(s, in), NanMatch::AnyNan);
}

TEST_P(OriginalBackwardOnce, ReplaysAShuffledOrderOfAtomicAdditions) {
  DispatchOptions shuffled;
  shuffled.schedule = {ScheduleKind::Shuffle, 5};
  ASSERT_TRUE(dispatch(shuffled));
  const std::vector<float> dK = run.read<float>(8), dV = run.read<float>(9);
  const AttentionGradients<float> canonical = attentionBackwardExact<Apple>(s, in);
  EXPECT_TRUE(bitsEqual(canonical.dQ, run.read<float>(7))) << "dQ has no atomics, so it has one order";
  EXPECT_FALSE(canonical.dK == dK) << "the seed must make a difference";
  ASSERT_TRUE(dispatch(shuffled));
  EXPECT_TRUE(bitsEqual(dK, run.read<float>(8)));
  EXPECT_TRUE(bitsEqual(dV, run.read<float>(9)));
}

// Before Metal 3.1 there is no bfloat, and the file brings a class of its own for it.
TEST_P(OriginalBackwardOnce, HasTheSameBitsWithTheBfloatThatItBringsForMetal30) {
  CompileOptions options;
  options.languageVersion = findLanguageVersion("metal3.0")->version;
  run.compile(options);
  ASSERT_TRUE(dispatch({}));
  expectBits(attentionBackwardExact<Apple>(s, in));
}

INSTANTIATE_TEST_SUITE_P(D64, OriginalBackwardOnce,
                         ::testing::Values(Case{"Ragged", shape(64, 2, 4, 4, 70, 41)},
                                           Case{"CausalMasked", shape(64, 1, 4, 4, 40, 47, true),
                                                MaskKind::Random}),
                         caseName);

TEST(OriginalCast, RoundsEveryNeighbourhoodToNearestEvenAndStopsAtTheCount) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  const std::vector<float> values = bfloatNeighbourhoods();
  constexpr uint32_t kSpare = 77;
  std::vector<uint16_t> expected = narrowed<Apple>(values);
  expected.insert(expected.end(), kSpare, Buffer::kPoisonByte << 8 | Buffer::kPoisonByte);
  KernelRun run(originalKernel(kFile), "f32_to_bf16_cast");
  run.input(0, values).output<uint16_t>(1, expected.size()).bytes(2, uint32_t(values.size()));
  const uint64_t groups = (expected.size() + 255) / 256;
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({groups}, {256}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<uint16_t>(1))); });
}

} // namespace
} // namespace assay
