// The kernels of the same names that others wrote, through the dispatchers of this project:
// the bits are the same.
//
// The classifier that the tests of originals use, and mlx-native's two files where ASSAY_MLX_NATIVE_DIR says
// where a checkout of it is.
#include "prefill_case.h"

#include "tests/kernels/oracles/f32.h"
#include "tests/kernels/oracles/tile_classifier.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace assay {
namespace {

using namespace testing_support;
using namespace oracle;
using kernels::dispatchPrefill;
using kernels::dispatchPrefillClassifier;
using kernels::KernelSet;
using kernels::TensorView;

/// A mask of tiles, its classes by another's file and by this project's.
void expectSameClasses(const std::string &file) {
  for (const kernels::PrefillTiles tiles : {kernels::PrefillTiles{32, 16}, kernels::PrefillTiles{8, 8}}) {
    PrefillCase c = prefillCase("Mask", TileElement::Bfloat, tiles.keys == 8 ? 512 : 256, 1, 1, 69, 130);
    c.shape.mask = TileMask::Additive;
    c.shape.oneMask = true;
    c.pattern = MaskPattern::Tiles;
    const TiledAttentionInputs in = makePrefillInputs(c, 31);
    KernelSet kernels(ownKernelFolder());
    kernels::PrefillClassifyArguments a;
    a.mask = placed(kernels.device(), DataType::BFloat, in.mask, {69, 130}, {133, 1}, 0);
    a.tiles = tiles;
    a.classes = TensorView::poisoned(kernels.device(), DataType::Char, {tiles.down(69), tiles.across(130)});
    a.file = file;
    ASSERT_TRUE(succeeded(dispatchPrefillClassifier(kernels, a)));
    EXPECT_TRUE(bitsEqual(classifyTiles<Apple>(in.mask, {69, 130, 130, tiles.queries, tiles.keys}),
                          bytesOf(a.classes)));
  }
}

TEST(FlashPrefillOriginals, ClassifierOfTheSameName) {
  ASSAY_NEEDS_ORIGINAL("flash_attn_prefill_blk.metal");
  expectSameClasses(originalKernel("flash_attn_prefill_blk.metal"));
}

class FlashPrefillMlxNative : public ::testing::TestWithParam<PrefillCase> {
protected:
  std::filesystem::path shaders;
  void SetUp() override {
    const char *given = std::getenv("ASSAY_MLX_NATIVE_DIR");
    if (!given || !*given)
      GTEST_SKIP() << "set ASSAY_MLX_NATIVE_DIR to a checkout of mlx-native";
    shaders = std::filesystem::path(given) / "src/shaders";
    if (!std::filesystem::exists(shaders / "flash_attn_prefill.metal"))
      GTEST_SKIP() << shaders.string() << " has no flash_attn_prefill.metal";
  }
};

TEST_P(FlashPrefillMlxNative, GivesTheSameBits) {
  const PrefillCase &c = GetParam();
  const TiledAttentionInputs in = makePrefillInputs(c, 32);
  KernelSet kernels(ownKernelFolder());
  PrefillTensors tensors(kernels.device(), c, in);
  tensors.arguments.file = (shaders / "flash_attn_prefill.metal").string();
  ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, tensors.output()));
  EXPECT_TRUE(tensors.onlyOutputWritten());
  if (c.shape.oneMask) { // and it reads the classes of this project's classifier
    tensors.poisonOutput();
    const auto report = kernels::prefillAttention(kernels, tensors.arguments);
    ASSERT_TRUE(succeeded(report));
    EXPECT_GT(report->tiles->masked + report->tiles->attended, 0);
    EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, tensors.output()));
  }
  if (c.shape.element == TileElement::Bfloat && c.shape.mask == TileMask::Additive)
    expectSameClasses((shaders / "flash_attn_prefill_blk.metal").string());
}

std::vector<PrefillCase> nativeCases() {
  std::vector<PrefillCase> cases;
  for (const int size : {64, 256, 512}) {
    const int q = size == 512 ? 8 : 32, k = size == 512 ? 8 : 16;
    PrefillCase c =
        prefillCase(fmt::format("Bf16D{}", size), TileElement::Bfloat, size, 2, 2, q + 3, 2 * k + 5);
    c.shape.mask = TileMask::Additive;
    c.pattern = MaskPattern::DeadRows;
    c.layout = Layout::HeadsInside;
    cases.push_back(c);
    c = prefillCase(fmt::format("F16D{}Causal", size), TileElement::Half, size, 2, 1, q + 3, 5 * k + 5);
    c.shape.causal = true;
    c.shape.queryOffset = 2 * k + 5;
    c.shape.mask = TileMask::Bool;
    c.shape.oneMask = true;
    c.pattern = MaskPattern::Tiles;
    cases.push_back(c);
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(All, FlashPrefillMlxNative, ::testing::ValuesIn(nativeCases()),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace assay
