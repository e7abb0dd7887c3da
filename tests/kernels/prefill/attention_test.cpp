// flash_attn_prefill: every bit against the exact oracle, and within the reference's bound.
#include "prefill_case.h"

#include "tests/kernels/oracles/f32.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using namespace testing_support;
using namespace oracle;
using kernels::dispatchPrefill;
using kernels::KernelSet;

/// Shapes of one element type and mask for all sizes; together they have ragged and full tiles on both sides,
/// one row, one key, groups of heads, batches, offsets, and every layout.
std::vector<PrefillCase> allCases() {
  std::vector<PrefillCase> cases;
  const auto add = [&](PrefillCase c, auto change) {
    change(c);
    cases.push_back(std::move(c));
  };
  for (const TileElement element : {TileElement::Bfloat, TileElement::Half}) {
    for (const int size : {64, 256, 512}) {
      const std::string prefix = fmt::format("{}D{}", element == TileElement::Bfloat ? "Bf16" : "F16", size);
      const int q = size == 512 ? 8 : 32, k = size == 512 ? 8 : 16; // a tile
      add(prefillCase(prefix + "Plain", element, size, 1, 1, q, 2 * k), [](auto &) {});
      add(prefillCase(prefix + "Ragged", element, size, 2, 2, q + 3, 2 * k + 5), [](auto &c) {
        c.layout = Layout::Capacity;
        c.shape.mask = TileMask::Additive;
        c.pattern = MaskPattern::DeadRows;
      });
      add(prefillCase(prefix + "BoolCausal", element, size, 2, 1, q + 1, q + k - 1), [&](auto &c) {
        c.layout = Layout::HeadsInside;
        c.shape.mask = TileMask::Bool;
        c.shape.oneMask = true;
        c.pattern = MaskPattern::Tiles;
        c.shape.causal = true;
      });
      add(prefillCase(prefix + "CausalAfterCache", element, size, 2, 2, 3, 2 * k + 3), [&](auto &c) {
        c.layout = Layout::Capacity;
        c.shape.causal = true;
        c.shape.queryOffset = 2 * k;
      });
    }
  }
  add(prefillCase("OneRowOneKey", TileElement::Bfloat, 64, 1, 1, 1, 1), [](auto &) {});
  add(prefillCase("Batches", TileElement::Bfloat, 64, 4, 2, 33, 20), [](auto &c) {
    c.shape.batches = 2;
    c.layout = Layout::HeadsInside;
    c.shape.mask = TileMask::Additive;
    c.pattern = MaskPattern::Tiles;
  });
  add(prefillCase("CausalOfMoreQueriesThanKeys", TileElement::Half, 64, 1, 1, 70, 32),
      [](auto &c) { c.shape.causal = true; });
  add(prefillCase("CausalAdditive", TileElement::Bfloat, 64, 1, 1, 40, 70), [](auto &c) {
    c.shape.causal = true;
    c.shape.queryOffset = 20;
    c.shape.mask = TileMask::Additive;
    c.pattern = MaskPattern::Tiles;
  });
  return cases;
}

class FlashPrefillExact : public ::testing::TestWithParam<PrefillCase> {
protected:
  const PrefillCase &c = GetParam();
  TiledAttentionInputs in = makePrefillInputs(c, 11);

  template <class Profile> void expectExact(const PipelineOptions &options) {
    KernelSet kernels(ownKernelFolder(), options);
    PrefillTensors tensors(kernels.device(), c, in);
    ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
    EXPECT_TRUE(bitsEqual(tiledAttentionExact<Profile>(c.shape, in).output, tensors.output()));
    EXPECT_TRUE(tensors.onlyOutputWritten());
  }
};

TEST_P(FlashPrefillExact, EqualsTheOracleAndItsReference) {
  expectExact<Apple>({});
  if (HasFailure())
    return;
  const TiledAttentionError error = compareWithReference(c.shape, tiledAttentionReference(c.shape, in),
                                                         tiledAttentionExact<Apple>(c.shape, in).output);
  EXPECT_LE(error.largestOfBound, 1);
  RecordProperty("largest", std::to_string(error.largest));
  RecordProperty("largestRelative", std::to_string(error.largestRelative));
  RecordProperty("largestOfBound", std::to_string(error.largestOfBound));
}

