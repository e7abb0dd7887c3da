// flash_attn_prefill_llamacpp_*_d512, whose simdgroups share eight queries: every bit against the exact
// oracle with 8 and with 4 of them, within the reference's bound, with and without classes, and under the
// checkers.
#include "prefill_case.h"

#include "tests/kernels/oracles/f32.h"
#include "tests/kernels/oracles/tile_classifier.h"
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
using kernels::prefillAttention;

/// Full and ragged steps of 64 keys and tiles of 8, one row, one key, groups of heads, batches, offsets,
/// every layout and mask.
std::vector<PrefillCase> allCases() {
  std::vector<PrefillCase> cases;
  const auto add = [&](PrefillCase c, auto change) {
    change(c);
    cases.push_back(std::move(c));
  };
  for (const TileElement element : {TileElement::Bfloat, TileElement::Half}) {
    const std::string prefix = element == TileElement::Bfloat ? "Bf16" : "F16";
    add(sharedCase(prefix + "Plain", element, 1, 1, 8, 128), [](auto &) {});
    add(sharedCase(prefix + "Ragged", element, 2, 2, 11, 77), [](auto &c) {
      c.layout = Layout::Capacity;
      c.shape.mask = TileMask::Additive;
      c.pattern = MaskPattern::DeadRows;
    });
    add(sharedCase(prefix + "BoolCausal", element, 2, 1, 9, 70), [](auto &c) {
      c.layout = Layout::HeadsInside;
      c.shape.mask = TileMask::Bool;
      c.shape.oneMask = true;
      c.pattern = MaskPattern::Tiles;
      c.shape.causal = true;
      c.shape.queryOffset = 60;
    });
  }
  add(sharedCase("OneRowOneKey", TileElement::Half, 1, 1, 1, 1), [](auto &) {});
  add(sharedCase("CausalWithoutCache", TileElement::Bfloat, 1, 1, 17, 72),
      [](auto &c) { c.shape.causal = true; });
  add(sharedCase("CausalOfMoreQueriesThanKeys", TileElement::Half, 1, 1, 25, 16),
      [](auto &c) { c.shape.causal = true; });
  add(sharedCase("Batches", TileElement::Bfloat, 4, 2, 9, 20), [](auto &c) {
    c.shape.batches = 2;
    c.layout = Layout::HeadsInside;
    c.shape.mask = TileMask::Additive;
    c.pattern = MaskPattern::Tiles;
  });
  return cases;
}

PrefillCase caseNamed(const std::string &name) {
  for (PrefillCase &c : allCases())
    if (c.name == name)
      return c;
  ADD_FAILURE() << "no case " << name;
  return {};
}

class FlashPrefillShared : public ::testing::TestWithParam<PrefillCase> {
protected:
  const PrefillCase &c = GetParam();
  TiledAttentionInputs in = makePrefillInputs(c, 51);

  void expectExact(const std::vector<uint16_t> &expected, std::initializer_list<int> numbers,
                   const PipelineOptions &options = {}) {
    KernelSet kernels(ownKernelFolder(), options);
    PrefillTensors tensors(kernels.device(), c, in);
    for (const int simdgroups : numbers) {
      SCOPED_TRACE(simdgroups);
      tensors.poisonOutput();
      tensors.arguments.simdgroups = simdgroups;
      ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
      EXPECT_TRUE(bitsEqual(expected, tensors.output()));
      EXPECT_TRUE(tensors.onlyOutputWritten());
    }
  }
};

TEST_P(FlashPrefillShared, EqualsTheOracleAndItsReference) {
  const std::vector<uint16_t> expected = tiledAttentionExact<Apple>(c.shape, in).output;
  expectExact(expected, {8, 4});
  if (HasFailure())
    return;
  const TiledAttentionError error =
      compareWithReference(c.shape, tiledAttentionReference(c.shape, in), expected);
  EXPECT_LE(error.largestOfBound, 1);
  RecordProperty("largest", std::to_string(error.largest));
  RecordProperty("largestRelative", std::to_string(error.largestRelative));
  RecordProperty("largestOfBound", std::to_string(error.largestOfBound));
}

TEST_P(FlashPrefillShared, EqualsTheOracleUnderIeee) {
  PipelineOptions options;
  options.numerics = kIeeeNumerics;
  expectExact(tiledAttentionExact<Ieee>(c.shape, in).output, {8}, options);
}

INSTANTIATE_TEST_SUITE_P(All, FlashPrefillShared, ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return info.param.name; });

// A barrier that is missing shows as bits that change with the order of simdgroups, or as a finding.
class FlashPrefillSharedOrders : public ::testing::TestWithParam<std::string> {
protected:
  PrefillCase c = caseNamed(GetParam());
  TiledAttentionInputs in = makePrefillInputs(c, 52);
  KernelSet kernels{ownKernelFolder()};
  PrefillTensors tensors{kernels.device(), c, in};
};

