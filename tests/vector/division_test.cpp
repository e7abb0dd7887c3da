// Quotients and remainders on 32 lanes, against C++.
#include "both.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace assay::vector_test {
namespace {

// Where a quotient is an integer or just below one, and the ends of the ranges.
constexpr const char *kEdges =
    "const uint edges[16] = {0u, 1u, 2u, 3u, 7u, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xffffffffu,\n"
    "                        0xfffffffeu, 0x10001u, 0xffffu, 0x55555555u, 0xaaaaaaabu, 0x40000000u, "
    "65537u};\n";

} // namespace

TEST(VectorDivision, OfUnsignedNumbersOf32Bits) {
  const auto out =
      run("out[i] = in[i] / (in[i + 64] >> i % 32); out[i + 64] = in[i] % (in[i + 64] >> i % 32);\n"
          "out[i + 128] = (in[i] | 0x80000000u) / (in[3] | 1);\n"
          "out[i + 192] = in[i] * 3 / (in[i] >> 1 | 1);");
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t by = input(i + 64) >> i % 32;
    EXPECT_EQ(out[i], by ? input(i) / by : ~0u) << i;
    EXPECT_EQ(out[i + 64], by ? input(i) % by : input(i)) << i;
    EXPECT_EQ(out[i + 128], (input(i) | 0x80000000u) / (input(3) | 1)) << i;
    EXPECT_EQ(out[i + 192], input(i) * 3 / (input(i) >> 1 | 1)) << i;
  }
}

TEST(VectorDivision, OfTheEndsOfTheRange) {
  for (const char *type : {"uint", "int"})
    for (const char *operation : {"/", "%"})
      for (uint32_t row = 0; row < 16; row += 4)
        run(fmt::format("{0}for (uint k = 0; k < 4; ++k)\n"
                        "  out[k * 64 + i] = uint({1}(edges[{3} + k]) {2} {1}(edges[i & 15])) +\n"
                        "                    uint({1}(edges[i & 15]) {2} {1}(in[i] >> (i / 16 * 7))) * 3;",
                        kEdges, type, operation, row));
}

TEST(VectorDivision, OfNumbersOfFewerAndOfMoreBits) {
  for (const char *type : {"char", "uchar", "short", "ushort", "long", "ulong"})
    for (const char *operation : {"/", "%"}) {
      run(fmt::format("out[i] = uint({0}(in[i]) {1} {0}(in[i + 1]));\n"
                      "out[64 + i] = uint({0}(in[i]) {1} {0}(in[7]));\n"
                      "out[128 + i] = uint({0}(i - 32u) {1} {0}(in[i] % 5u));",
                      type, operation));
      run(fmt::format("if (in[i] & 4) out[i] = uint({0}(in[i]) {1} {0}(in[i + 1] & 3));", type, operation));
    }
}

// The largest multiples of a number, and what is beside them.
TEST(VectorDivision, OfMultiplesAndTheirNeighbours) {
  const auto out = run(
      "uint bad = 0;\n"
      "for (uint d = 1; d < 400; ++d) {\n"
      "  const uint by = d * (in[d & 255] % 5000u + 1) + 1, times = 0xffffffffu / by - lane - 1;\n"
      "  const uint whole = by * times;\n"
      "  bad += (whole / by != times) + ((whole - 1) / by != times - 1) + ((whole + by - 1) / by != times);\n"
      "  bad += (whole % by != 0) + ((whole - 1) % by != by - 1);\n"
      "}\n"
      "out[i] = bad;");
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], 0u) << i;
}

// The lanes stay evenly apart if they are multiples of the divisor apart, but for a quotient that is rounded
// to zero from both sides (emulator/lowering/vector/lane_shapes.h).
TEST(VectorDivision, OfIndices) {
  for (const char *index :
       {"(n + int(lane) * 4) / 4 + 8", "(n - int(lane) * 4) / 4 + 40", "(n + int(lane) * 8) >> 2 & 255",
        "((n + int(lane) * 4) >> 2) + 8", "uint(n + 32 + int(lane) * 3) / 3u", "(n + int(lane) * 6) / 3 + 16",
        "uint(n + 40 + int(lane / 4) * 8) >> 3", "(n * 4 + int(lane) * 4) / 4 + 32",
        "(n + int(lane) * 4) / 4 * 2 + 16", "(n + int(lane) * 4) / -4 + 40", "(n + int(lane) * 4) % 4 + 4"})
    for (const char *form : {"{}", "if (lane % 5) {{ {} }}"})
      run(fmt::format("uint sum = 0;\n"
                      "for (uint j = 0; j < 64; ++j) {{\n"
                      "  const int n = int(in[j] & 63) - 32;\n  {}\n}}\nout[i] = sum;",
                      fmt::format(fmt::runtime(form), fmt::format("sum = sum * 3 + in[{}];", index))));
}

TEST(VectorDivision, OfIndicesThatWrap) {
  for (const char *index : {"(in[0] - in[0] + 0xfffffff0u + lane * 4) / 4",
                            "(0x7ffffff0 + int(in[7] & 1) * 4 + int(lane) * 4) / 4",
                            "(0x7ffffff0 + int(in[7] & 1) * 4 + int(lane) * 4) >> 2"}) {
    const std::string body = fmt::format("out[i] = (in + (in[3] & 3))[{}];", index);
    EXPECT_EQ(failure(body, Engine::Vector), failure(body, Engine::Fiber)) << body;
    EXPECT_NE(failure(body, Engine::Vector), "") << body;
  }
}

} // namespace assay::vector_test
