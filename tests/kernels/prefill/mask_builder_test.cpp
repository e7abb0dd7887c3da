// flash_attn_prefill_mask_*: every cell against the oracle's sets, and masks on their way through the
// classifier and the attention.
#include "prefill_case.h"

#include "kernels_msl/attention/prefill_mask.h"
#include "tests/kernels/oracles/attention_mask.h"
#include "tests/kernels/oracles/f32.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_data.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

#include <ostream>

namespace assay {
namespace {

using namespace testing_support;
using namespace oracle;
using kernels::buildPrefillMask;
using kernels::KernelSet;
using kernels::PrefillMaskArguments;
using kernels::TensorView;

struct MaskCase {
  std::string name;
  AttentionMaskRules rules;
};
void PrintTo(const MaskCase &c, std::ostream *out) {
  *out << c.name;
}

AttentionMaskRules sized(int batches, int queries, int keys, int offset) {
  AttentionMaskRules r;
  r.batches = batches, r.queries = queries, r.keys = keys, r.offset = offset;
  return r;
}

void pad(AttentionMaskRules &r) {
  Random random(5);
  for (int i = 0; i < r.batches * r.keys; ++i)
    r.padding.push_back(uint8_t(random.below(3)));
}

/// Documents of 7 keys, one after the other; those of the second batch begin elsewhere, with other numbers.
void divide(AttentionMaskRules &r) {
  for (int batch = 0; batch < r.batches; ++batch) {
    const auto document = [&](int key) { return (key + 3 * batch) / 7 - 1000000 * batch; };
    for (int key = 0; key < r.keys; ++key)
      r.keyDocuments.push_back(document(key));
    for (int query = 0; query < r.queries; ++query)
      r.queryDocuments.push_back(document(r.offset + query));
  }
}

std::vector<MaskCase> maskCases() {
  std::vector<MaskCase> cases;
  const auto add = [&](std::string name, AttentionMaskRules r, auto change) {
    change(r);
    cases.push_back({std::move(name), std::move(r)});
  };
  add("Everything", sized(1, 5, 9, 0), [](auto &) {});
  add("Causal", sized(1, 37, 70, 20), [](auto &r) { r.causal = true; });
  add("MoreQueriesThanKeys", sized(1, 20, 7, 0), [](auto &r) { r.causal = true; });
  add("Window", sized(1, 37, 70, 20), [](auto &r) { r.causal = true, r.window = 11; });
  add("WindowOfOne", sized(1, 9, 9, 0), [](auto &r) { r.causal = true, r.window = 1; });
  add("WindowBothWays", sized(1, 9, 40, 20), [](auto &r) { r.window = 6; });
  add("WindowPastEverything", sized(1, 9, 40, 20), [](auto &r) { r.window = int64_t(1) << 40; });
  add("Padding", sized(3, 5, 33, 0), [](auto &r) { pad(r); });
  add("Documents", sized(2, 30, 30, 0), [](auto &r) { divide(r); });
  add("AllRules", sized(2, 30, 70, 40), [](auto &r) { r.causal = true, r.window = 13, pad(r), divide(r); });
  add("OneCell", sized(1, 1, 1, 0), [](auto &r) { r.causal = true, r.window = 1; });
  return cases;
}

/// Exact bits: +0 and -inf, or 1 and 0.
uint16_t cellBits(const DataType &type, bool attends) {
  if (type == DataType::Bool)
    return attends;
  return attends ? 0x0000 : type == DataType::BFloat ? 0xff80 : 0xfc00;
}

/// With rows and batches apart, and all else NaN.
PrefillMaskArguments argumentsOf(const Device &device, const AttentionMaskRules &r, const DataType &type) {
  PrefillMaskArguments a;
  const int64_t row = r.keys + 3, batch = r.queries * row + 5;
  a.mask = placed(device, type, std::vector<uint16_t>(size_t(r.batches) * r.queries * r.keys, 0xffff),
                  {r.batches, r.queries, r.keys}, {batch, row, 1}, 6);
  a.causal = r.causal, a.window = r.window, a.queryOffset = r.offset;
  if (!r.padding.empty())
    a.padding = placed(device, DataType::UChar, {r.padding.begin(), r.padding.end()}, {r.batches, r.keys},
                       {r.keys + 2, 1}, 3);
  const auto documents = [&](const std::vector<int32_t> &from, int64_t rows) {
    TensorView view = TensorView::poisoned(device, DataType::Int, {r.batches, rows});
    std::copy(from.begin(), from.end(), view.buffer.as<int32_t>().begin());
    return view;
  };
  if (!r.keyDocuments.empty()) {
    a.queryDocuments = documents(r.queryDocuments, r.queries);
    a.keyDocuments = documents(r.keyDocuments, r.keys);
  }
  return a;
}

class FlashPrefillMask : public ::testing::TestWithParam<MaskCase> {};

TEST_P(FlashPrefillMask, EqualsTheOracle) {
  const AttentionMaskRules &rules = GetParam().rules;
  const std::vector<uint16_t> attended = attendedCells(rules);
  for (const DataType &type : {DataType::BFloat, DataType::Half, DataType::Bool})
    for (const auto &numerics : {kAppleNumerics, kIeeeNumerics}) {
      PipelineOptions options;
      options.numerics = numerics;
      KernelSet kernels(ownKernelFolder(), options);
      kernels.options().checks = CheckRules::byDefault();
      const PrefillMaskArguments a = argumentsOf(kernels.device(), rules, type);
      const size_t bytes = type.bytes();
      std::vector<uint8_t> expected(a.mask.buffer.as<uint8_t>().begin(), a.mask.buffer.as<uint8_t>().end());
      size_t i = 0;
      for (int64_t batch = 0; batch < rules.batches; ++batch)
        for (int64_t query = 0; query < rules.queries; ++query)
          for (int64_t key = 0; key < rules.keys; ++key) {
            const uint16_t bits = cellBits(type, attended[i++]);
            const size_t at =
                size_t(a.mask.offset + batch * a.mask.stride(0) + query * a.mask.stride(1) + key) * bytes;
            for (size_t byte = 0; byte < bytes; ++byte)
              expected[at + byte] = uint8_t(bits >> 8 * byte);
          }
      const auto report = buildPrefillMask(kernels, a);
      ASSERT_TRUE(succeeded(report));
      EXPECT_TRUE(report->findings.empty());
      const auto actual = a.mask.buffer.as<uint8_t>();
      EXPECT_EQ(expected, std::vector<uint8_t>(actual.begin(), actual.end())) << type.name();
    }
}

INSTANTIATE_TEST_SUITE_P(All, FlashPrefillMask, ::testing::ValuesIn(maskCases()),
                         [](const auto &info) { return info.param.name; });

// Rows of the mask 2^29 elements apart: an index in 32 bits wraps. Only the rows' own pages take memory.
TEST(FlashPrefillMaskExtremes, RowsFarApartAreFound) {
  const int64_t stride = int64_t(1) << 29;
  KernelSet kernels(ownKernelFolder());
  PrefillMaskArguments a;
  a.mask = {kernels.device().newBuffer(size_t(8 * stride + 9)), DataType::Bool, {9, 9}, {stride, 1}, 0};
  a.causal = true;
  ASSERT_TRUE(succeeded(buildPrefillMask(kernels, a)));
  for (int64_t query = 0; query < 9; ++query)
    for (int64_t key = 0; key < 9; ++key)
      EXPECT_EQ(a.mask.buffer.as<uint8_t>()[query * stride + key], key <= query) << query << " " << key;
}

/// A built mask of one plane, as a tensor that the attention takes.
TensorView built(KernelSet &kernels, const AttentionMaskRules &rules, const DataType &type) {
  PrefillMaskArguments a = argumentsOf(kernels.device(), rules, type);
  a.mask = TensorView::poisoned(kernels.device(), type, {rules.queries, rules.keys});
  EXPECT_TRUE(succeeded(buildPrefillMask(kernels, a)));
  return a.mask;
}

// A causal mask gives the bits of the causal walk: it adds exact zeros and exact infinities.
TEST(FlashPrefillBuiltMasks, ACausalMaskIsTheCausalWalk) {
  for (const bool shared : {false, true}) {
    PrefillCase c = shared ? sharedCase("Causal", TileElement::Half, 1, 1, 11, 80)
                           : prefillCase("Causal", TileElement::Half, 64, 1, 1, 40, 80);
    c.shape.causal = true;
    c.shape.queryOffset = 30;
    const TiledAttentionInputs in = makePrefillInputs(c, 71);
    KernelSet kernels(ownKernelFolder());
    PrefillTensors tensors(kernels.device(), c, in);
    ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
    const std::vector<uint16_t> causal = tensors.output();
    EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, causal));
    AttentionMaskRules rules = sized(1, c.shape.queries, c.shape.keys, 30);
    rules.causal = true;
    tensors.arguments.causal = false;
    for (const DataType &type : {DataType::Half, DataType::Bool}) {
      tensors.arguments.mask = built(kernels, rules, type);
      for (const bool classified : {false, true}) {
        tensors.poisonOutput();
        ASSERT_TRUE(succeeded(classified ? prefillAttention(kernels, tensors.arguments)
                                         : dispatchPrefill(kernels, tensors.arguments)));
        EXPECT_TRUE(bitsEqual(causal, tensors.output()));
      }
    }
  }
}

