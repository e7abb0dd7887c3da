// Logical tensors into buffers and back: every layout is undone by the words that made it.
#include "cli/diff/layout.h"
#include "cli/diff/placed_output.h"

#include "host/buffer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>
#include <numeric>
#include <random>

namespace assay::cli::diff {
namespace {

/// A mapping of one tensor K [2, 3, 4] = 100 h + 10 k + d, with A's placement given.
Mapping mappingWith(const std::string &placement, const std::string &type = "f32",
                    const std::string &values = "h*100 + k*10 + d") {
  const std::string text = fmt::format(R"(
[inputs.K]
axes = ["h", "k", "d"]
shape = [2, 3, 4]
type = "{}"
values = "{}"
[outputs.O]
axes = ["h", "k", "d"]
shape = [2, 3, 4]
[A]
inputs.K = {{ {} }}
outputs.O = {{ {}, type = "f32" }}
[B]
)",
                                       type, values, placement,
                                       placement.find("type") == placement.npos ? placement : "buffer = 9");
  Result<Mapping> mapping = parseMapping(text, "m.toml", {});
  if (!mapping)
    ADD_FAILURE() << renderDiagnostics(mapping.error().diagnostics);
  return *mapping;
}

template <class T> std::vector<T> as(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string readBack(const Mapping &m, const Image &image) {
  const Result<PlacedOutput> placed = PlacedOutput::make(m.outputs[0], m.sides[0].outputs.at("O"),
                                                         {image.bytes.text(), {}}, ScalarType::Float);
  return placed->read(0, placed->count()).bytes;
}

TEST(Layout, PutsAxesInAnyOrder) {
  const Mapping m = mappingWith("buffer = 5, order = [\"k\", \"h\", \"d\"]");
  const BufferData k = *makeInput(m.inputs[0]);
  const Result<LaidOut> out = layOut(m, m.sides[0], {{"K", k}});
  ASSERT_TRUE(out);
  std::vector<float> expected; // key by key, in it head by head
  for (int key = 0; key < 3; ++key)
    for (int h = 0; h < 2; ++h)
      for (int d = 0; d < 4; ++d)
        expected.push_back(float(100 * h + 10 * key + d));
  EXPECT_EQ(as<float>(out->images.at(5).bytes.text()), expected);
  EXPECT_EQ(readBack(m, out->images.at(5)), k.bytes);
}

TEST(Layout, LeavesPoisonBetweenRows) {
  const Mapping m = mappingWith("buffer = 5, strides = [18, 6, 1], offset = 2");
  const BufferData k = *makeInput(m.inputs[0]);
  const Result<LaidOut> out = layOut(m, m.sides[0], {{"K", k}});
  ASSERT_TRUE(out);
  const Image &image = out->images.at(5);
  const std::vector<float> values = as<float>(image.bytes.text());
  ASSERT_EQ(values.size(), 2u + 18 + 2 * 6 + 4);
  const std::string poison(4, char(Buffer::kPoisonByte));
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t inside = i - 2;
    const bool isElement = i >= 2 && inside % 6 < 4;
    EXPECT_EQ(image.given.text()[i * 4] != 0, isElement) << i;
    if (isElement)
      EXPECT_EQ(values[i], float(inside / 18 * 100 + inside % 18 / 6 * 10 + inside % 6));
    else
      EXPECT_EQ(image.bytes.text().substr(i * 4, 4), poison);
  }
  EXPECT_EQ(readBack(m, image), k.bytes);
}

TEST(Layout, ConvertsOnceAndCountsWhatChanged) {
  const Mapping m = mappingWith("buffer = 5, type = \"bf16\", scale = -1, replace = [[-100, \"-inf\"]]");
  const Result<LaidOut> out = layOut(m, m.sides[0], {{"K", *makeInput(m.inputs[0])}});
  ASSERT_TRUE(out);
  const std::vector<uint16_t> bits = as<uint16_t>(out->images.at(5).bytes.text());
  EXPECT_EQ(bits[1], 0xbf80);           // -1
  EXPECT_EQ(bits[12], 0xff80);          // 100 becomes -100, becomes -inf
  EXPECT_EQ(bits[13], 0xc2ca);          // -101
  ASSERT_EQ(out->roundings.size(), 0u); // all below 256: bfloat has them
  const Mapping third = mappingWith("buffer = 5, type = \"bf16\"", "f32", "d / 3");
  const Result<LaidOut> rounded = layOut(third, third.sides[0], {{"K", *makeInput(third.inputs[0])}});
  ASSERT_EQ(rounded->roundings.size(), 1u);
  EXPECT_EQ(rounded->roundings[0].rounded, 12u); // 1/3 and 2/3; 0 and 1 are exact
  EXPECT_EQ(rounded->roundings[0].elements, 24u);
}

TEST(Layout, RefusesTensorsThatOverlap) {
  const Mapping m = mappingWith("buffer = 5, strides = [4, 4, 1]");
  const Result<LaidOut> out = layOut(m, m.sides[0], {{"K", *makeInput(m.inputs[0])}});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().message(), "input 'K' lies where another value lies already, in buffer 5");
}

