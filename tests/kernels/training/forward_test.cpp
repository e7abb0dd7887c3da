// The forward kernel through its dispatcher: O and L to the bit, near float64, and like mlx-native's.
#include "train_problem.h"

#include "kernels_msl/attention/attention_params.h"

#include <filesystem>

namespace assay::train_test {
namespace {

class Forward : public ::testing::TestWithParam<Problem> {
protected:
  Inputs inputs{GetParam()};
  const AttentionShape &s = inputs.s;
  FlashAttnTrainForward a;

  void SetUp() override {
    static_cast<FlashAttnTrainInputs &>(a) = inputs.arguments();
    a.o = makeTensor(DataType::BFloat, inputs.querySizes(), GetParam().layout);
    a.logSumExp = TensorView::poisoned(Device::systemDefault(), DataType::Float, inputs.rowSizes());
  }
  ::testing::AssertionResult dispatch(KernelSet &set, const DispatchOptions &options = {}) {
    if (GetParam().layout != Layout::FarRows)
      a.o.buffer.poison();
    a.logSumExp.buffer.poison();
    set.options() = options;
    return ran(dispatchFlashAttnTrainForward(set, a));
  }
  void expectBits(const TiledAttentionResult &expected, NanMatch nan = NanMatch::SameBits) {
    EXPECT_TRUE(bitsEqual(expected.output, valuesOf<uint16_t>(a.o))) << "O";
    EXPECT_TRUE(bitsEqual(expected.logSumExp, valuesOf<float>(a.logSumExp), nan)) << "L";
  }
};

KernelSet &ownKernels() {
  static KernelSet set(ownKernelFolder());
  return set;
}

TEST_P(Forward, ExactInEveryWay) {
  const TiledAttentionResult expected = tiledAttentionExact<Apple>(inputs.tiledShape(), inputs.tiledInputs());
  inAllWays(
      false, [&](const DispatchOptions &o) { return dispatch(ownKernels(), o); },
      [&] { expectBits(expected); });
  if (GetParam().layout != Layout::FarRows) {
    EXPECT_TRUE(gapsArePoison(a.o));
  }
}

// The bound is argued for in oracles/tiled_attention.cpp. Rows that attend to nothing are 0 and -inf in both.
TEST_P(Forward, NearFloat64) {
  ASSERT_TRUE(dispatch(ownKernels()));
  const TiledAttentionReference reference =
      tiledAttentionReference(inputs.tiledShape(), inputs.tiledInputs());
  std::vector<float> L = valuesOf<float>(a.logSumExp);
  Within o, l;
  EXPECT_TRUE(withinBound(reference.output, reference.outputBound, widened(valuesOf<uint16_t>(a.o)), &o))
      << "O";
  std::vector<double> expected = reference.logSumExp;
  for (size_t row = 0; row < L.size(); ++row)
    if (expected[row] == -HUGE_VAL) {
      EXPECT_EQ(L[row], -kInfinity) << "row " << row;
      expected[row] = 0, L[row] = 0;
    }
  EXPECT_TRUE(withinBound(expected, reference.logSumExpBound, L, &l)) << "L";
  RecordProperty("largest", fmt::format("O {:.2g} L {:.2g}", o.largest, l.largest));
  RecordProperty("ofBound", fmt::format("O {:.2g} L {:.2g}", o.worst, l.worst));
}

const std::vector<Problem> kProblems{
    {"WholeTiles", shapeOf(64, 1, 2, 1, 64, 48)},
    {"Ragged", shapeOf(64, 2, 4, 4, 37, 41)},
    {"RaggedKeys", shapeOf(64, 1, 1, 1, 32, 17)},
    {"RaggedQueries", shapeOf(64, 1, 1, 1, 45, 32)},
    {"Causal", shapeOf(64, 1, 4, 2, 75, 75, true)},
    {"CausalMoreKeys", shapeOf(64, 1, 1, 1, 33, 70, true)},
    {"CausalAtTheEnd", shapeOf(64, 1, 2, 1, 33, 70, true, 37)},
    {"CausalPastTheEnd", shapeOf(64, 1, 1, 1, 33, 20, true, 40)},
    {"Masked", shapeOf(64, 2, 4, 4, 33, 19), MaskKind::Random},
    {"CausalMasked", shapeOf(64, 2, 4, 1, 40, 47, true), MaskKind::Random},
    {"BoolMasked", shapeOf(64, 1, 2, 2, 33, 19), MaskKind::Random, Layout::HeadsOutside, 1, true},
    {"DeadRows", shapeOf(64, 1, 2, 2, 21, 18), MaskKind::DeadRows},
    {"DeadRowsBool", shapeOf(64, 1, 2, 2, 21, 18), MaskKind::DeadRows, Layout::HeadsOutside, 1, true},
    {"OneByOne", shapeOf(64, 1, 1, 1, 1, 1)},
    {"HeadsInside", shapeOf(64, 2, 4, 4, 35, 20), MaskKind::Random, Layout::HeadsInside},
    {"Gaps", shapeOf(64, 2, 2, 1, 35, 20), MaskKind::Random, Layout::Gaps},
    {"LargeScores", shapeOf(64, 1, 1, 1, 33, 33), MaskKind::None, Layout::HeadsOutside, 8},
    {"NearTheSmallestNormal", shapeOf(64, 1, 2, 1, 34, 33), MaskKind::None, Layout::HeadsOutside, 0x1p-62f},
    {"D256WholeTiles", shapeOf(256, 1, 1, 1, 32, 32)},
    {"D256Ragged", shapeOf(256, 1, 2, 2, 35, 19), MaskKind::None, Layout::HeadsInside},
    {"D256CausalMasked", shapeOf(256, 1, 2, 1, 33, 33, true), MaskKind::Random},
    {"D256BoolMasked", shapeOf(256, 1, 1, 1, 9, 21), MaskKind::Random, Layout::HeadsOutside, 1, true},
    // Row 8 is 2^31 elements away from row 0, row 16 2^32: a product of 32 bits finds another row, or none.
    {"FarRows", shapeOf(64, 1, 1, 1, 33, 17), MaskKind::Random, Layout::FarRows},
};
INSTANTIATE_TEST_SUITE_P(Shapes, Forward, ::testing::ValuesIn(kProblems), problemName);

class ForwardOnce : public Forward {};

TEST_P(ForwardOnce, ExactUnderIeee) {
  static KernelSet ieee(ownKernelFolder(), {{kIeeeNumerics}});
  ASSERT_TRUE(dispatch(ieee));
  expectBits(tiledAttentionExact<Ieee>(inputs.tiledShape(), inputs.tiledInputs()), NanMatch::AnyNan);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ForwardOnce,
    ::testing::Values(Problem{"Ragged", shapeOf(64, 2, 4, 4, 37, 41)},
                      Problem{"CausalMasked", shapeOf(64, 1, 4, 4, 40, 47, true), MaskKind::Random},
                      Problem{"DeadRows", shapeOf(64, 1, 1, 1, 9, 18), MaskKind::DeadRows},
                      Problem{"D256", shapeOf(256, 1, 1, 1, 33, 17)}),
    problemName);

/// A mask of one row for all heads and batches, by stride 0: the same as the row written out.
TEST(ForwardMask, MayBeBroadcast) {
  const Inputs inputs({"", shapeOf(64, 2, 2, 1, 9, 20)});
  FlashAttnTrainForward a;
  static_cast<FlashAttnTrainInputs &>(a) = inputs.arguments();
  a.o = makeTensor(DataType::BFloat, inputs.querySizes(), Layout::HeadsOutside);
  a.logSumExp = TensorView::poisoned(Device::systemDefault(), DataType::Float, inputs.rowSizes());
  std::vector<uint16_t> row;
  for (int key = 0; key < 20; ++key)
    row.push_back(toBfloat(key % 3 == 1 ? -kInfinity : 0.125f * float(key)));
  TiledAttentionInputs tiled = inputs.tiledInputs();
  for (size_t i = 0; i < inputs.s.queryRows(); ++i)
    tiled.mask.insert(tiled.mask.end(), row.begin(), row.end());
  TiledAttentionShape shape = inputs.tiledShape();
  shape.mask = TileMask::Additive;
  a.mask = tensorOf(DataType::BFloat, {1, 1, 1, 20}, Layout::HeadsOutside, row);
  a.mask.sizes = inputs.maskSizes(), a.mask.strides = {0, 0, 0, 1};
  ASSERT_TRUE(ran(dispatchFlashAttnTrainForward(ownKernels(), a)));
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(shape, tiled).output, valuesOf<uint16_t>(a.o)));
}