// All rules at once, classified: the tiles are those of the sets, and the bits those without classes.
TEST(FlashPrefillBuiltMasks, TilesOfAllRulesAreClassified) {
  PrefillCase c = sharedCase("AllRules", TileElement::Bfloat, 1, 1, 24, 136);
  c.shape.mask = TileMask::Additive;
  c.shape.oneMask = true;
  AttentionMaskRules rules = sized(1, 24, 136, 112);
  rules.causal = true, rules.window = 90;
  for (int key = 0; key < 136; ++key) {
    rules.padding.push_back(key < 45 || key >= 60);
    rules.keyDocuments.push_back(key < 80 ? 1 : key < 96 ? 2 : 1);
  }
  rules.queryDocuments.assign(rules.keyDocuments.end() - 24, rules.keyDocuments.end());
  const std::vector<uint16_t> attended = attendedCells(rules);
  TiledAttentionInputs in = makePrefillInputs(c, 72);
  kernels::TileCounts counts;
  for (int q = 0; q < 24; q += 8)
    for (int k = 0; k < 136; k += 8) {
      int seen = 0;
      for (int i = 0; i < 64; ++i)
        seen += attended[size_t(q + i / 8) * 136 + k + i % 8];
      ++(seen == 0 ? counts.masked : seen == 64 ? counts.attended : counts.mixed);
    }
  for (size_t i = 0; i < attended.size(); ++i)
    in.mask[i] = attended[i] ? 0 : 0xff80;

  KernelSet kernels(ownKernelFolder());
  PrefillTensors tensors(kernels.device(), c, in);
  tensors.arguments.mask = built(kernels, rules, DataType::BFloat);
  ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
  const std::vector<uint16_t> without = tensors.output();
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, without));
  tensors.poisonOutput();
  const auto report = prefillAttention(kernels, tensors.arguments);
  ASSERT_TRUE(succeeded(report));
  EXPECT_EQ(*report->tiles, counts);
  EXPECT_TRUE(counts.masked > 0 && counts.mixed > 0 && counts.attended > 0);
  EXPECT_TRUE(bitsEqual(without, tensors.output()));
}