// What layOut makes, as text: the bytes, which of them are given, the roundings, or the complaint.
std::string textOf(const Result<LaidOut> &out) {
  if (!out)
    return out.error().message();
  std::string text;
  for (const auto &[buffer, image] : out->images)
    text += fmt::format("{} {} ", buffer, image.bytes.size()) + std::string(image.bytes.text()) +
            std::string(image.given.text());
  for (const Rounding &rounding : out->roundings)
    text += fmt::format("{} {} of {} in type {}\n", rounding.input, rounding.rounded, rounding.elements,
                        int(rounding.type));
  return text;
}

// Each element by itself: the same inputs, as if nobody knew that their elements are equal.
std::string oneByOne(const Mapping &m, const std::map<std::string, BufferData> &inputs) {
  std::map<std::string, BufferData> bytes;
  for (const auto &[name, data] : inputs)
    bytes[name] = {data.allBytes(), data.type, data.shape};
  return textOf(layOut(m, m.sides[0], bytes));
}

// Tensors of one value and others, alone and together in a buffer, with gaps, in other orders and types.
TEST(Layout, EqualElementsAreLaidOutAsIfEachWereWritten) {
  std::mt19937_64 random(3);
  const auto below = [&](uint64_t limit) { return random() % limit; };
  int filled = 0, refused = 0, rounded = 0;
  for (int n = 0; n < 1000; ++n) {
    const char *types[] = {"f32", "f16", "bf16", "i8", "u16", "i64"};
    std::string inputs, sides, size;
    for (int i = 0, count = 1 + int(below(3)); i < count; ++i) {
      const std::string type = types[below(6)];
      const uint64_t rows = 1 + below(3), columns = 1 + below(60);
      const std::string froms[] = {fmt::format("from = \"zeros:{}[{},{}]\"", type, rows, columns),
                                   fmt::format("from = \"poison:{}[{},{}]\"", type, rows, columns),
                                   fmt::format("from = \"rand:{}[{},{}]:{}\"", type, rows, columns, n),
                                   "values = \"0\"",
                                   "values = \"1\"",
                                   "values = \"-n\"",
                                   "values = \"c\""};
      inputs += fmt::format("[inputs.t{}]\naxes = [\"r\", \"c\"]\nshape = [{}, {}]\ntype = \"{}\"\n{}\n", i,
                            rows, columns, type, froms[below(7)]);
      const std::string places[] = {"", "", ", order = [\"c\", \"r\"]",
                                    fmt::format(", strides = [{}, 1]", columns + below(3)),
                                    fmt::format(", strides = [{}, 0]", below(2))};
      sides += fmt::format("inputs.t{} = {{ buffer = {}, type = \"{}\"{}", i, below(2),
                           below(2) ? type : types[below(6)], places[below(5)]);
      if (sides.find("strides", sides.rfind("buffer")) == sides.npos || below(2))
        sides += below(2) ? fmt::format(", offset = {}", below(100)) : "";
      sides += below(3) ? "" : fmt::format(", scale = {}", int(below(3)) - 1);
      sides += below(4) ? " }\n" : ", replace = [[0, -1]] }\n";
    }
    const std::string text = "[sizes]\nn = " + std::to_string(below(2)) + "\n" + inputs +
                             "[outputs.O]\nshape = [" + std::to_string(1 + below(200)) + "]\n[A]\n" + sides +
                             "outputs.O = { buffer = 0, type = \"f32\" }\n[B]\n";
    const Result<Mapping> m = parseMapping(text, "m.toml", {});
    ASSERT_TRUE(m) << renderDiagnostics(m.error().diagnostics) << text;
    std::map<std::string, BufferData> made;
    for (const LogicalInput &input : m->inputs) {
      const Result<BufferData> data = makeInput(input);
      ASSERT_TRUE(data) << renderDiagnostics(data.error().diagnostics) << text;
      ASSERT_EQ(data->size(), countOf(input.shape) * scalarTypeInfo(input.type).bytes);
      filled += data->equal.has_value();
      made[input.name] = *data;
    }
    const Result<LaidOut> out = layOut(*m, m->sides[0], made);
    ASSERT_TRUE(textOf(out) == oneByOne(*m, made)) << text;
    refused += !out;
    rounded += out && !out->roundings.empty();
  }
  EXPECT_GT(filled, 500);
  EXPECT_GT(refused, 100);
  EXPECT_GT(rounded, 100);
}

