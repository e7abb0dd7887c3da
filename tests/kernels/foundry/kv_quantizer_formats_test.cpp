// The quantiser beyond symmetric bytes: nibbles, zero points, scales per chunk of channels, outliers. Its
// bytes are read by the definition of the format; kv_quantizer_test.cpp has the symmetric bytes themselves.
#include "quantised_case.h"

#include "kernels_msl/foundry/kv_quantizer.h"

#include <cmath>

namespace assay::kernels::foundry {
namespace {

using namespace testing_support;

TensorView halves(const std::vector<float> &rows, std::vector<int64_t> sizes, bool bfloat = false) {
  const std::vector<uint16_t> bits = bitsOf(rows, bfloat);
  return TensorView::contiguous(Device::systemDefault().newBuffer(bits.data(), bits.size() * 2),
                                bfloat ? DataType::BFloat : DataType::Half, std::move(sizes));
}

oracle::KvCache quantised(const std::vector<float> &rows, std::vector<int64_t> sizes, int64_t length,
                          const KvFormat &format, bool bfloat = false) {
  const Result<KvTensor> made =
      quantizeKv(Device::systemDefault(), halves(rows, std::move(sizes), bfloat), length, format);
  EXPECT_TRUE(succeeded(made));
  if (!made)
    return {};
  EXPECT_TRUE(succeeded(
      checkKvCache("made", *made, KvUse::Decode, 2, bfloat ? DataType::BFloat : DataType::Half, {})));
  return cacheOf(*made, bfloat);
}

TEST(KvQuantizerFormats, NibblesAsOneWouldWriteThemByHand) {
  // Largest 7: the scale is 1, ties go to even, -8 does not occur without a zero point.
  std::vector<float> rows(32, 0.0f);
  rows[0] = -7, rows[1] = 0.5f, rows[2] = 1.5f, rows[3] = -2.5f, rows[4] = 6.5f, rows[5] = 3;
  const oracle::KvCache made = quantised(rows, {1, 1, 1, 32}, 1, kvInt4Format());
  std::vector<int> expected(32, 0);
  expected[0] = -7, expected[1] = 0, expected[2] = 2, expected[3] = -2, expected[4] = 6, expected[5] = 3;
  EXPECT_EQ(made.numbers, expected);
  EXPECT_EQ(made.scales, std::vector<float>{1});
}

/// The same numbers as head by head, in other places.
TEST(KvQuantizerFormats, TilesHoldTheNumbersOfRows) {
  const std::vector<float> rows = uniformFloats(2 * 12 * 40, 7, -3, 3);
  const auto groups = [](KvFormat &f) {
    f.keysPerBlock = 4, f.elementsPerChunk = 16, f.outliersPerBlock = 2;
  };
  const oracle::KvCache plain = quantised(rows, {1, 2, 12, 40}, 11, int8With(groups)),
                        tiles = quantised(rows, {1, 2, 12, 40}, 11, tilesWith(groups));
  EXPECT_TRUE(tiles.shape.tiles);
  EXPECT_EQ(plain.numbers, tiles.numbers);
  EXPECT_EQ(plain.scales, tiles.scales);
  EXPECT_EQ(plain.outliers, tiles.outliers);
  EXPECT_EQ(errorOf(quantizeKv(Device::systemDefault(), halves(rows, {1, 2, 12, 40}), 11, kvTilesFormat())),
            "12 rows of 40 bytes cannot be packed tile by tile, in blocks of 32 keys and at multiples of 4 "
            "bytes [kv-packing]");
}

TEST(KvQuantizerFormats, ZeroPointsAsOneWouldWriteThemByHand) {
  // From -3 to 12 are 15 steps of 1: -3 is -8, so 0 is -5 and 12 is 7.
  std::vector<float> rows(32, 0.0f);
  rows[0] = -3, rows[1] = 12, rows[2] = 4.5f;
  const oracle::KvCache made =
      quantised(rows, {1, 1, 1, 32}, 1, int4With([](KvFormat &f) { f.zeroType = DataType::Char; }));
  std::vector<int> expected(32, -5);
  expected[0] = -8, expected[1] = 7, expected[2] = 0; // 4.5 - 5 is a tie between -1 and 0
  EXPECT_EQ(made.numbers, expected);
  EXPECT_EQ(made.scales, std::vector<float>{1});
  EXPECT_EQ(made.zeros, std::vector<float>{-5});
}

TEST(KvQuantizerFormats, OutliersAreTheLargestAndLeaveTheScaleAlone) {
  std::vector<float> rows(2 * 32, 0.25f);
  rows[3] = -90, rows[40] = 100, rows[41] = 90; // 90 twice: the first is taken
  rows[10] = 7;
  const oracle::KvCache made =
      quantised(rows, {1, 1, 2, 32}, 2, int4With([](KvFormat &f) { f.outliersPerBlock = 2; }));
  EXPECT_EQ(made.outliers,
            (std::map<size_t, uint16_t>{{3, bitsOf({-90}, false)[0]}, {40, bitsOf({100}, false)[0]}}));
  const std::vector<float> scales = valuesOf(bitsOf({90 / 7.0f}, false), false);
  EXPECT_EQ(made.scales, scales);
  EXPECT_EQ(made.numbers[3], 0);
  EXPECT_EQ(made.numbers[41], 7);
}

struct Named {
  const char *name;
  KvFormat format;
};
void PrintTo(const Named &n, std::ostream *out) {
  *out << n.name;
}
class KvQuantizerFormat : public ::testing::TestWithParam<Named> {};

// As kv_quantizer.h derives it: 5/8 of a scale for bytes, 0.508 for nibbles, 2^-14 for floats; outliers not
// at all. Elements are large enough for scales to be normal halves.
TEST_P(KvQuantizerFormat, StaysAsNearAsItPromises) {
  for (const bool bfloat : {false, true}) {
    const int heads = 3, capacity = 75, size = 80, length = 70;
    std::vector<float> rows = uniformFloats(size_t(heads) * capacity * size, 5, -3, 5);
    for (size_t i = 0; i < rows.size(); i += 61)
      rows[i] *= 40;
    rows = valuesOf(bitsOf(rows, bfloat), bfloat);
    const KvFormat &format = GetParam().format;
    const oracle::KvCache made = quantised(rows, {1, heads, capacity, size}, length, format, bfloat);
    const std::vector<float> elements = oracle::kvElements<oracle::Ieee>(made);
    const double share = (format.bits == 8 ? 0.625 : 0.508) + 0x1p-14;
    size_t outliers = 0;
    for (int head = 0; head < heads; ++head)
      for (int key = 0; key < capacity; ++key)
        for (int d = 0; d < size; ++d) {
          const size_t i = made.shape.element(head, key, d);
          const bool outlier = made.outliers.count(i) != 0;
          outliers += outlier;
          if (key >= length) {
            EXPECT_FALSE(outlier);
            continue;
          }
          const double bound = outlier ? 0 : share * made.scales[made.shape.group(head, key, d)];
          ASSERT_LE(std::fabs(double(elements[i]) - rows[i]), bound)
              << "head " << head << " key " << key << " element " << d;
        }
    EXPECT_EQ(outliers, size_t(format.outliersPerBlock) * heads *
                            ((length + format.keysPerBlock - 1) / format.keysPerBlock));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, KvQuantizerFormat,
    ::testing::Values(Named{"Int8", {}}, Named{"Int4", kvInt4Format()},
                      Named{"Int4FloatScales", int4With([](KvFormat &f) { f.scaleType = DataType::Float; })},
                      Named{"Int8Zeros", int8With([](KvFormat &f) { f.zeroType = DataType::Char; })},
                      Named{"Int4Zeros", int4With([](KvFormat &f) { f.zeroType = DataType::Char; })},
                      Named{"Int8HalfZeros", int8With([](KvFormat &f) { f.zeroType = DataType::Half; })},
                      Named{"Int4FloatZeros", int4With([](KvFormat &f) { f.zeroType = DataType::Float; })},
                      Named{"Int4PerChannel", int4With([](KvFormat &f) {
                              f.scaleLayout = KvScaleLayout::PerChannelChunk, f.elementsPerChunk = 4;
                            })},
                      Named{"Int8Outliers", int8With([](KvFormat &f) { f.outliersPerBlock = 50; })},
                      Named{"Int4Everything", int4With([](KvFormat &f) {
                              f.keysPerBlock = 10, f.elementsPerChunk = 16, f.zeroType = DataType::Half,
                              f.scaleType = DataType::Float, f.outliersPerBlock = 7, f.alignment = 64;
                            })}),
    [](const auto &info) { return info.param.name; });

TEST(KvQuantizerFormats, RefusesWhatItCannotPack) {
  const Device device = Device::systemDefault();
  const auto message = [&](std::vector<int64_t> sizes, float value, bool bfloat, const KvFormat &format) {
    int64_t count = 1;
    for (const int64_t n : sizes)
      count *= n;
    return errorOf(quantizeKv(device, halves(std::vector<float>(size_t(count), value), sizes, bfloat),
                              sizes[2], format));
  };
  EXPECT_EQ(message({1, 1, 1, 37}, 1, false, kvInt4Format()),
            "a row has 37 elements of 4 bits, which are no whole bytes [kv-packing]");
  EXPECT_EQ(message({1, 2, 1, 32}, 1e8f, true, {}),
            "rows needs a scale past the range of half at batch 0, head 0, group 0, chunk 0 [kv-scales]");
  EXPECT_EQ(message({1, 2, 1, 32}, 1e8f, true, int8With([](KvFormat &f) { f.scaleType = DataType::Float; })),
            "");
}

} // namespace
} // namespace assay::kernels::foundry
