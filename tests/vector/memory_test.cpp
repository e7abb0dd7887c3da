// Accesses: consecutive, at fixed distances, anywhere, and one for all.
#include "both.h"

#include <gtest/gtest.h>

#include <regex>

namespace assay::vector_test {

TEST(VectorMemory, ConsecutiveAndStridedAndAnywhere) {
  const auto out = run("out[i] = in[i] + in[i * 3] + in[(i * 37) & 255] + in[7];");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], input(i) + input(i * 3) + input(i * 37 & 255) + input(7)) << i;
}

TEST(VectorMemory, AnIndexThatWrapsIsNotConsecutive) {
  // 2^32 - 16 + lane: lanes from 16 on begin anew at 0.
  const auto out = run("uint base = in[0] - 16u; uint k = base + lane;\n"
                       "if (k < 16u) out[i] = in[k]; else out[i] = k;");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], i % 32 < 16 ? 0xfffffff0u + i % 32 : input(i % 32 - 16)) << i;
}

TEST(VectorMemory, SmallTypesAndVectors) {
  const auto out = run("const device uchar *bytes = (const device uchar *)in;\n"
                       "const device half *halves = (const device half *)in;\n"
                       "uint4 four = ((const device uint4 *)in)[i & 15];\n"
                       "packed_short3 three = ((const device packed_short3 *)in)[i & 31];\n"
                       "out[i] = bytes[i * 3] + as_type<ushort>(halves[i]) * 256u + four.z * 5 + four.x +\n"
                       "  uint(three.y); ((device ushort *)(out + 64))[i] = ushort(four.w);\n"
                       "((device uint2 *)(out + 128))[i] = four.yw;");
  EXPECT_EQ(out[128], input(1));
}

TEST(VectorMemory, TheLastLaneWins) {
  const auto out = run("out[0] = lane + 100 * sg; out[1 + (lane & 3)] = lane; if (lane < 9) out[9] = i;",
                       {{32, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(out[0], 31u);
  for (uint32_t k = 0; k < 4; ++k)
    ASSERT_EQ(out[1 + k], 28 + k);
  EXPECT_EQ(out[9], 8u);
}

// All lanes in one buffer; some lanes, in different buffers.
void runRows(const std::string &array, const std::string &row) {
  const std::string rows = array + " row[16];\n" +
                           "for (uint k = 0; k < in[0] % 7 + 4; ++k)\n"
                           "  row[k] = (" +
                           array + ")(k & 1 ? in + k : out + 128 + k);\n";
  run(rows +
      "out[128 + i] = i; uint v = 0;\n"
      "for (uint k = 1; k < in[0] % 7 + 4; k += 2) v += " +
      row + "[k])[i]; out[i] = v;");
  run(rows +
      "out[128 + i] = i; uint v = 7; simdgroup_barrier(mem_flags::mem_device);\n"
      "if (lane % 3) v = " +
      row + "[lane & 3])[lane]; out[i] = v;");
}

TEST(VectorMemory, PointersOfUnknownOrigin) {
  runRows("ulong", "((const device uint *)row");
}

TEST(VectorMemory, PointersIntoOneOfTwoBuffers) {
  runRows("const device uint *", "(row");
}

TEST(VectorMemory, PointersToThreadgroupVariablesInAConstantArray) {
  const std::string body = "threadgroup uint a[64], b[64];\n"
                           "threadgroup uint *both[2] = {a, b};\n"
                           "a[i] = i; b[i] = 1000 + i;\n"
                           "threadgroup_barrier(mem_flags::mem_threadgroup);\n";
  const auto out = run(body + "out[i] = both[in[i] & 1][63 - i];");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], (input(i) & 1) * 1000 + 63 - i) << i;
  const std::string fault = failure(body + "out[i] = both[1][i + 64];", Engine::Vector);
  EXPECT_NE(fault.find("b"), std::string::npos) << fault;
}

TEST(VectorMemory, PointersOutOfAnArrayThatLeaveTheirBuffer) {
  const std::string body = "const device uint *row[16];\n"
                           "for (uint k = 0; k < in[0] % 7 + 4; ++k) row[k] = in + k * 3;\n"
                           "out[i] = row[in[1] & 3][i + (i == 45 ? 1u << 30 : 0u)] + row[in[2] & 3][i];";
  // Without the address, which is another one in each run.
  const auto failed = [](const std::string &source, Engine engine) {
    return std::regex_replace(failure(source, engine), std::regex("0x[0-9a-f]{4,}"), "ADDRESS");
  };
  const std::string fault = failed(body, Engine::Vector);
  EXPECT_EQ(fault, failed(body, Engine::Fiber));
  EXPECT_NE(fault.find("lane 13"), std::string::npos) << fault;
  EXPECT_NE(fault.find("read of 4 bytes at address"), std::string::npos) << fault;
  const std::string unset = "const device uint *row[16]; row[in[1] & 3] = in;\n"
                            "out[i] = row[(in[1] & 3) + (i == 37)][i];";
  EXPECT_EQ(failed(unset, Engine::Vector), failed(unset, Engine::Fiber));
  EXPECT_NE(failure(unset, Engine::Vector).find("a null pointer"), std::string::npos);
}

// The index of the last round is used again after the loop, where all lanes are asked for it.
TEST(VectorMemory, AnIndexOutOfALoop) {
  const std::string body = "const uint self = (grid.z * size.y + grid.y) * size.x + grid.x;\n"
                           "uint r = 0;\n"
                           "do {\n"
                           "  for (uint k = 0; k < 2; ++k) {\n"
                           "    out[k * (size.x * size.y * size.z) + self] = in[0] + k;\n"
                           "    out[k * (size.x * size.y * size.z) + self] ^= 5;\n"
                           "  }\n"
                           "} while (++r < (in[1] & 3));\n"
                           "((device packed_uint4 *)(out + 72))[self] = packed_uint4(7, self, 9, in[self]);";
  run(body, {{32, 1, 1}, {32, 1, 1}});
  run(body, {{3, 2, 5}, {3, 2, 5}});
}

} // namespace assay::vector_test
