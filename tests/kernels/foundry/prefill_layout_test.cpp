// Where Q, K, V and Out lie: the two mistakes that Foundry's document warns of, and strides of any size.
#include "prefill_case.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace assay::kernels::foundry {
namespace {

using testing_support::bitsEqual;
namespace fs = std::filesystem;

constexpr int kCapacity = 32, kHeads = 4, kSize = 64, kModel = kHeads * kSize;
constexpr PrefillPlan kPlan{4, 1};

/// Q and Out as Foundry keeps them: metadata token-major for 32 tokens,
/// contents head-major over the 26 that there are.
class TokenMajorMetadata : public ::testing::TestWithParam<int> {
protected:
  int queries = GetParam();
  PrefillCase problem{{.heads = kHeads, .keyHeads = 2, .queries = queries, .keys = 45, .size = kSize}};
  Device device = Device::systemDefault();
  std::vector<uint16_t> expected = problem.expected<oracle::Apple>(kPlan); // [head, query, d]

  void SetUp() override {
    const auto packed = problem.arguments.q.buffer.as<uint16_t>();
    TensorView q = TensorView::poisoned(device, DataType::Half, {1, kCapacity, kModel});
    std::copy(packed.begin(), packed.end(), q.buffer.as<uint16_t>().begin());
    problem.arguments.q = q;
    problem.arguments.queries = queries;
    problem.arguments.out = TensorView::poisoned(device, DataType::Half, {1, kCapacity, kModel});
    ASSERT_EQ(q.strides, (std::vector<int64_t>{kCapacity * kModel, kModel, 1}));
  }
  /// Row `query` of head `head` in the token-major output.
  uint16_t outAt(int head, int query, int d) {
    return problem.out()[size_t(query) * kModel + head * kSize + d];
  }
  size_t differences(int head) {
    const auto out = problem.out();
    size_t count = 0;
    for (int query = 0; query < queries; ++query)
      for (int d = 0; d < kSize; ++d)
        count += out[size_t(query) * kModel + head * kSize + d] !=
                 expected[(size_t(head) * queries + query) * kSize + d];
    return count;
  }
};

TEST_P(TokenMajorMetadata, IsReadHeadMajorOverTheTokensThatThereAre) {
  for (const PrefillPlan plan : {PrefillPlan{4, 1}, PrefillPlan{8, 2}}) {
    problem.arguments.out.buffer.poison();
    expected = problem.expected<oracle::Apple>(plan);
    ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, plan)));
    for (int head = 0; head < kHeads; ++head)
      EXPECT_EQ(differences(head), 0u) << "head " << head;
    for (int query = queries; query < kCapacity; ++query)
      EXPECT_EQ(outAt(3, query, 63), 0xA5A5) << "row " << query << " is not of this prompt";
  }
}

TEST_P(TokenMajorMetadata, LeadsAstrayIfHeadsAreTakenToBeACapacityApart) {
  problem.arguments.q.sizes = {1, kHeads, queries, kSize};
  problem.arguments.q.strides = {kCapacity * kModel, kCapacity * kSize, kSize, 1};
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, kPlan)));
  EXPECT_EQ(differences(0), 0u); // which begins where it should: the mistake hides in tests of one head
  for (int head = 1; head < kHeads; ++head)
    EXPECT_EQ(differences(head) > 0, queries != kCapacity) << "head " << head;
}

TEST_P(TokenMajorMetadata, LeadsAstrayIfTakenAtItsWord) {
  problem.arguments.q.sizes = {1, kHeads, queries, kSize};
  problem.arguments.q.strides = {kCapacity * kModel, kSize, kModel, 1};
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, kPlan)));
  for (int head = 0; head < kHeads; ++head)
    EXPECT_GT(differences(head), 0u) << "head " << head;
}

INSTANTIATE_TEST_SUITE_P(Queries, TokenMajorMetadata, ::testing::Values(26, 1 + 16, kCapacity));