TEST_P(FlashPrefillSharedOrders, GiveTheSameBits) {
  const std::vector<uint16_t> expected = tiledAttentionExact<Apple>(c.shape, in).output;
  inAllWays(
      false,
      [&](const DispatchOptions &options) {
        kernels.options() = options;
        tensors.poisonOutput();
        return succeeded(dispatchPrefill(kernels, tensors.arguments));
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, tensors.output())); });
}

TEST_P(FlashPrefillSharedOrders, HaveNoFindings) {
  kernels.options().checks = CheckRules::byDefault();
  for (const int simdgroups : {8, 4}) {
    tensors.arguments.simdgroups = simdgroups;
    const auto report = dispatchPrefill(kernels, tensors.arguments);
    ASSERT_TRUE(succeeded(report));
    for (const Finding &finding : report->dispatch.findings)
      ADD_FAILURE() << renderDiagnostics(diagnosticsOf(finding));
  }
}

INSTANTIATE_TEST_SUITE_P(All, FlashPrefillSharedOrders, ::testing::Values("Bf16Ragged", "F16BoolCausal"),
                         [](const auto &info) { return info.param; });

// ---- classes ----

class FlashPrefillSharedClasses : public ::testing::TestWithParam<TileMask> {};

TEST_P(FlashPrefillSharedClasses, ChangeNoBitAndAreReported) {
  for (const bool causal : {false, true}) {
    PrefillCase c = sharedCase("Classes", causal ? TileElement::Half : TileElement::Bfloat, 2, 2, 13, 150);
    c.shape.mask = GetParam();
    c.shape.oneMask = true;
    c.shape.causal = causal;
    c.shape.queryOffset = 100;
    c.pattern = causal ? MaskPattern::DeadRows : MaskPattern::Tiles;
    c.layout = Layout::Capacity;
    TiledAttentionInputs in = makePrefillInputs(c, 53);
    KernelSet kernels(ownKernelFolder());
    PrefillTensors tensors(kernels.device(), c, in);
    ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
    const std::vector<uint16_t> without = tensors.output();
    EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, without));
    const MaskCell cell = GetParam() == TileMask::Bool ? MaskCell::Bool
                          : causal                     ? MaskCell::Half
                                                       : MaskCell::Bfloat;
    in.classes = classifyTiles<Apple>(in.mask, {13, 150, 150, 8, 8, cell});
    EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, without));
    kernels::TileCounts counts;
    for (size_t i = 0; i < in.classes.size(); ++i) {
      const int down = int(i) / c.shape.tilesAcross(), across = int(i) % c.shape.tilesAcross();
      if (across >= c.shape.tilesVisited(down))
        ++counts.beyondDiagonal;
      else
        ++(in.classes[i] == 0 ? counts.masked : in.classes[i] == 1 ? counts.mixed : counts.attended);
    }
    for (const int simdgroups : {8, 4}) {
      tensors.arguments.simdgroups = simdgroups;
      tensors.poisonOutput();
      const auto report = prefillAttention(kernels, tensors.arguments);
      ASSERT_TRUE(succeeded(report));
      EXPECT_TRUE(bitsEqual(without, tensors.output()));
      EXPECT_EQ(*report->tiles, counts);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FlashPrefillSharedClasses,
                         ::testing::Values(TileMask::Additive, TileMask::Bool),
                         [](const auto &info) { return info.param == TileMask::Bool ? "Bool" : "Additive"; });

/// Eight queries of one head and the tiles of keys that `classes` says, of halves.
class FlashPrefillSharedTiles : public ::testing::Test {
protected:
  PrefillCase c;
  TiledAttentionInputs in;
  KernelSet kernels{ownKernelFolder()};

  void make(const std::vector<int> &classes) {
    c = sharedCase("Tiles", TileElement::Half, 1, 1, 8, int(classes.size()) * 8);
    c.shape.mask = TileMask::Additive;
    c.shape.oneMask = true;
    in = makePrefillInputs(c, 54);
    for (int row = 0; row < 8; ++row)
      for (int key = 0; key < c.shape.keys; ++key) {
        const int kind = classes[size_t(key) / 8];
        in.mask[size_t(row) * c.shape.keys + key] = kind == 2 || (kind == 1 && key % 3) ? 0 : 0xfc00;
      }
  }
  std::vector<uint16_t> attend(bool classified) {
    PrefillTensors tensors(kernels.device(), c, in);
    EXPECT_TRUE(succeeded(classified ? prefillAttention(kernels, tensors.arguments)
                                     : dispatchPrefill(kernels, tensors.arguments)));
    return tensors.output();
  }
};

// What is left out is not read: NaNs there stay there, in a step that has other tiles and in one that has
// none.
TEST_F(FlashPrefillSharedTiles, KeysOfMaskedTilesAreNotRead) {
  std::vector<int> classes(24, 0);
  classes[1] = 1, classes[6] = 2, classes[17] = 1;
  make(classes);
  const std::vector<uint16_t> clean = attend(true);
  EXPECT_TRUE(bitsEqual(clean, attend(false)));
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, clean));
  for (int key = 0; key < c.shape.keys; ++key)
    if (classes[size_t(key) / 8] == 0)
      for (int d = 0; d < 512; ++d)
        in.k[size_t(key) * 512 + d] = in.v[size_t(key) * 512 + d] = 0x7e00;
  EXPECT_TRUE(bitsEqual(clean, attend(true)));
  EXPECT_EQ(attend(false)[0], 0x7e00);
}

