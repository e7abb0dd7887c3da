// Decode where it hurts: very long caches, extreme logits, outliers, offsets past 32 bits.
#include "decode_case.h"

#include "emulator/support/numbers/float_bits.h"

#include <cmath>

namespace assay::kernels::foundry {
namespace {

using namespace testing_support;

DecodeCase longCase(DecodeVariant variant, int heads = 2) {
  DecodeCase c;
  c.shape = decodeShape(1, heads, 1, 64, 20000);
  c.lengths = {19997};
  c.variant = variant;
  return c;
}

void expectExactAndNear(const DecodeCase &c) {
  DecodeRun run(c);
  ASSERT_TRUE(run.dispatch(kernelSet()));
  EXPECT_TRUE(bitsEqual(run.exact<oracle::Apple>(), run.output()));
  EXPECT_TRUE(withinBound(run.output(), c.shape.bfloat, run.reference()));
  recordError(run.output(), c.shape.bfloat, run.reference());
}

TEST(DecodeStress, TwentyThousandKeys) {
  expectExactAndNear(longCase(selectDecode({}, 64, 19997)));
}

TEST(DecodeStress, TwentyThousandKeysWithPartialsInHalf) {
  DecodeVariant variant = selectDecode({}, 64, 19997);
  variant.halfPartials = true;
  expectExactAndNear(longCase(variant));
}

TEST(DecodeStress, TwentyThousandKeysOfInt8) {
  DecodeCase c = longCase(selectDecode({}, 64, 19997), 1);
  c.kFormat = c.vFormat = KvFormat{};
  expectExactAndNear(c);
}

/// Bytes that a decode of 2,048 keys loads, and bytes that its cache takes.
struct Traffic {
  uint64_t loaded = 0, cache = 0;
};
Traffic trafficOf(const std::optional<KvFormat> &format) {
  PipelineOptions options;
  options.countWork = true;
  KernelSet counting(testing_support::ownKernelFolder(), options);
  counting.options().countWork = true;
  DecodeCase c;
  c.shape = decodeShape(1, 1, 1, 64, 2048), c.lengths = {2048}, c.variant = {4, 4, 4};
  c.kFormat = c.vFormat = format;
  DecodeRun run(c);
  const Result<FlashDecodeReport> report = dispatchFlashDecode(counting, run.arguments(), c.variant);
  EXPECT_TRUE(report && report->dispatch.work);
  if (!report || !report->dispatch.work)
    return {};
  Traffic traffic{(*report->dispatch.work)[WorkKind::DeviceLoads].bytes, 0};
  for (const KvTensor *tensor : {&run.arguments().k, &run.arguments().v})
    traffic.cache += tensor->rows.buffer.length() + tensor->scales.buffer.length();
  return traffic;
}

// A smaller cache is why there are formats at all. An element of the cache is loaded once: 2 * 2,048 * 64 of
// two bytes, or of one. A lane loads a scale of two bytes for each four elements, so that of eight bytes six
// are left; the query and the output are less than a hundredth of it. In memory a scale serves 32 * 32
// elements.
TEST(DecodeTraffic, OfInt8IsThreeQuartersOfHalfAndItsCacheHalf) {
  const Traffic halves = trafficOf({}), bytes = trafficOf(KvFormat{});
  constexpr uint64_t kElements = 2 * 2048 * 64;
  EXPECT_GE(halves.loaded, kElements * 2);
  EXPECT_LE(halves.loaded, kElements * 2 * 1.01);
  EXPECT_LE(bytes.loaded, kElements * 1.5 * 1.01);
  EXPECT_EQ(halves.cache, kElements * 2);
  EXPECT_LE(bytes.cache, kElements * 1.01);
}

TEST(DecodeStress, OneSimdgroupAddsUpTwentyThousandKeys) {
  expectExactAndNear(longCase({1, 32, 2}, 1));
}

TEST(DecodeStress, PartialsInHalfHoldWhatSumsWouldNot) {
  // 20,000 values of 60,000: their sum is far past half's range, their mean is 60,000.
  DecodeCase c = longCase({8, 16, 2, true}, 1);
  DecodeRun run(c);
  std::fill(run.inputs().v.bits.begin(), run.inputs().v.bits.end(), halfFromFloat(60000));
  run.upload();
  ASSERT_TRUE(run.dispatch(kernelSet()));
  EXPECT_TRUE(bitsEqual(std::vector<uint16_t>(64, halfFromFloat(60000)), run.output()));
}

/// Queries of 1,024 and keys that are the same number in every element,
/// so that a score is 1024 * 64 * number / 8.
DecodeRun logits(const std::vector<float> &numbers, DecodeVariant variant, bool bfloat = false,
                 float query = 1024) {
  DecodeCase c;
  c.shape = decodeShape(1, 1, 1, 64, int(numbers.size()), bfloat);
  c.lengths = {uint32_t(numbers.size())};
  c.variant = variant;
  DecodeRun run(c);
  run.inputs().q = bitsOf(std::vector<float>(64, query), bfloat);
  std::vector<float> keys;
  for (const float x : numbers)
    keys.insert(keys.end(), 64, x);
  run.inputs().k.bits = bitsOf(keys, bfloat);
  run.upload();
  return run;
}

TEST(DecodeStress, AnExtremeLogitTakesAllWhereverItStands) {
  for (const size_t place : {0, 1, 7, 8, 30, 31, 32, 38})
    for (const float others : {-60000.0f, 0.0f, 30000.0f}) {
      SCOPED_TRACE(::testing::Message() << "key " << place << " among " << others);
      std::vector<float> numbers(39, others);
      numbers[place] = 60000; // a score of about 4.9e8
      DecodeRun run = logits(numbers, {4, 2, 2});
      ASSERT_TRUE(run.dispatch(kernelSet()));
      const std::vector<uint16_t> &v = run.inputs().v.bits;
      EXPECT_TRUE(bitsEqual(std::vector(v.begin() + place * 64, v.begin() + (place + 1) * 64), run.output()));
    }
}

TEST(DecodeStress, EqualExtremeLogitsGiveTheMean) {
  for (const float number : {60000.0f, -60000.0f, 0.0f}) {
    SCOPED_TRACE(number);
    DecodeRun run = logits(std::vector<float>(32, number), {4, 4, 2});
    std::vector<float> values(32 * 64), means(64);
    for (int key = 0; key < 32; ++key)
      for (int d = 0; d < 64; ++d) {
        values[key * 64 + d] = float((key * 7 + d * 3) % 64) - 20;
        means[d] += values[key * 64 + d] / 32; // exact
      }
    run.inputs().v.bits = bitsOf(values, false);
    run.upload();
    ASSERT_TRUE(run.dispatch(kernelSet()));
    EXPECT_TRUE(bitsEqual(bitsOf(means, false), run.output()));
  }
}

TEST(DecodeStress, ARisingMaximumForgetsWhatCameBefore) {
  // Every key outweighs all before it, so every round rescales.
  std::vector<float> numbers;
  for (int key = 0; key < 60; ++key)
    numbers.push_back(float(key) * 0.25f); // scores 2,048 apart
  DecodeRun run = logits(numbers, {1, 1, 2});
  ASSERT_TRUE(run.dispatch(kernelSet()));
  const std::vector<uint16_t> &v = run.inputs().v.bits;
  EXPECT_TRUE(bitsEqual(std::vector(v.end() - 64, v.end()), run.output()));
  EXPECT_TRUE(bitsEqual(run.exact<oracle::Apple>(), run.output()));
}

TEST(DecodeStress, BfloatLogitsNearTheEndOfFloat) {
  std::vector<float> numbers(20, 1e17f);
  numbers[13] = 1.5e17f; // products that add up to about 1.2e38
  DecodeRun run = logits(numbers, {2, 4, 2}, true, 1.25e19f);
  ASSERT_TRUE(run.dispatch(kernelSet()));
  const std::vector<uint16_t> &v = run.inputs().v.bits;
  EXPECT_TRUE(bitsEqual(std::vector(v.begin() + 13 * 64, v.begin() + 14 * 64), run.output()));
}

TEST(DecodeStress, AScoreThatIsNotANumberIsNotHidden) {
  std::vector<float> numbers(20, 0.25f);
  DecodeRun run = logits(numbers, {2, 4, 2});
  run.inputs().k.bits[9 * 64] = 0x7e00;
  run.upload();
  ASSERT_TRUE(run.dispatch(kernelSet()));
  EXPECT_TRUE(bitsEqual(std::vector<uint16_t>(64, 0x7e00), run.output()));
}

TEST(DecodeStress, AProductPastFloatIsNotHidden) {
  std::vector<float> numbers(20, 0.25f);
  numbers[4] = 3e38f;
  DecodeRun run = logits(numbers, {2, 4, 2}, true);
  ASSERT_TRUE(run.dispatch(kernelSet()));
  EXPECT_TRUE(bitsEqual(std::vector<uint16_t>(64, 0x7fc0), run.output()));
}

/// Mostly small numbers; one in fifty is a thousand times as large.
std::vector<float> withOutliers(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> out(count);
  for (float &x : out)
    x = random.uniform(-1, 1) * (random.below(50) == 0 ? 100.0f : 0.1f);
  return out;
}

TEST(DecodeStress, OutliersInKeysAndValues) {
  for (const bool bfloat : {false, true}) {
    DecodeCase c;
    c.shape = decodeShape(1, 2, 1, 128, 300, bfloat);
    c.lengths = {300};
    c.variant = {8, 8, 4};
    c.amplitude = 0.05f;
    DecodeRun run(c);
    run.inputs().k.bits = bitsOf(withOutliers(c.shape.cacheCount(), 1), bfloat);
    run.inputs().v.bits = bitsOf(withOutliers(c.shape.cacheCount(), 2), bfloat);
    run.upload();
    ASSERT_TRUE(run.dispatch(kernelSet()));
    EXPECT_TRUE(bitsEqual(run.exact<oracle::Apple>(), run.output()));
    EXPECT_TRUE(withinBound(run.output(), bfloat, run.reference()));
  }
}

TEST(DecodeStress, RowsAndHeadsPastFourGibielementsAreFound) {
  // Three keys 2^31 elements apart and two heads 2^33 apart: products of 32 bits would read other rows.
  const int64_t row = int64_t(1) << 31, head = int64_t(1) << 33;
  DecodeCase c;
  c.shape = decodeShape(1, 2, 2, 32, 3);
  c.lengths = {3};
  c.variant = {1, 4, 2};
  DecodeRun run(c);
  const auto sparse = [&](KvTensor &t, const std::vector<uint16_t> &bits) {
    t.rows.strides = {2 * head, head, row, 1};
    t.rows.buffer =
        Device::systemDefault().newBuffer(size_t(head + 2 * row + 32) * 2); // pages come when touched
    for (int h = 0; h < 2; ++h)
      for (int key = 0; key < 3; ++key)
        std::copy_n(bits.begin() + (h * 3 + key) * 32, 32,
                    t.rows.buffer.as<uint16_t>().begin() + h * head + key * row);
  };
  sparse(run.arguments().k, run.inputs().k.bits);
  sparse(run.arguments().v, run.inputs().v.bits);
  ASSERT_TRUE(run.dispatch(kernelSet()));
  EXPECT_TRUE(bitsEqual(run.exact<oracle::Apple>(), run.output()));
}

} // namespace
} // namespace assay::kernels::foundry