TEST(TokenMajorMetadataAlone, WithoutABatchAxisIsAnOutput) {
  PrefillCase problem({.heads = 2, .queries = 5, .keys = 9, .size = 64});
  problem.arguments.out = TensorView::poisoned(Device::systemDefault(), DataType::Half, {32, 128});
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, kPlan)));
  const auto expected = problem.expected<oracle::Apple>(kPlan), out = problem.out();
  for (int head = 0; head < 2; ++head)
    for (int query = 0; query < 5; ++query)
      EXPECT_TRUE(bitsEqual(std::span(expected).subspan((size_t(head) * 5 + query) * 64, 64),
                            std::span(out).subspan(size_t(query) * 128 + head * 64, 64)));
}

std::string textOf(const fs::path &file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// A copy of the kernels in which `gid` is the thread's place, as it is in kernels that are not compound.
class ThreadPosition : public ::testing::Test {
protected:
  fs::path folder = fs::path(::testing::TempDir()) / "foundry_gid";
  void SetUp() override {
    fs::create_directories(folder / "foundry");
    const std::string right = "gid [[threadgroup_position_in_grid]]",
                      wrong = "gid [[thread_position_in_grid]]";
    for (const char *name : {"kv_rows.h", "prefill_common.h", "prefill_stages.h", "prefill_online.metal",
                             "prefill_splitk.metal"}) {
      std::string text = textOf(testing_support::ownKernel(std::string("foundry/") + name));
      for (size_t at = 0; (at = text.find(right, at)) != std::string::npos; ++replaced)
        text.replace(at, right.size(), wrong);
      std::ofstream(folder / "foundry" / name) << text;
    }
  }
  void TearDown() override { fs::remove_all(folder); }
  int replaced = 0;
};

TEST_F(ThreadPosition, AsGidGivesOtherResults) {
  ASSERT_EQ(replaced, 3);
  KernelSet wrong(folder);
  for (const PrefillPlan plan : {PrefillPlan{4, 1}, PrefillPlan{4, 2}}) {
    PrefillCase problem({.heads = 2, .queries = 20, .keys = 40, .size = 64, .causal = false});
    ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, plan)));
    ASSERT_TRUE(bitsEqual(problem.expected<oracle::Apple>(plan), problem.out()));
    problem.arguments.out.buffer.poison();
    const auto ran = dispatchFlashPrefill(wrong, problem.arguments, plan);
    if (ran) { // or it leaves a buffer, or its threads part at a barrier
      EXPECT_FALSE(bitsEqual(problem.expected<oracle::Apple>(plan), problem.out()));
    }
  }
}

TEST(Gid, IsTheThreadgroupsPosition) {
  for (const auto &[file, kernel] :
       {std::pair("foundry/prefill_online.metal", "flash_prefill_tiled_d64_w4"),
        {"foundry/prefill_splitk.metal", "flash_prefill_splitk_part_d64_w4"},
        {"foundry/prefill_splitk.metal", "flash_prefill_splitk_reduce_d64_w4"}}) {
    FunctionConstantValues constants;
    const bool no = false;
    for (const uint32_t index : {300, 301, 302})
      constants.setConstantValue(&no, DataType::Bool, index);
    const auto pipeline = appleKernels().pipeline(file, kernel, constants);
    ASSERT_TRUE(succeeded(pipeline));
    bool found = false;
    for (const ArgumentInfo &argument : pipeline->activeArguments())
      if (argument.name == "gid") {
        found = true;
        EXPECT_EQ(argument.builtin, Builtin::ThreadgroupPositionInGrid) << kernel;
      }
    EXPECT_TRUE(found) << kernel;
  }
}

