// Logical tensors into buffers and back: every layout is undone by the words that made it.
#include "cli/diff/layout.h"
#include "cli/diff/placed_output.h"

#include "host/buffer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>
#include <numeric>

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
  const std::string k = *makeInput(m.inputs[0]);
  const Result<LaidOut> out = layOut(m, m.sides[0], {{"K", k}});
  ASSERT_TRUE(out);
  std::vector<float> expected; // key by key, in it head by head
  for (int key = 0; key < 3; ++key)
    for (int h = 0; h < 2; ++h)
      for (int d = 0; d < 4; ++d)
        expected.push_back(float(100 * h + 10 * key + d));
  EXPECT_EQ(as<float>(out->images.at(5).bytes.text()), expected);
  EXPECT_EQ(readBack(m, out->images.at(5)), k);
}

TEST(Layout, LeavesPoisonBetweenRows) {
  const Mapping m = mappingWith("buffer = 5, strides = [18, 6, 1], offset = 2");
  const std::string k = *makeInput(m.inputs[0]);
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
  EXPECT_EQ(readBack(m, image), k);
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
