// kernels_msl/foundry/kv_rows.h by itself: a small kernel has each thread read one to four elements of a row,
// for every number of 8 and of 4 bits, and for what rounds.
#include "quantised_case.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace assay::kernels::foundry {
namespace {

using namespace testing_support;
namespace fs = std::filesystem;

constexpr char kReader[] = R"(
struct Places { ulong row, scale_block; uint size; };

METAL_FUNC HeadRows<half> rows_of(device const uchar *bytes, device const uchar *scales,
                                  device const uchar *zeros, device const uint *table, constant Places &p) {
  return head_rows<half>(key_form(), {nullptr, bytes, scales, zeros, table}, {0, 0, 0}, p.row, p.scale_block,
                         p.size);
}

#define READER(name, statement)                                                                   \
  kernel void name(device const uchar *bytes [[buffer(0)]], device const uchar *scales [[buffer(1)]],    \
                   device const uchar *zeros [[buffer(2), function_constant(k_has_zeros)]],       \
                   device const uint *table [[buffer(3), function_constant(k_outliers)]],         \
                   constant Places &p [[buffer(4)]], device float *out [[buffer(5)]],             \
                   uint2 at [[thread_position_in_grid]]) {                                        \
    const HeadRows<half> rows = rows_of(bytes, scales, zeros, table, p);                          \
    const uint key = at.y;                                                                        \
    statement                                                                                     \
  }
READER(read_one, out[key * p.size + at.x] = rows.read_one(key, at.x);)
READER(read_two, const float2 x = rows.template read<2>(key, 2 * at.x);
       for (uint i = 0; i < 2; ++i) out[key * p.size + 2 * at.x + i] = x[i];)
READER(read_four, const float4 x = rows.template read<4>(key, 4 * at.x);
       for (uint i = 0; i < 4; ++i) out[key * p.size + 4 * at.x + i] = x[i];)
)";

class KvRows : public ::testing::Test {
protected:
  fs::path file = fs::path(::testing::TempDir()) / fmt::format("kv_rows_reader_{}.metal", getpid());
  void SetUp() override {
    std::ofstream(file) << "#include \"" << fs::absolute(ownKernel("foundry/kv_rows.h")).string() << "\"\n"
                        << kReader;
  }
  void TearDown() override { fs::remove(file); }

  /// One head's elements as a kernel reads them, `width` at once.
  std::vector<float> read(const KvTensor &t, int width) {
    const char *names[] = {"", "read_one", "read_two", "", "read_four"};
    FunctionConstantValues constants;
    setKvConstants(constants, t.format, 520);
    const auto pipeline = appleKernels().pipeline(file.string(), names[width], constants);
    EXPECT_TRUE(succeeded(pipeline));
    if (!pipeline)
      return {};
    const struct {
      uint64_t row, scaleBlock;
      uint32_t size;
    } places = {uint64_t(t.rows.stride(2)), kvScaleStrides(t).block, uint32_t(headDimOf(t))};
    const uint64_t keys = uint64_t(t.rows.size(2));
    TensorView out =
        TensorView::poisoned(Device::systemDefault(), DataType::Float, {int64_t(keys), places.size});
    ComputeCommandEncoder encoder = appleKernels().encoder(*pipeline);
    bindKv(encoder, t, {0, 1, 2, 3});
    encoder.setBytes(&places, sizeof places, 4);
    encoder.setBuffer(out.buffer, 0, 5);
    EXPECT_TRUE(succeeded(encoder.dispatchThreads({places.size / width, keys}, {32})));
    const auto all = out.buffer.as<float>();
    return {all.begin(), all.end()};
  }

  /// A random cache of one head, read in all widths.
  void expectElements(const KvFormat &format, int keys, int size, uint64_t seed = 3) {
    QuantisedTest t;
    t.k = format, t.heads = t.kvHeads = 1, t.keys = keys, t.size = size;
    QuantisedCase problem(t, seed);
    for (const int width : {1, 2, 4})
      EXPECT_TRUE(
          bitsEqual(oracle::kvElements<oracle::Apple>(problem.k.cache), read(problem.k.tensor, width)))
          << width << " at once";
  }
};