/// Copies a tensor without gaps into one with other strides; what is between stays as it is.
TensorView spread(const TensorView &t, std::vector<int64_t> strides, int64_t offset, bool poison = true) {
  TensorView out = t;
  out.strides = std::move(strides), out.offset = offset;
  int64_t last = offset;
  for (size_t axis = 0; axis < 4; ++axis)
    last += out.strides[axis] * (t.sizes[axis] - 1);
  out.buffer =
      Device::systemDefault().newBuffer(size_t(last + 1) * 2); // pages that nobody touches cost nothing
  if (poison)
    out.buffer.poison();
  const auto from = t.buffer.as<uint16_t>();
  const auto to = out.buffer.as<uint16_t>();
  size_t i = 0;
  for (int64_t a = 0; a < t.sizes[0]; ++a)
    for (int64_t b = 0; b < t.sizes[1]; ++b)
      for (int64_t c = 0; c < t.sizes[2]; ++c)
        for (int64_t d = 0; d < t.sizes[3]; ++d)
          to[offset + a * out.strides[0] + b * out.strides[1] + c * out.strides[2] + d] = from[i++];
  return out;
}

std::vector<uint16_t> gather(const TensorView &t) {
  std::vector<uint16_t> out;
  const auto from = t.buffer.as<uint16_t>();
  for (int64_t a = 0; a < t.sizes[0]; ++a)
    for (int64_t b = 0; b < t.sizes[1]; ++b)
      for (int64_t c = 0; c < t.sizes[2]; ++c)
        for (int64_t d = 0; d < t.sizes[3]; ++d)
          out.push_back(from[t.offset + a * t.strides[0] + b * t.strides[1] + c * t.strides[2] + d]);
  return out;
}

TEST(Strides, OfEveryTensorAreItsOwn) {
  for (const PrefillPlan plan : {PrefillPlan{4, 1}, PrefillPlan{8, 2}}) {
    PrefillCase problem(
        {.batches = 2, .heads = 4, .keyHeads = 2, .queries = 6, .keys = 40, .size = 32, .mask = true});
    PrefillArguments &a = problem.arguments;
    a.q = spread(a.q, {6 * 4 * 36 + 8, 36, 4 * 36, 1}, 12);      // rows outside heads
    a.k = spread(a.k, {2 * 40 * 40 + 4, 40 * 40, 40, 1}, 4);     // rows with gaps
    a.v = spread(a.v, {32, 2 * 40 * 64, 64, 1}, 8);              // batches between rows
    a.out = spread(a.out, {1024, 33, 4 * 33 + 1, 1}, 3);         // odd ones: outputs are written one by one
    a.mask = spread(a.mask, {4 * 6 * 41 + 1, 6 * 41, 41, 1}, 5); // as masks are read
    ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), a, plan)));
    EXPECT_TRUE(bitsEqual(problem.expected<oracle::Apple>(plan), gather(a.out)));
    a.out = spread(a.out, a.out.strides, 3);
    ASSERT_TRUE(succeeded(dispatchSdpaReference(appleKernels(), a)));
    EXPECT_TRUE(
        bitsEqual(oracle::materializedExact<oracle::Apple>(problem.shape, problem.in), gather(a.out)));
  }
}

/// A stride of 0 along batches and heads, and along an axis of one, is the same mask.
TEST(Strides, OfMasksMayBeZero) {
  PrefillCase problem(
      {.batches = 2, .heads = 2, .queries = 5, .keys = 9, .size = 32, .causal = false, .mask = true});
  auto &mask = *problem.in.mask;
  for (size_t i = 45; i < mask.size(); ++i)
    mask[i] = mask[i % 45];
  problem.in.padding = std::vector<uint8_t>(18, 1);
  (*problem.in.padding)[2] = (*problem.in.padding)[11] = 0;
  problem.bind();
  const auto expected = problem.expected<oracle::Apple>(kPlan);
  PrefillArguments &a = problem.arguments;
  a.padding.sizes[0] = 1;
  a.mask.sizes = {1, 1, 5, 9};
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), a, kPlan)));
  EXPECT_TRUE(bitsEqual(expected, problem.out()));
  a.mask.sizes = {2, 2, 5, 9}, a.mask.strides = {0, 0, 9, 1};
  a.padding.sizes[0] = 2, a.padding.strides[0] = 0;
  a.out.buffer.poison();
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), a, kPlan)));
  EXPECT_TRUE(bitsEqual(expected, problem.out()));
}