// A mask whose tile is attended is not read either: the classes are believed.
TEST_F(FlashPrefillSharedTiles, MasksOfAttendedTilesAreNotRead) {
  make({1, 0, 1, 2});
  PrefillTensors tensors(kernels.device(), c, in);
  tensors.arguments.classes = kernels::TensorView::poisoned(kernels.device(), DataType::Char, {1, 4});
  for (int8_t &byte : tensors.arguments.classes.buffer.as<int8_t>())
    byte = 2;
  ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
  TiledAttentionShape unmasked = c.shape;
  unmasked.mask = TileMask::None;
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(unmasked, in).output, tensors.output()));
}

// The sign of a zero. Values of -1 are rescaled to -0 by a later key that outweighs them, whose own values
// are -0. A masked key with values of 1 then adds +0 if it is visited, and nothing if its tile is left out.
TEST_F(FlashPrefillSharedTiles, ZerosHaveOneSign) {
  std::vector<int> classes(24, 0);
  classes[0] = classes[8] = 2;
  make(classes);
  std::fill(in.q.begin(), in.q.end(), 0x3c00); // 1
  for (int key = 0; key < c.shape.keys; ++key)
    for (int d = 0; d < 512; ++d) {
      in.k[size_t(key) * 512 + d] = key == 64 ? 0x5000 : 0;                        // 32
      in.v[size_t(key) * 512 + d] = key < 8 ? 0xbc00 : key < 72 ? 0x8000 : 0x3c00; // -1, -0, 1
    }
  const std::vector<uint16_t> with = attend(true);
  EXPECT_TRUE(bitsEqual(with, attend(false)));
  EXPECT_TRUE(bitsEqual(std::vector<uint16_t>(8 * 512, 0), with));
}

// ---- extremes ----

TEST(FlashPrefillSharedExtremes, LargeLogitsAreExact) {
  const PrefillCase c = sharedCase("Large", TileElement::Half, 1, 1, 8, 192);
  const TiledAttentionInputs in = makePrefillInputs(c, 55, 40);
  KernelSet kernels(ownKernelFolder());
  PrefillTensors tensors(kernels.device(), c, in);
  ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, tensors.output()));
}

/// The same elements with rows `stride` apart. The tensor is nearly all holes, so it takes address space and
/// no memory.
void spread(const Device &device, kernels::TensorView &t, int64_t stride) {
  const int64_t rows = t.sizes[2], size = t.sizes[3];
  Buffer buffer = device.newBuffer(size_t((rows - 1) * stride + size) * 2);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < size; ++i)
      buffer.as<uint16_t>()[row * stride + i] = t.buffer.as<uint16_t>()[row * size + i];
  t.buffer = buffer;
  t.strides = {rows * stride, rows * stride, stride, 1};
}

// Rows beyond 2^31 elements from the first: an index that is kept in 32 bits wraps.
TEST(FlashPrefillSharedExtremes, RowsFarApartAreFound) {
  PrefillCase c = sharedCase("Far", TileElement::Bfloat, 1, 1, 17, 18);
  c.shape.mask = TileMask::Additive;
  c.pattern = MaskPattern::Tiles;
  const TiledAttentionInputs in = makePrefillInputs(c, 56);
  KernelSet kernels(ownKernelFolder());
  PrefillTensors near(kernels.device(), c, in);
  kernels::PrefillArguments far = near.arguments;
  const int64_t stride = int64_t(1) << 28;
  for (kernels::TensorView *t : {&far.q, &far.k, &far.v, &far.o, &far.mask})
    spread(kernels.device(), *t, stride);
  ASSERT_TRUE(succeeded(dispatchPrefill(kernels, far)));
  std::vector<uint16_t> output;
  for (int64_t row = 0; row < 17; ++row)
    for (int64_t d = 0; d < 512; ++d)
      output.push_back(far.o.buffer.as<uint16_t>()[row * stride + d]);
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, output));
}

// The same within the tile that straddles the last key.
TEST(FlashPrefillSharedExtremes, EdgesFarApartAreFound) {
  const PrefillCase c = sharedCase("FarEdge", TileElement::Half, 1, 1, 1, 6);
  const TiledAttentionInputs in = makePrefillInputs(c, 57);
  KernelSet kernels(ownKernelFolder());
  PrefillTensors tensors(kernels.device(), c, in);
  spread(kernels.device(), tensors.arguments.k, int64_t(1) << 29);
  spread(kernels.device(), tensors.arguments.v, int64_t(1) << 29);
  ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, tensors.output()));
}

} // namespace
} // namespace assay