/// Bytes as one row or several, with a scale of 1.
KvTensor cacheOfBytes(KvFormat format, const std::vector<uint8_t> &bytes, int64_t keys) {
  format.scaleType = DataType::Float, format.elementsPerChunk = 256;
  KvTensor t;
  t.format = format;
  const int64_t row = int64_t(bytes.size()) / keys;
  const Device device = Device::systemDefault();
  t.rows = TensorView::contiguous(device.newBuffer(bytes.data(), bytes.size()),
                                  format.bits == 4 ? DataType::UChar : DataType::Char, {1, 1, keys, row});
  const float one = 1;
  t.scales = TensorView::contiguous(device.newBuffer(&one, 4), DataType::Float, {1, 1, 1, 1});
  return t;
}

TEST_F(KvRows, EveryByteIsItsSignedNumber) {
  std::vector<uint8_t> bytes;
  std::vector<float> expected;
  for (int byte = 0; byte < 256; ++byte) {
    bytes.push_back(uint8_t(byte));
    expected.push_back(float(byte < 128 ? byte : byte - 256));
  }
  for (const int width : {1, 2, 4})
    EXPECT_TRUE(bitsEqual(expected, read(cacheOfBytes({}, bytes, 1), width))) << width << " at once";
}

TEST_F(KvRows, EveryByteIsTwoSignedNibblesTheLowOneFirst) {
  std::vector<uint8_t> bytes;
  std::vector<float> expected;
  for (int byte = 0; byte < 256; ++byte) {
    bytes.push_back(uint8_t(byte));
    const int low = byte % 16, high = byte / 16;
    expected.push_back(float(low < 8 ? low : low - 16));
    expected.push_back(float(high < 8 ? high : high - 16));
  }
  for (const int width : {1, 2, 4}) // in two rows: a row has at most 256 elements
    EXPECT_TRUE(bitsEqual(expected, read(cacheOfBytes(kvInt4Format(), bytes, 2), width)))
        << width << " at once";
}

/// Products of 24-bit scales do not fit into 24 bits, and neither do differences of fractional zero points.
TEST_F(KvRows, RoundsDifferencesAndProducts) {
  for (const DataType zero : {DataType::Char, DataType::Half, DataType::Float})
    for (const KvFormat &base : {KvFormat{}, kvInt4Format()}) {
      SCOPED_TRACE(::testing::Message() << base.name() << ", zero points of " << zero.name());
      KvFormat format = base;
      format.scaleType = DataType::Float, format.zeroType = zero, format.elementsPerChunk = 16;
      expectElements(format, 40, 64);
    }
}

TEST_F(KvRows, ScalesAreOfTheirBlockAndChunk) {
  for (const int block : {1, 7, 32, 256})
    for (const int chunk : {4, 12, 64}) {
      SCOPED_TRACE(::testing::Message() << block << " keys, " << chunk << " elements");
      expectElements(int8With([&](KvFormat &f) { f.keysPerBlock = block, f.elementsPerChunk = chunk; }), 70,
                     80);
    }
  expectElements(int4With([](KvFormat &f) { f.scaleLayout = KvScaleLayout::PerChannelChunk; }), 70, 96);
}

TEST_F(KvRows, OutliersTakeThePlaceOfTheirElementsAlone) {
  for (const int most : {1, 3, 40, 600})
    for (const KvFormat &base : {KvFormat{}, kvInt4Format()}) {
      SCOPED_TRACE(::testing::Message() << base.name() << ", up to " << most);
      KvFormat format = base;
      format.keysPerBlock = 16, format.outliersPerBlock = most;
      expectElements(format, 70, 64, uint64_t(most));
    }
}