TEST_P(FlashPrefillExact, EqualsTheOracleUnderIeee) {
  PipelineOptions options;
  options.numerics = kIeeeNumerics;
  expectExact<Ieee>(options);
}

INSTANTIATE_TEST_SUITE_P(All, FlashPrefillExact, ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return info.param.name; });

PrefillCase caseNamed(const std::string &name) {
  for (PrefillCase &c : allCases())
    if (c.name == name)
      return c;
  ADD_FAILURE() << "no case " << name;
  return {};
}

// A barrier that is missing shows as bits that change with the order of simdgroups.
// D = 512 has one simdgroup.
class FlashPrefillSchedules : public ::testing::TestWithParam<std::string> {};

TEST_P(FlashPrefillSchedules, GiveTheSameBits) {
  const PrefillCase c = caseNamed(GetParam());
  const TiledAttentionInputs in = makePrefillInputs(c, 12);
  const std::vector<uint16_t> expected = tiledAttentionExact<Apple>(c.shape, in).output;
  KernelSet kernels(ownKernelFolder());
  PrefillTensors tensors(kernels.device(), c, in);
  inAllWays(
      false,
      [&](const DispatchOptions &options) {
        kernels.options() = options;
        tensors.poisonOutput();
        return succeeded(dispatchPrefill(kernels, tensors.arguments));
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, tensors.output())); });
}

INSTANTIATE_TEST_SUITE_P(All, FlashPrefillSchedules,
                         ::testing::Values("Bf16D64Ragged", "F16D64BoolCausal", "Bf16D256Ragged",
                                           "F16D512BoolCausal"),
                         [](const auto &info) { return info.param; });

// Large logits: one key of a row has all the weight, and what was summed before it vanishes.
TEST(FlashPrefillExtremes, LargeLogitsAreExact) {
  for (const TileElement element : {TileElement::Bfloat, TileElement::Half}) {
    const PrefillCase c = prefillCase("Large", element, 64, 1, 1, 32, 48);
    const TiledAttentionInputs in = makePrefillInputs(c, 13, 40);
    KernelSet kernels(ownKernelFolder());
    PrefillTensors tensors(kernels.device(), c, in);
    ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
    EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, tensors.output()));
  }
}

// Strides beyond 2^31 elements within one head: an index that is kept in 32 bits wraps. The tensors are
// nearly all of them holes, so they take address space and no memory.
TEST(FlashPrefillExtremes, RowsFarApartAreFound) {
  PrefillCase c = prefillCase("Far", TileElement::Bfloat, 64, 1, 1, 33, 17);
  c.shape.mask = TileMask::Additive;
  c.pattern = MaskPattern::Tiles;
  const TiledAttentionInputs in = makePrefillInputs(c, 14);
  KernelSet kernels(ownKernelFolder());
  PrefillTensors near(kernels.device(), c, in);
  kernels::PrefillArguments far = near.arguments;
  const auto spread = [&](kernels::TensorView &t, int64_t stride) {
    const int64_t rows = t.sizes[2], size = t.sizes[3];
    Buffer buffer = kernels.device().newBuffer(size_t((rows - 1) * stride + size) * 2);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < size; ++i)
        buffer.as<uint16_t>()[row * stride + i] = t.buffer.as<uint16_t>()[row * size + i];
    t.buffer = buffer;
    t.strides = {rows * stride, rows * stride, stride, 1};
  };
  spread(far.q, int64_t(1) << 27), spread(far.o, int64_t(1) << 27), spread(far.mask, int64_t(1) << 27);
  spread(far.k, int64_t(1) << 28), spread(far.v, int64_t(1) << 28);
  ASSERT_TRUE(succeeded(dispatchPrefill(kernels, far)));
  std::vector<uint16_t> output;
  for (int64_t row = 0; row < 33; ++row)
    for (int64_t d = 0; d < 64; ++d)
      output.push_back(far.o.buffer.as<uint16_t>()[(row << 27) + d]);
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, output));
}

} // namespace
} // namespace assay