// Two keys with the same score s: L = s + ln 2. One key: L = s. s = 64 * 0.5 * 1 = 32 at scale 1; the factor
// bf16(log2 e) = 185/128 is what makes 32 of base e (185/128) 32 of base 2, of which L is ln 2 as much.
TEST(ForwardByHand, LogSumExpIsInNaturalUnits) {
  for (const int keys : {1, 2}) {
    FlashAttnTrainForward a;
    a.q = tensorOf<uint16_t>(DataType::BFloat, {1, 1, 1, 64}, Layout::HeadsOutside,
                             std::vector<uint16_t>(64, toBfloat(0.5f)));
    a.k = tensorOf<uint16_t>(DataType::BFloat, {1, 1, keys, 64}, Layout::HeadsOutside,
                             std::vector<uint16_t>(size_t(keys) * 64, toBfloat(1)));
    a.v = a.k;
    a.o = makeTensor(DataType::BFloat, {1, 1, 1, 64}, Layout::HeadsOutside);
    a.logSumExp = TensorView::poisoned(Device::systemDefault(), DataType::Float, {1, 1, 1});
    ASSERT_TRUE(ran(dispatchFlashAttnTrainForward(ownKernels(), a)));
    const double base2 = 32 * 185.0 / 128;
    EXPECT_NEAR(valuesOf<float>(a.logSumExp)[0], base2 * std::log(2.0) + std::log(keys), 4e-6)
        << keys << " keys";
    EXPECT_EQ(valuesOf<uint16_t>(a.o), std::vector<uint16_t>(64, toBfloat(1)));
  }
}