/// At both ends of a block and of a row, next to each other, and numbers that no scale makes.
TEST_F(KvRows, OutliersStandAtEveryEdge) {
  KvFormat format;
  format.keysPerBlock = 4, format.outliersPerBlock = 4 * 64;
  QuantisedTest t;
  t.k = format, t.heads = t.kvHeads = 1, t.keys = 10;
  QuantisedCase problem(t);
  auto &outliers = problem.k.cache.outliers;
  const auto at = [&](int key, int d) -> uint16_t & {
    return outliers[problem.k.cache.shape.element(0, key, d)];
  };
  outliers.clear();
  at(0, 0) = 0x7c00, at(0, 1) = 0xfc00; // infinities
  at(0, 63) = 0x7bff, at(3, 63) = 0x0001, at(4, 0) = 0x8000;
  for (int d = 20; d < 27; ++d)
    at(5, d) = uint16_t(0x3c00 + d);
  for (int d = 0; d < 64; ++d)
    at(9, d) = uint16_t(0xbc00 + d); // the last block has two keys of four
  problem.bind();
  for (const int width : {1, 2, 4})
    EXPECT_TRUE(bitsEqual(oracle::kvElements<oracle::Apple>(problem.k.cache), read(problem.k.tensor, width)))
        << width << " at once";
}

/// What shares a scale is one run of bytes: of each block of keys each chunk. The last chunk has 8 elements.
TEST_F(KvRows, ABlockOfKeysAndAChunkAreContiguous) {
  const int keys = 12, size = 40, block = 4, chunk = 16;
  std::vector<uint8_t> bytes;
  std::vector<float> expected(size_t(keys) * size);
  for (int firstKey = 0; firstKey < keys; firstKey += block)
    for (int first = 0; first < size; first += chunk)
      for (int key = firstKey; key < firstKey + block; ++key)
        for (int d = first; d < std::min(first + chunk, size); ++d) {
          const int number = int(bytes.size()) % 251 - 125;
          bytes.push_back(uint8_t(number));
          expected[size_t(key) * size + d] = float(number);
        }
  KvTensor t = cacheOfBytes(kvTilesFormat(), bytes, keys);
  t.format->keysPerBlock = block, t.format->elementsPerChunk = chunk;
  t.scales = TensorView::poisoned(Device::systemDefault(), DataType::Float, {1, 1, 3, 3});
  for (float &scale : t.scales.buffer.as<float>())
    scale = 1;
  ASSERT_TRUE(succeeded(checkKvCache("t", t, KvUse::Decode, 4, DataType::Half, {})));
  for (const int width : {1, 2, 4})
    EXPECT_TRUE(bitsEqual(expected, read(t, width))) << width << " at once";
}

TEST_F(KvRows, TilesHaveEveryForm) {
  for (const int block : {1, 7, 35, 70})
    for (const int chunk : {4, 12, 64, 128}) {
      SCOPED_TRACE(::testing::Message() << block << " keys, " << chunk << " elements");
      expectElements(tilesWith([&](KvFormat &f) {
                       f.keysPerBlock = block, f.elementsPerChunk = chunk, f.outliersPerBlock = 3;
                       f.zeroType = DataType::Char;
                     }),
                     70, 80);
    }
  expectElements(tilesWith([](KvFormat &f) { f.scaleLayout = KvScaleLayout::PerChannelChunk; }), 64, 96);
}

TEST_F(KvRows, ARunOfAWholeBlockIsFound) {
  KvFormat format;
  format.keysPerBlock = 256, format.outliersPerBlock = 65536; // indices of all 16 bits
  QuantisedTest t;
  t.k = format, t.heads = t.kvHeads = 1, t.keys = 256, t.size = 256;
  QuantisedCase problem(t);
  for (size_t i = 0; i < problem.k.cache.shape.count(); ++i)
    problem.k.cache.outliers[i] = uint16_t(i % 0x7c00);
  problem.bind();
  EXPECT_TRUE(bitsEqual(oracle::kvElements<oracle::Apple>(problem.k.cache), read(problem.k.tensor, 4)));
}

} // namespace
} // namespace assay::kernels::foundry
