// The int8 cache: what the quantiser makes, and what attention over it may cost.
#include "decode_case.h"

#include "emulator/support/numbers/float_bits.h"
#include "kernels_msl/foundry/kv_quantizer.h"

#include <cmath>

namespace assay::kernels::foundry {
namespace {

using namespace testing_support;

TensorView tensorOf(const std::vector<uint16_t> &bits, std::vector<int64_t> sizes, bool bfloat = false) {
  return TensorView::contiguous(Device::systemDefault().newBuffer(bits.data(), bits.size() * 2),
                                bfloat ? DataType::BFloat : DataType::Half, std::move(sizes));
}

std::vector<float> scalesOf(const KvTensor &t) {
  if (t.scales.type == DataType::Float) {
    const auto all = t.scales.buffer.as<float>();
    return {all.begin(), all.end()};
  }
  const auto all = t.scales.buffer.as<uint16_t>();
  return valuesOf({all.begin(), all.end()}, false);
}

std::vector<int8_t> bytesOf(const KvTensor &t) {
  const auto all = t.rows.buffer.as<int8_t>();
  return {all.begin(), all.end()};
}

struct Layout {
  int heads, capacity, size, length, chunk;
  bool bfloat, halfScales;
};

class KvQuantizer : public ::testing::TestWithParam<Layout> {};

TEST_P(KvQuantizer, MakesTheOraclesBytes) {
  const Layout l = GetParam();
  std::vector<float> rows = uniformFloats(size_t(l.heads) * l.capacity * l.size, 3, -5, 5);
  for (size_t i = 0; i < rows.size(); i += 97)
    rows[i] *= 300;
  const std::vector<uint16_t> bits = bitsOf(rows, l.bfloat);
  rows = valuesOf(bits, l.bfloat);
  KvFormat format;
  format.elementsPerChunk = l.chunk, format.scaleType = l.halfScales ? DataType::Half : DataType::Float;
  const Result<KvTensor> made = quantizeKv(
      Device::systemDefault(), tensorOf(bits, {1, l.heads, l.capacity, l.size}, l.bfloat), l.length, format);
  ASSERT_TRUE(made) << made.error().message();
  const oracle::DecodeCache expected =
      oracle::quantisedRows(rows, l.heads, l.capacity, l.size, l.length, l.chunk, l.halfScales);
  EXPECT_TRUE(bitsEqual(expected.bytes, bytesOf(*made)));
  EXPECT_TRUE(bitsEqual(expected.scales, scalesOf(*made)));

  // And by what it promises: half a scale, plus what a scale that was rounded down does not reach.
  const int blocks = (l.capacity + 31) / 32, chunks = (l.size + l.chunk - 1) / l.chunk;
  for (int h = 0; h < l.heads; ++h)
    for (int key = 0; key < l.length; ++key)
      for (int d = 0; d < l.size; ++d) {
        const size_t at = (size_t(h) * l.capacity + key) * l.size + d;
        const double scale = scalesOf(*made)[(size_t(h) * blocks + key / 32) * chunks + d / l.chunk];
        const double error = std::fabs(bytesOf(*made)[at] * scale - rows[at]);
        ASSERT_LE(error, scale * (0.5 + 1.0 / 8)) << "head " << h << " key " << key << " element " << d;
      }
}

INSTANTIATE_TEST_SUITE_P(Layouts, KvQuantizer,
                         ::testing::Values(Layout{1, 32, 32, 32, 32, false, true},
                                           Layout{2, 45, 64, 40, 32, false, true},
                                           Layout{2, 45, 80, 45, 32, false, false},
                                           Layout{1, 70, 96, 33, 16, true, false},
                                           Layout{1, 5, 256, 5, 256, true, true}));

TEST(KvQuantizer, IsWhatOneWouldWriteByHand) {
  // Largest 127: the scale is 1, ties go to even, and -128 does not occur.
  std::vector<float> rows(32, 0.0f);
  rows[0] = -127, rows[1] = 0.5f, rows[2] = 1.5f, rows[3] = -2.5f, rows[4] = 126.5f, rows[5] = 1;
  const Result<KvTensor> made =
      quantizeKv(Device::systemDefault(), tensorOf(bitsOf(rows, false), {1, 1, 1, 32}), 1);
  ASSERT_TRUE(made);
  std::vector<int8_t> expected(32, 0);
  expected[0] = -127, expected[1] = 0, expected[2] = 2, expected[3] = -2, expected[4] = 126, expected[5] = 1;
  EXPECT_TRUE(bitsEqual(expected, bytesOf(*made)));
  EXPECT_TRUE(bitsEqual(std::vector<float>{1}, scalesOf(*made)));
}

TEST(KvQuantizer, GivesZerosWhereScalesVanish) {
  const std::vector<uint16_t> tiny(32, 1); // 2^-24; a 127th of it rounds to no half
  const Result<KvTensor> made = quantizeKv(Device::systemDefault(), tensorOf(tiny, {1, 1, 1, 32}), 1);
  ASSERT_TRUE(made);
  EXPECT_TRUE(bitsEqual(std::vector<int8_t>(32, 0), bytesOf(*made)));
  EXPECT_TRUE(bitsEqual(std::vector<float>{0}, scalesOf(*made)));
}

TEST(KvQuantizer, RefusesWhatHasNoByte) {
  const Device device = Device::systemDefault();
  std::vector<uint16_t> bits(2 * 3 * 32, 0);
  bits[(1 * 3 + 2) * 32 + 5] = 0x7c00;
  const auto message = [&](const Result<KvTensor> &result) {
    return result ? "accepted" : result.error().message() + " [" + result.error().rule() + "]";
  };
  const TensorView rows = tensorOf(bits, {1, 2, 3, 32});
  EXPECT_EQ(message(quantizeKv(device, rows, 3)),
            "rows has inf at batch 0, head 1, key 2, element 5, a quantised cache has finite "
            "numbers alone [kv-finite]");
  EXPECT_EQ(message(quantizeKv(device, rows, 2)), "accepted");
  EXPECT_EQ(message(quantizeKv(device, rows, 4)), "4 keys are to be quantised, the cache has 3 [kv-length]");
  KvFormat other;
  other.keysPerBlock = 257;
  EXPECT_EQ(message(quantizeKv(device, rows, 2, other)),
            "rows has 257 keys to a block, the kernels read 1 to 256 [kv-group]");
  EXPECT_EQ(message(quantizeKv(device, TensorView::poisoned(device, DataType::Float, {1, 2, 3, 32}), 2)),
            "rows has type float, half and bfloat are quantised [tensor-type]");
}

/// A decode over halves, and the same with both caches quantised.
struct Pair {
  DecodeRun plain, quantised;
};
Pair pairOf(const std::vector<float> &k, const std::vector<float> &v, int keys) {
  DecodeCase c;
  c.shape = decodeShape(1, 2, 1, 64, keys);
  c.lengths = {uint32_t(keys)};
  c.variant = {4, 8, 2};
  DecodeRun plain(c, 5);
  plain.inputs().k.bits = bitsOf(k, false), plain.inputs().v.bits = bitsOf(v, false);
  plain.upload();
  c.kFormat = c.vFormat = KvFormat{};
  DecodeRun quantised(c, 5);
  for (auto [from, to, scales] :
       {std::tuple(&plain.arguments().k, &quantised.arguments().k, &quantised.inputs().k),
        std::tuple(&plain.arguments().v, &quantised.arguments().v, &quantised.inputs().v)}) {
    const Result<KvTensor> made = quantizeKv(Device::systemDefault(), from->rows, keys);
    EXPECT_TRUE(made);
    *to = *made;
    scales->bytes = bytesOf(*made), scales->scales = scalesOf(*made);
  }
  return {plain, quantised};
}

std::vector<float> outliers(size_t count, uint64_t seed, float size) {
  Random random(seed);
  std::vector<float> out(count);
  for (float &x : out)
    x = random.uniform(-1, 1) * (random.below(40) == 0 ? size : 1.0f);
  return out;
}

// |out' - out| <= max |v' - v| + (e^(2 delta) - 1) sum P |v|, delta the most that a score moves; all of it
// from the bytes themselves, in float64.
TEST(QuantisedDecode, StaysWithinWhatItsBytesAllow) {
  for (const float outlier : {1.0f, 30.0f}) {
    SCOPED_TRACE(outlier);
    const int keys = 100, size = 64;
    auto [plain, quantised] =
        pairOf(outliers(keys * size, 1, outlier), outliers(keys * size, 2, outlier), keys);
    ASSERT_TRUE(quantised.dispatch(kernelSet()));
    EXPECT_TRUE(bitsEqual(quantised.exact<oracle::Apple>(), quantised.output()));
    const oracle::DecodeReference own = quantised.reference(), truth = plain.reference();
    EXPECT_TRUE(withinBound(quantised.output(), false, own));

    const std::vector<float> k = valuesOf(plain.inputs().k.bits, false),
                             v = valuesOf(plain.inputs().v.bits, false);
    const std::vector<float> q = valuesOf(plain.inputs().q, false), got = valuesOf(quantised.output(), false);
    const auto read = [&](const oracle::DecodeCache &c, int key, int d) {
      return double(c.bytes[key * size + d]) * c.scales[(key / 32) * 2 + d / 32];
    };
    for (int head = 0; head < 2; ++head) {
      std::vector<double> score(keys);
      double delta = 0, top = -INFINITY, total = 0;
      for (int key = 0; key < keys; ++key) {
        double moved = 0;
        for (int d = 0; d < size; ++d) {
          score[key] += double(q[head * size + d]) * k[key * size + d] * plain.description().shape.scale;
          moved += std::fabs(q[head * size + d] * (read(quantised.inputs().k, key, d) - k[key * size + d]));
        }
        delta = std::max(delta, moved * plain.description().shape.scale);
        top = std::max(top, score[key]);
      }
      for (const double s : score)
        total += std::exp(s - top);
      for (int d = 0; d < size; ++d) {
        double moved = 0, magnitude = 0;
        for (int key = 0; key < keys; ++key) {
          moved = std::max(moved, std::fabs(read(quantised.inputs().v, key, d) - v[key * size + d]));
          magnitude += std::exp(score[key] - top) / total * std::fabs(v[key * size + d]);
        }
        const int at = head * size + d;
        EXPECT_LE(std::fabs(got[at] - truth.out[at]),
                  own.bound[at] + moved + std::expm1(2 * delta) * magnitude)
            << "element " << at;
      }
    }
  }
}

TEST(QuantisedDecode, AnOutlierCostsItsOwnChunkAlone) {
  const int keys = 64, size = 64;
  const std::vector<float> k = outliers(keys * size, 1, 1);
  std::vector<float> v = outliers(keys * size, 2, 1);
  Pair calm = pairOf(k, v, keys);
  v[10 * size + 40] = 3000; // key 10 is in block 0, element 40 in chunk 1
  Pair spoilt = pairOf(k, v, keys);
  ASSERT_TRUE(calm.quantised.dispatch(kernelSet()));
  ASSERT_TRUE(spoilt.quantised.dispatch(kernelSet()));
  const std::vector<uint16_t> a = calm.quantised.output(), b = spoilt.quantised.output();
  for (int head = 0; head < 2; ++head)
    for (int d = 0; d < 32; ++d)
      EXPECT_EQ(a[head * size + d], b[head * size + d]) << "element " << d;
  EXPECT_NE(a, b);
}

} // namespace
} // namespace assay::kernels::foundry
