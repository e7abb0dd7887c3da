#include "../host/temporary_folder.h"
#include "../support/mangle.h"
#include "cli/buffer_spec.h"
#include "support/files/npy.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace assay::cli {
namespace {

using testing::ElementsAre;
using testing_support::TemporaryFolder;

template <class T> std::vector<T> elements(const BufferData &data) {
  std::vector<T> values(data.size() / sizeof(T));
  std::memcpy(values.data(), data.allBytes().data(), values.size() * sizeof(T));
  return values;
}

BufferData read(const std::string &spec) {
  Result<BufferData> data = readBufferSpec(spec);
  EXPECT_TRUE(data) << (data ? "" : renderDiagnostics(data.error().diagnostics));
  return data ? *data : BufferData{};
}

std::string error(const std::string &spec) {
  const Result<BufferData> data = readBufferSpec(spec);
  return data ? "" : renderDiagnostics(data.error().diagnostics);
}

TEST(BufferSpec, HasNoMoreAxesThanAFileCanHave) {
  std::string axes = "1";
  for (int axis = 1; axis < 64; ++axis)
    axes += ",1";
  EXPECT_EQ(error("zeros:u8[" + axes + "]"), "");
  EXPECT_EQ(error("zeros:u8[" + axes + ",1]"),
            "error: 'zeros:u8[" + axes + ",1]': the shape has more than 64 axes [bad-spec]\n");
}

// Whatever the text, the result is an error or data of the size its shape says.
TEST(BufferSpec, SurvivesMangledText) {
  const std::string seeds[] = {"i32:1,2;f32:0.5,-inf;i64:3", "zeros:f16[2,3]", "rand:bf16[7]:12",
                               "f32:0x1p-3,nan,1e9",         "poison:u8[16]",  "bool:1,0,true"};
  std::mt19937 random(8);
  size_t accepted = 0;
  for (int round = 0; round < 30000; ++round) {
    std::string text =
        testing_support::mangle(seeds[round % std::size(seeds)], "0123456789abcdefxpinrzous:;,[].-+", random);
    const size_t bracket = std::min(text.find('['), text.size());
    if (std::count_if(text.begin() + bracket, text.end(), [](unsigned char c) { return std::isdigit(c); }) >
        5)
      continue; // a large size is refused by the machine, not by the parser
    const Result<BufferData> data = readBufferSpec(text);
    if (!data)
      continue;
    ++accepted;
    uint64_t count = 1;
    for (uint64_t extent : data->shape)
      count *= extent;
    ASSERT_EQ(data->size(), count * (data->type ? scalarTypeInfo(*data->type).bytes : 1)) << text;
  }
  EXPECT_GT(accepted, 100u);
}

} // namespace

TEST(BufferSpec, PacksLiterals) {
  const BufferData data = read("i32:64,-1,0x10,0");
  EXPECT_EQ(data.type, ScalarType::Int);
  EXPECT_THAT(data.shape, ElementsAre(4));
  EXPECT_THAT(elements<int32_t>(data), ElementsAre(64, -1, 16, 0));
  EXPECT_THAT(elements<uint16_t>(read("f16:1,-2")), ElementsAre(0x3c00, 0xc000));
  EXPECT_THAT(elements<uint16_t>(read("bf16:1,inf")), ElementsAre(0x3f80, 0x7f80));
  EXPECT_THAT(elements<uint8_t>(read("bool:true,0")), ElementsAre(1, 0));
}

TEST(BufferSpec, PacksLiteralsOfSeveralTypesWithoutPadding) {
  const BufferData data = read("i32:1,2;f32:0.5;i64:3");
  EXPECT_EQ(data.type, std::nullopt);
  EXPECT_EQ(data.bytes.size(), 20u);
  EXPECT_THAT(data.shape, ElementsAre(20));
  EXPECT_EQ(data.bytes.substr(8, 5), std::string("\0\0\0\x3f\3", 5));
}

TEST(BufferSpec, LeavesRoomForAddresses) {
  const BufferData data = read("addr:in,3+64;u32:7;addr:out");
  EXPECT_EQ(data.bytes, std::string(16, '\0') + std::string("\7\0\0\0", 4) + std::string(8, '\0'));
  ASSERT_EQ(data.addresses.size(), 3u);
  EXPECT_EQ(data.addresses[1].buffer, "3");
  EXPECT_EQ(data.addresses[1].offset, 8u);
  EXPECT_EQ(data.addresses[1].plus, 64u);
  EXPECT_EQ(data.addresses[2].buffer, "out");
  EXPECT_EQ(data.addresses[2].offset, 20u);
  EXPECT_EQ(data.addresses[2].plus, 0u);
}