// ---- mlx-native ----

std::filesystem::path nativeShaders() {
  const char *given = std::getenv("ASSAY_MLX_NATIVE_DIR");
  return given && *given ? std::filesystem::path(given) / "src/shaders" : std::filesystem::path();
}

#define ASSAY_NEEDS_NATIVE(file)                                                                             \
  if (nativeShaders().empty() || !std::filesystem::exists(nativeShaders() / (file)))                         \
  GTEST_SKIP() << "set ASSAY_MLX_NATIVE_DIR to a checkout of mlx-native that has src/shaders/" << (file)

/// A shape that the other's kernel is given too: no offset, heads outside.
class ForwardAndNative : public Forward {
protected:
  void expectNear(const TensorView &o) {
    const TiledAttentionReference reference =
        tiledAttentionReference(inputs.tiledShape(), inputs.tiledInputs());
    EXPECT_TRUE(withinBound(reference.output, reference.outputBound, widened(valuesOf<uint16_t>(o)))) << "O";
  }
};

TEST_P(ForwardAndNative, TheirTrainingKernelRunsThroughThisDispatcher) {
  ASSAY_NEEDS_NATIVE("flash_attn_train_fwd.metal");
  a.file = std::filesystem::absolute(nativeShaders() / "flash_attn_train_fwd.metal");
  ASSERT_TRUE(dispatch(ownKernels()));
  expectNear(a.o);
}

// The forward pass is their prefill with L besides, so O has its bits.
TEST_P(ForwardAndNative, TheirPrefillHasTheSameO) {
  ASSAY_NEEDS_NATIVE("flash_attn_prefill.metal");
  KernelSet theirs(nativeShaders());
  FunctionConstantValues constants;
  const std::pair<uint32_t, bool> values[] = {{200, s.queries % 32 == 0},
                                              {201, s.keys % 16 == 0},
                                              {300, a.mask.given()},
                                              {301, s.causal},
                                              {303, false}};
  for (const auto &[index, value] : values)
    constants.setConstantValue(&value, DataType::Bool, index);
  const auto pipeline = theirs.pipeline(
      "flash_attn_prefill.metal",
      fmt::format("flash_attn_prefill_bf16_d{}{}", s.size, GetParam().boolMask ? "_boolmask" : ""),
      constants);
  ASSERT_TRUE(ran(pipeline));

  AttnParams p{};
  p.B = s.batches, p.H = s.queryHeads, p.D = s.size, p.qL = s.queries, p.kL = s.keys, p.gqa_factor = s.gqa;
  p.scale = s.scale, p.softcapping = 1, p.NQ = (s.queries + 31) / 32, p.NK = (s.keys + 15) / 16;
  p.NQ_aligned = s.queries / 32, p.NK_aligned = s.keys / 16, p.qL_rem = s.queries % 32,
  p.kL_rem = s.keys % 16;
  const TensorView o = makeTensor(DataType::BFloat, inputs.querySizes(), Layout::HeadsOutside);
  const auto strides = [](int64_t(&to)[3], const TensorView &t) { std::copy_n(t.strides.begin(), 3, to); };
  strides(p.Q_strides, a.q), strides(p.K_strides, a.k), strides(p.V_strides, a.v), strides(p.O_strides, o);
  ComputeCommandEncoder encoder = theirs.encoder(*pipeline);
  uint32_t slot = 0;
  for (const TensorView &tensor : {a.q, a.k, a.v, o})
    encoder.setBuffer(tensor.buffer, 0, slot++);
  encoder.setBytes(&p, sizeof p, 4);
  if (a.mask.given()) {
    encoder.setBytes(a.mask.strides.data(), 24, 5);
    encoder.setBuffer(a.mask.buffer, 0, 6);
  }
  ASSERT_TRUE(ran(encoder.dispatchThreadgroups({uint64_t(p.NQ), uint64_t(p.H), uint64_t(p.B)}, {32, 4, 1})));
  ASSERT_TRUE(dispatch(ownKernels()));
  EXPECT_TRUE(bitsEqual(valuesOf<uint16_t>(o), valuesOf<uint16_t>(a.o)));
  expectNear(o);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ForwardAndNative,
    ::testing::Values(Problem{"Ragged", shapeOf(64, 2, 4, 4, 37, 41)},
                      Problem{"CausalMasked", shapeOf(64, 1, 4, 4, 40, 47, true), MaskKind::Random},
                      Problem{"DeadRows", shapeOf(64, 1, 1, 1, 9, 18), MaskKind::DeadRows},
                      Problem{"BoolMasked", shapeOf(64, 1, 2, 2, 33, 19), MaskKind::Random,
                              Layout::HeadsOutside, 1, true},
                      Problem{"D256Causal", shapeOf(256, 1, 2, 2, 64, 48, true)},
                      Problem{"D256Masked", shapeOf(256, 1, 1, 1, 33, 33), MaskKind::Random}),
    problemName);

} // namespace
} // namespace assay::train_test