/// Products of rows and strides that do not fit into 32 bits: 2^27 elements between rows are 8 GiB of
/// addresses, of which some pages are touched. In 32 bits row 32 would be row 0.
TEST(Strides, MayBeLargerThanMemory) {
  constexpr int64_t kFar = int64_t(1) << 27;
  PrefillCase problem({.queries = 33, .keys = 34, .size = 32});
  const TensorView q = problem.arguments.q, k = problem.arguments.k, v = problem.arguments.v,
                   out = problem.arguments.out;
  const auto far = [](const TensorView &t) {
    return spread(t, {t.sizes[2] * kFar, kFar, kFar, 1}, 0, false);
  };
  for (const PrefillPlan plan :
       {PrefillPlan{4, 1}, PrefillPlan{4, 2}, PrefillPlan{4, 1, PrefillForm::Matrix}})
    for (int which = 0; which < 4; ++which) {
      PrefillArguments a = problem.arguments;
      a.q = which == 0 ? far(q) : q;
      a.k = which == 1 ? far(k) : k;
      a.v = which == 2 ? far(v) : v;
      a.out = which == 3 ? far(out) : out;
      ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), a, plan)));
      EXPECT_TRUE(bitsEqual(problem.expected<oracle::Apple>(plan), gather(a.out))) << which;
    }
}

/// What is hidden by padding, or past kv_len, is not even multiplied.
TEST(Padding, MayHoldAnything) {
  for (const PrefillPlan plan :
       {PrefillPlan{4, 1}, PrefillPlan{4, 2}, PrefillPlan{4, 1, PrefillForm::Buffered},
        PrefillPlan{4, 1, PrefillForm::Matrix}}) {
    PrefillCase problem({.batches = 2, .heads = 2, .queries = 9, .keys = 70, .size = 64, .padding = true});
    const auto expected = problem.expected<oracle::Apple>(plan);
    const auto materialized = oracle::materializedExact<oracle::Apple>(problem.shape, problem.in);
    for (int batch = 0; batch < 2; ++batch)
      for (int key = 0; key < 70; ++key)
        if (!(*problem.in.padding)[size_t(batch) * 70 + key])
          for (int d = 0; d < 64; ++d)
            problem.in.k[(size_t(batch) * 70 + key) * 64 + d] =
                problem.in.v[(size_t(batch) * 70 + key) * 64 + d] = std::nanf("");
    problem.bind();
    ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, plan)));
    EXPECT_TRUE(bitsEqual(expected, problem.out()));
    problem.arguments.out.buffer.poison();
    ASSERT_TRUE(succeeded(dispatchSdpaReference(appleKernels(), problem.arguments)));
    EXPECT_TRUE(bitsEqual(materialized, problem.out()));
  }
}

TEST(Capacity, PastTheKeysMayHoldAnything) {
  PrefillCase problem({.heads = 2, .queries = 9, .keys = 41, .size = 64});
  const auto expected = problem.expected<oracle::Apple>(kPlan);
  PrefillArguments &a = problem.arguments;
  const auto withRoom = [&](const TensorView &t) {
    TensorView roomy =
        TensorView::contiguous({}, DataType::Half, {1, 60, 64}); // one batch, so no axis for it
    roomy.buffer = Device::systemDefault().newBuffer(60 * 64 * 2);
    std::fill_n(roomy.buffer.as<uint16_t>().begin(), 60 * 64, uint16_t(0x7e00));
    std::copy_n(t.buffer.as<uint16_t>().begin(), 41 * 64, roomy.buffer.as<uint16_t>().begin());
    return roomy;
  };
  a.k = withRoom(a.k), a.v = withRoom(a.v);
  a.keys = 41;
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), a, kPlan)));
  EXPECT_TRUE(bitsEqual(expected, problem.out()));
}

} // namespace
} // namespace assay::kernels::foundry
