// kernels_msl/attention: templates, threadgroup arrays, conditional arguments and float atomics, to the bit.
#include "bfloat_neighbourhoods.h"

#include "tests/kernels/oracles/attention_cases.h"
#include "tests/kernels/oracles/f32.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using namespace testing_support;
using namespace oracle;

struct Case {
  std::string name;
  std::string kernel;
  AttentionShape shape;
  MaskKind mask = MaskKind::None;
};

/// What GoogleTest prints of a parameter.
void PrintTo(const Case &c, std::ostream *out) {
  *out << c.name;
}

struct ShapeArgument {
  int32_t heads, headsPerKeyHead, queries, keys;
  float scale;
};

class SmallAttention : public ::testing::TestWithParam<Case> {
protected:
  AttentionShape s = GetParam().shape;
  AttentionInputs in = makeAttentionCase(s, GetParam().mask, 31);
  KernelRun run{ownKernel("attention/backward.metal"), GetParam().kernel};

  void SetUp() override {
    run.constant(0, in.mask.has_value());
    if (s.causal) // the default is false, so that both ways of saying it are used
      run.constant(1, true);
    run.input(0, in.q)
        .input(1, in.k)
        .input(2, in.v)
        .input(3, in.dO)
        .input(4, in.logSumExp)
        .input(5, in.rowDot);
    run.output<float>(6, s.queryCount())
        .accumulator<float>(7, s.keyCount())
        .accumulator<float>(8, s.keyCount());
    run.bytes(9, ShapeArgument{s.queryHeads, s.gqa, s.queries, s.keys, s.scale});
    if (in.mask)
      run.input(10, *in.mask);
  }
  ::testing::AssertionResult dispatch(const DispatchOptions &options) {
    const uint64_t threads = GetParam().kernel.find("d32") != std::string::npos ? 64 : 32;
    const uint64_t tiles = (s.queries + s.tileQueries - 1) / s.tileQueries;
    return run.dispatchThreadgroups({tiles, uint64_t(s.queryHeads), uint64_t(s.batches)}, {threads}, options);
  }
  void expectBits(const AttentionGradients<float> &expected, NanMatch nan = NanMatch::SameBits) {
    EXPECT_TRUE(bitsEqual(expected.dQ, run.read<float>(6), nan)) << "dQ";
    EXPECT_TRUE(bitsEqual(expected.dK, run.read<float>(7), nan)) << "dK";
    EXPECT_TRUE(bitsEqual(expected.dV, run.read<float>(8), nan)) << "dV";
  }
};

TEST_P(SmallAttention, EqualsTheOracleInEveryBit) {
  const AttentionGradients<float> expected = attentionBackwardExact<Apple>(s, in);
  inAllWays(
      true, [&](const DispatchOptions &o) { return dispatch(o); }, [&] { expectBits(expected); });
}

TEST_P(SmallAttention, EqualsTheOracleUnderIeee) {
  run.numerics(kIeeeNumerics);
  ASSERT_TRUE(dispatch({}));
  expectBits(attentionBackwardExact<Ieee>(s, in), NanMatch::AnyNan);
}

AttentionShape shape(int size, int batches, int heads, int gqa, int queries, int keys, bool causal) {
  AttentionShape s;
  s.batches = batches, s.queryHeads = heads, s.gqa = gqa, s.queries = queries, s.keys = keys, s.size = size;
  s.tileQueries = size == 32 ? 16 : 32, s.tileKeys = size == 32 ? 8 : 16;
  s.causal = causal, s.scale = 0.2f;
  return s;
}

const char *const kD32 = "attention_backward_bf16_d32", *const kD16 = "attention_backward_bf16_d16";

INSTANTIATE_TEST_SUITE_P(
    Shapes, SmallAttention,
    ::testing::Values(Case{"Whole", kD32, shape(32, 1, 2, 1, 32, 24, false)},
                      Case{"Ragged", kD32, shape(32, 2, 4, 4, 37, 29, false)},
                      Case{"Causal", kD32, shape(32, 1, 2, 2, 35, 35, true)},
                      Case{"Masked", kD32, shape(32, 1, 4, 2, 21, 19, false), MaskKind::Random},
                      Case{"CausalMasked", kD16, shape(16, 2, 2, 1, 33, 40, true), MaskKind::Random},
                      Case{"DeadRows", kD16, shape(16, 1, 1, 1, 11, 5, false), MaskKind::DeadRows},
                      Case{"Tiny", kD16, shape(16, 1, 1, 1, 1, 1, false)}),
    [](const auto &info) { return info.param.name; });

TEST(NarrowToBfloat, RoundsEveryNeighbourhoodToNearestEven) {
  const std::vector<float> values = bfloatNeighbourhoods();
  KernelRun run(ownKernel("attention/backward.metal"), "narrow_to_bfloat");
  run.input(0, values).output<uint16_t>(1, values.size()).bytes(2, uint32_t(values.size()));
  ASSERT_TRUE(run.dispatchThreads({values.size()}, {256}));
  EXPECT_TRUE(bitsEqual(narrowed<Apple>(values), run.read<uint16_t>(1)));
  run.numerics(kIeeeNumerics);
  ASSERT_TRUE(run.dispatchThreads({values.size()}, {256}));
  EXPECT_TRUE(bitsEqual(withOneNaN(narrowed<Ieee>(values)), withOneNaN(run.read<uint16_t>(1))));
}

} // namespace
} // namespace assay