// An expression is evaluated once if that says all; the value of each element is that of the expression.
TEST(Layout, KnowsConstantExpressions) {
  const auto equalOf = [](const std::string &values, const std::string &type) {
    const BufferData data = *makeInput(mappingWith("buffer = 5", type, values).inputs[0]);
    EXPECT_EQ(data.size(), 24 * scalarTypeInfo(*findScalarType(type)).bytes);
    return data.equal ? int(data.equal->byte) : -1;
  };
  EXPECT_EQ(equalOf("0", "f32"), 0);
  EXPECT_EQ(equalOf("1 - 1", "f16"), 0);
  EXPECT_EQ(equalOf("-0 * 3", "f32"), -1); // minus zero has a sign bit
  EXPECT_EQ(equalOf("-1", "i32"), 0xff);
  EXPECT_EQ(equalOf("7", "u8"), 7);
  EXPECT_EQ(equalOf("1", "f32"), -1);
  EXPECT_EQ(equalOf("0 * d", "f32"), -1); // may be minus zero, or a NaN, for all that is known
  EXPECT_EQ(equalOf("rand(1) * 0", "f32"), -1);
}

// 4 GB of zeros, with poison around them, and what they are filled with on a side that changes the sign.
TEST(Layout, EqualElementsTakeNoMemory) {
  if (touchedMemory(PagedBytes(kSparseBytes, 0).text().data(), kSparseBytes).bytes())
    GTEST_SKIP() << "this system does not tell which pages are touched";
  const auto touchedBy = [](const std::string &placement) {
    const std::string text = "[inputs.x]\naxes = [\"a\", \"b\"]\nshape = [32768, 32768]\ntype = "
                             "\"f32\"\nfrom = \"zeros:f32[1073741824]\"\n"
                             "[outputs.y]\nshape = [64]\n[A]\ninputs.x = { buffer = 0, " +
                             placement + " }\noutputs.y = { buffer = 1, type = \"f32\" }\n[B]\n";
    const Result<Mapping> parsed = parseMapping(text, "m.toml", {});
    if (!parsed)
      ADD_FAILURE() << renderDiagnostics(parsed.error().diagnostics);
    const Mapping &m = *parsed;
    const Result<LaidOut> out = layOut(m, m.sides[0], {{"x", *makeInput(m.inputs[0])}});
    const Image &image = out->images.at(0);
    return touchedMemory(image.bytes.text().data(), image.bytes.size()).bytes() +
           touchedMemory(image.given.text().data(), image.given.size()).bytes();
  };
  EXPECT_LT(touchedBy("type = \"f32\""), 1u << 20);
  EXPECT_LT(touchedBy("type = \"f32\", strides = [1, 32768], offset = 1000"), 1u << 20);
  EXPECT_LT(touchedBy("type = \"f16\", scale = 3"), 1u << 20);
  EXPECT_LT(touchedBy("type = \"i8\", replace = [[0, -1]]"), 1u << 20);
}

TEST(Layout, ComparesInTheCoarserType) {
  LogicalOutput output;
  EXPECT_EQ(comparedAs(output, ScalarType::Float, ScalarType::Half), ScalarType::Half);
  EXPECT_EQ(comparedAs(output, ScalarType::BFloat, ScalarType::Half), ScalarType::BFloat);
  EXPECT_EQ(comparedAs(output, ScalarType::Float, ScalarType::Float), ScalarType::Float);
  output.type = ScalarType::Float;
  EXPECT_EQ(comparedAs(output, ScalarType::BFloat, ScalarType::Half), ScalarType::Float);
}

} // namespace
} // namespace assay::cli::diff