class FlashPrefillMaskChecks : public ::testing::Test {
protected:
  KernelSet kernels{"a folder that is not there, so that whatever is compiled fails"};
  PrefillMaskArguments a = arguments();

  TensorView tensor(std::vector<int64_t> sizes, DataType type) const {
    return TensorView::poisoned(kernels.device(), type, std::move(sizes));
  }
  PrefillMaskArguments arguments() const {
    PrefillMaskArguments a;
    a.mask = tensor({2, 4, 9}, DataType::Half);
    return a;
  }
  std::string refused() {
    const auto result = buildPrefillMask(kernels, a);
    a = arguments();
    return result ? "" : result.error().message() + " [" + result.error().rule() + "]";
  }
};

TEST_F(FlashPrefillMaskChecks, RefuseWhatTheKernelDoesNotDo) {
  a.mask = tensor({2, 4, 9}, DataType::Float);
  EXPECT_EQ(refused(), "the mask has type float, the kernels write bfloat, half or bool [mask-type]");
  a.window = -1;
  EXPECT_EQ(refused(), "window is -1, which is negative [window]");
  a.queryOffset = -1;
  EXPECT_EQ(refused(), "queryOffset is -1, which is negative [query-offset]");
  a.queryOffset = 2147483644;
  EXPECT_EQ(refused(),
            "queryOffset is 2147483644 and qL 4, the kernel counts positions to 2147483647 [too-long]");
  a.mask.strides[1] = 0;
  EXPECT_EQ(refused(),
            "mask is written and has stride 0 on axis 1, where the axes inside it cover 1 elements: "
            "elements would share memory [stride]");
}

TEST_F(FlashPrefillMaskChecks, RefusePaddingAndDocumentsThatDoNotFit) {
  a.padding = tensor({2, 8}, DataType::UChar);
  EXPECT_EQ(refused(), "padding is [2, 8], the other arguments ask for [2, 9] [shape-mismatch]");
  a.keyDocuments = tensor({9}, DataType::Int);
  EXPECT_EQ(refused(), "there are documents of keys and none of queries [documents]");
  a.queryDocuments = tensor({2, 4}, DataType::Int);
  EXPECT_EQ(refused(), "there are documents of queries and none of keys [documents]");
  a.keyDocuments = tensor({9}, DataType::Int);
  a.queryDocuments = tensor({4}, DataType::Int);
  EXPECT_EQ(refused(), "queryDocuments has stride 0 on axis 0, the kernel expects rows of 4 [documents]");
}

} // namespace
} // namespace assay