TEST(BufferSpec, LiteralsMayHaveAShape) {
  const BufferData data = read("i16[2,3]:1,2,3,4,5,6");
  EXPECT_THAT(elements<int16_t>(data), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(data.shape, ElementsAre(2, 3));
  EXPECT_EQ(data.type, ScalarType::Short);
  EXPECT_THAT(error("i16[2,3]:1,2,3,4,5"),
              testing::StartsWith("error: 'i16[2,3]:1,2,3,4,5': 5 values, the shape has 6 [bad-spec]\n"));
  EXPECT_EQ(error("i16[1]:1;f32:2"),
            "error: 'i16[1]:1;f32:2': values of several types have no shape [bad-spec]\n"
            "  f32[2,3]:0,1,2,3,4,5 has one\n");
}

TEST(BufferSpec, FillsWithZerosAndPoison) {
  const BufferData zeros = read("zeros:f16[2,3]");
  EXPECT_EQ(zeros.allBytes(), std::string(12, '\0'));
  EXPECT_THAT(zeros.shape, ElementsAre(2, 3));
  EXPECT_EQ(read("poison:i64[2]").allBytes(), std::string(16, '\xa5'));
  EXPECT_EQ(read("zeros:f32[0]").allBytes(), "");
}

// source: the first outputs of SplitMix64 with seed 0 and seed 1234567, as published with the generator
TEST(BufferSpec, DrawsItsRandomIntegersFromSplitMix64) {
  EXPECT_THAT(elements<uint64_t>(read("rand:u64[3]")),
              ElementsAre(0xe220a8397b1dcdafu, 0x6e789e6aa1b965f4u, 0x06c45d188009454fu));
  EXPECT_THAT(elements<uint64_t>(read("rand:u64[2]:1234567")),
              ElementsAre(6457827717110365317u, 3203168211198807973u));
  EXPECT_THAT(elements<uint8_t>(read("rand:u8[3]")), ElementsAre(0xe2, 0x6e, 0x06));
  EXPECT_THAT(elements<uint8_t>(read("rand:bool[3]")), ElementsAre(1, 0, 0));
}

TEST(BufferSpec, DrawsItsRandomFloatsUniformlyFromMinusOneToOne) {
  EXPECT_THAT(elements<float>(read("rand:f32[1]")), ElementsAre(0xe220a8 / 8388608.0f - 1));
  EXPECT_THAT(elements<uint16_t>(read("rand:bf16[2]")), // 0xe2 / 128 - 1, 0x6e / 128 - 1
              ElementsAre(0x3f44, 0xbe10));
  EXPECT_THAT(elements<uint16_t>(read("rand:f16[1]")), ElementsAre(0x3a22)); // 0x711 / 1024 - 1 = 0.7666
  double sum = 0;
  for (float value : elements<float>(read("rand:f32[10000]:3"))) {
    ASSERT_GE(value, -1.0f);
    ASSERT_LT(value, 1.0f);
    sum += value;
  }
  EXPECT_LT(std::abs(sum / 10000), 0.03);
}

TEST(BufferSpec, ReadsFilesAndReinterpretsThem) {
  TemporaryFolder folder;
  const std::string npy = folder.write("a.npy", npyBytes(ScalarType::UShort, {2, 2}, "abcdefgh"));
  EXPECT_EQ(read(npy).type, ScalarType::UShort);
  EXPECT_THAT(read(npy).shape, ElementsAre(2, 2));
  EXPECT_EQ(read(npy + ":bf16").type, ScalarType::BFloat);
  EXPECT_THAT(read(npy + ":bf16").shape, ElementsAre(2, 2));
  EXPECT_THAT(read(npy + ":f32").shape, ElementsAre(2)) << "another size: flat";
  EXPECT_EQ(read(npy + ":f32").bytes, "abcdefgh");
  const std::string bin = folder.write("a.bin", "abc");
  EXPECT_EQ(read(bin).bytes, "abc");
  EXPECT_EQ(read(bin).type, std::nullopt);
  EXPECT_EQ(error(folder.write("b.npy", npyBytes(ScalarType::UShort, {3}, "abcdef")) + ":f32"),
            "error: '" + (folder / "b.npy") +
                ":f32': 6 bytes are not a whole number of f32 (4 bytes each) [bad-spec]\n");
}

TEST(BufferSpec, SaysWhatIsWrong) {
  const std::string forms = "  a SPEC is FILE.npy[:TYPE], FILE.bin, zeros:TYPE[d0,d1,..], poison:TYPE[..], "
                            "rand:TYPE[..][:SEED], TYPE[d0,..]:v0,v1,.., TYPE:v0,v1,.. or null\n";
  EXPECT_EQ(error("f23:1"), "error: 'f23:1': 'f23' is neither a type nor zeros, poison or rand [bad-spec]\n  "
                            "did you mean 'f32'?\n");
  EXPECT_EQ(error("zero:f32[1]"), "error: 'zero:f32[1]': 'zero' is neither a type nor zeros, poison or rand "
                                  "[bad-spec]\n  did you mean 'zeros'?\n");
  EXPECT_EQ(error("null"), "error: 'null': there is no buffer, and so no contents [bad-spec]\n"
                           "  --buffer INDEX=null binds none\n");
  EXPECT_EQ(error("a.txt"), "error: 'a.txt': not a form of buffer that is known [bad-spec]\n" + forms);
  EXPECT_EQ(error("zeros:f32"),
            "error: 'zeros:f32': the shape is missing [bad-spec]\n  for example zeros:f32[4,128]\n");
  EXPECT_EQ(error("zeros:f33[1]"),
            "error: 'zeros:f33[1]': no type 'f33' [bad-spec]\n  did you mean 'f32'?\n");
  EXPECT_EQ(error("zeros:f32[1"),
            "error: 'zeros:f32[1': the shape has no closing ']' [bad-spec]\n  for example f32[4,128]\n");
  EXPECT_EQ(
      error("zeros:f32[-1]"),
      "error: 'zeros:f32[-1]': '-1' is not an extent of a shape [bad-spec]\n  for example f32[4,128]\n");
  EXPECT_EQ(error("zeros:f32[1000000,1000000,1000000]"),
            "error: 'zeros:f32[1000000,1000000,1000000]': the shape is larger than 1099511627776 bytes "
            "[bad-spec]\n");
  EXPECT_EQ(error("rand:f32[2]:x"),
            "error: 'rand:f32[2]:x': 'x' is not a seed [bad-spec]\n  for example rand:f32[64]:7\n");
  EXPECT_EQ(error("i8:300"), "error: '300' is not in -128..127, the range of i8 [bad-value]\n");
  EXPECT_EQ(error("i32:1;2"), "error: 'i32:1;2': '2' is not TYPE:v0,v1,.. [bad-spec]\n" + forms);
  EXPECT_EQ(error("i32:"), "error: '' is not a value of type i32 [bad-value]\n");
  EXPECT_EQ(error("addr:a+b"),
            "error: 'addr:a+b': 'a+b' is not NAME+BYTES [bad-spec]\n  for example addr:weights+64\n");
  EXPECT_EQ(error("addr:a,"),
            "error: 'addr:a,': an address needs the NAME or INDEX of a --buffer [bad-spec]\n"
            "  for example addr:weights,1\n");
}

TEST(OutputSpec, WritesTheShapeOfTheInput) {
  const BufferData input = read("zeros:f32[2,3]");
  const Result<OutputSpec> spec = parseOutputSpec("o.npy");
  ASSERT_TRUE(spec);
  const Result<std::string> bytes = outputBytes(*spec, input, std::string(24, 'x'), ScalarType::Float);
  ASSERT_TRUE(bytes);
  const Result<NpyArray> array = parseNpy(*bytes, "o.npy");
  ASSERT_TRUE(array);
  EXPECT_THAT(array->shape, ElementsAre(2, 3));
  EXPECT_EQ(array->type, ScalarType::Float);
}

TEST(OutputSpec, WritesTheTypeAndShapeAskedFor) {
  const BufferData input = read("zeros:u16[8]");
  const Result<OutputSpec> spec = parseOutputSpec("o.npy:bf16[3,2]");
  ASSERT_TRUE(spec);
  const Result<std::string> bytes = outputBytes(*spec, input, "abcdefghijklmnop", ScalarType::UShort);
  ASSERT_TRUE(bytes);
  const Result<NpyArray> array = parseNpy(*bytes, "o.npy");
  ASSERT_TRUE(array);
  EXPECT_THAT(array->shape, ElementsAre(3, 2));
  EXPECT_EQ(array->data, "abcdefghijkl");
}

TEST(OutputSpec, RefusesAShapeThatTheBufferDoesNotHold) {
  const BufferData input = read("zeros:f32[2]");
  const Result<OutputSpec> spec = parseOutputSpec("o.npy:f32[3]");
  ASSERT_TRUE(spec);
  const Result<std::string> bytes = outputBytes(*spec, input, std::string(8, 'x'), ScalarType::Float);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(renderDiagnostics(bytes.error().diagnostics),
            "error: o.npy: the shape asked for needs 12 bytes, the buffer has 8 [output-shape]\n");
}

TEST(OutputSpec, RefusesBytesThatAreNoWholeNumberOfElements) {
  const BufferData input = read("zeros:u8[7]");
  const Result<OutputSpec> spec = parseOutputSpec("o.npy:f32");
  ASSERT_TRUE(spec);
  const Result<std::string> bytes = outputBytes(*spec, input, std::string(7, 'x'), ScalarType::UChar);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(
      renderDiagnostics(bytes.error().diagnostics),
      "error: o.npy: the buffer's 7 bytes are not a whole number of f32 (4 bytes each) [output-shape]\n");
}

TEST(OutputSpec, WritesRawBytes) {
  const Result<OutputSpec> spec = parseOutputSpec("o.bin");
  ASSERT_TRUE(spec);
  EXPECT_EQ(*outputBytes(*spec, {}, "abc", ScalarType::Float), "abc");
  EXPECT_FALSE(parseOutputSpec("o.txt"));
}

TEST(Indexed, SplitsIndexAndRest) {
  const Result<IndexedText> good = parseIndexed("30=a=b", "--buffer", "INDEX=SPEC");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->index, 30u);
  EXPECT_EQ(good->rest, "a=b");
  EXPECT_FALSE(parseIndexed("31=a", "--buffer", "INDEX=SPEC"));
  EXPECT_FALSE(parseIndexed("a", "--buffer", "INDEX=SPEC"));
  EXPECT_FALSE(parseIndexed("-1=a", "--buffer", "INDEX=SPEC"));
}

} // namespace assay::cli
