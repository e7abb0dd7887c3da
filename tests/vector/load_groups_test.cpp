// Loads of neighbours, one by one in the kernel.
#include "both.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace assay::vector_test {
namespace {

constexpr Shape kOne{{32, 1, 1}, {32, 1, 1}}, kPartial{{45, 1, 1}, {64, 1, 1}};

// With all lanes, in some of them, in simdgroups that lack some, and in a loop.
void everywhere(const std::string &body) {
  SCOPED_TRACE(body);
  run(body);
  run("if ((in[i] >> 3) % 3 != 0) {" + body + "}");
  run("if (lane > 5 && lane < 29) {" + body + "}", kOne);
  run(body, kPartial);
  run("for (uint j = lane; j < 70; j += 32) { " + body + " }");
}

uint32_t byteOf(uint32_t place) {
  return input(place / 4) >> place % 4 * 8 & 255;
}

} // namespace

TEST(VectorLoadGroups, BytesOneByOne) {
  const auto out = run("const device uchar *p = (const device uchar *)in + i * 9 + 1; uint v = 0;\n"
                       "for (uint k = 0; k < 8; ++k) v = v * 31 + p[k]; out[i] = v;");
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t v = 0;
    for (uint32_t k = 0; k < 8; ++k)
      v = v * 31 + byteOf(i * 9 + 1 + k);
    ASSERT_EQ(out[i], v) << i;
  }
}

TEST(VectorLoadGroups, EachTypeAndLengthAtEachDistance) {
  for (const char *type : {"uchar", "short", "half", "float", "ulong"})
    for (const char *index : {"i * 3", "in[i] & 15", "lane / 2 * 9 + lane % 2 * 4", "lane * 8",
                              "lane / 16 * 16", "(31 - lane) * 2"}) {
      std::string body = fmt::format(
          "const device {0} *p = (const device {0} *)in + ({1}) % 100; float v = 0;\n", type, index);
      for (const unsigned count : {2u, 3u, 4u, 7u, 8u, 11u}) // each after a store
        body += fmt::format(
            "for (uint k = 0; k < {}; ++k) v = v * 0.5f + float(p[k]); out[i] = as_type<uint>(v);", count);
      run(body);
    }
}

TEST(VectorLoadGroups, ShortVectors) {
  for (const char *type : {"half4", "uchar4", "float2"})
    for (const char *index : {"lane * 4", "lane * 3", "(31 - lane) * 2", "lane / 2 * 4 + lane % 2 * 2",
                              "in[i] & 15", "(int(in[0] & 3) * 4 + int(lane) * 16) / 4"}) {
      const std::string body =
          fmt::format("const device {0} *p = (const device {0} *)in + ({1}); float v = 0;\n"
                      "for (uint k = 0; k < {2}; ++k) v = v * 0.5f + float(p[k].x) - float(p[k].y);\n"
                      "out[i] = as_type<uint>(v);",
                      type, index, std::string(type) == "half4" || std::string(type) == "bfloat4" ? 3 : 4);
      SCOPED_TRACE(body);
      run(body, kOne);
      run("if (in[i] & 4) {" + body + "}", kOne);
      run(body, {{20, 1, 1}, {32, 1, 1}});
    }
}

TEST(VectorLoadGroups, SomeLanesPartialSimdgroupsAndLoops) {
  for (const char *pointer :
       {"(const device uchar *)in + (in[i] & 127)", "(const device ushort *)in + i * 6 + 1",
        "(const device uint *)in + (i & 31) * 7"})
    everywhere(fmt::format(
        "auto p = {}; out[i] = uint(p[0]) + uint(p[1]) * 3 + uint(p[2]) * 5 + uint(p[3]) * 7;", pointer));
}

TEST(VectorLoadGroups, InAnyOrderWithGapsAndTwice) {
  const auto out =
      run("const device uchar *p = (const device uchar *)in + (in[i] & 63) + 8;\n"
          "out[i] = p[3] | p[1] << 8 | p[2] << 16 | p[-1] << 24; out[i + 64] = p[7] + p[8] * p[7] + p[1];");
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t p = (input(i) & 63) + 8;
    ASSERT_EQ(out[i], byteOf(p + 3) | byteOf(p + 1) << 8 | byteOf(p + 2) << 16 | byteOf(p - 1) << 24) << i;
    ASSERT_EQ(out[i + 64], byteOf(p + 7) + byteOf(p + 8) * byteOf(p + 7) + byteOf(p + 1)) << i;
  }
}

// What is between two loads may change what the second one reads.
TEST(VectorLoadGroups, NotAcrossAStore) {
  const auto out =
      run("for (uint k = t; k < 256; k += 64) shared[k] = in[k];\n"
          "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
          "threadgroup uchar *p = (threadgroup uchar *)shared + t * 7; uint a = p[0]; p[1] = uchar(a + 1);\n"
          "out[i] = a | p[1] << 8 | p[2] << 16;");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], byteOf(i * 7) | (byteOf(i * 7) + 1 & 255) << 8 | byteOf(i * 7 + 2) << 16) << i;
}

TEST(VectorLoadGroups, IndicesThatWrap) {
  const auto out =
      run("uint k = (in[i] & 63) - 2; uint v = 0; for (uint j = 2; j < 6; ++j) v = v * 3 + in[k + j];\n"
          "out[i] = v;");
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t v = 0;
    for (uint32_t j = 2; j < 6; ++j)
      v = v * 3 + input((input(i) & 63) - 2 + j);
    ASSERT_EQ(out[i], v) << i;
  }
}

TEST(VectorLoadGroups, FaultsNameTheElement) {
  for (const char *body :
       {"const device uchar *p = (const device uchar *)in + i * 17; out[i] = p[0] + p[1] + p[2] + p[3];",
        "const device half *p = (const device half *)in + (i == 9 ? 509 : i); out[i] = uint(p[0] + p[1] + "
        "p[2] + p[3]);"})
    EXPECT_EQ(failure(body, Engine::Vector), failure(body, Engine::Fiber)) << body;
}

} // namespace assay::vector_test
