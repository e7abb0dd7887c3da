// Accesses that are not of one word at consecutive places: vectors, distances, and any addresses.
#include "both.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace assay::vector_test {
namespace {

constexpr Shape kOne{{32, 1, 1}, {32, 1, 1}}, kPartial{{45, 1, 1}, {64, 1, 1}};

// With all lanes, in some of them, and in simdgroups that lack some.
void everywhere(const std::string &body, const std::string &before = "") {
  SCOPED_TRACE(body);
  run(body, {}, before);
  run("if ((in[i] >> 3) % 3 != 0) {" + body + "}", {}, before);
  run("if (lane > 5 && lane < 29) {" + body + "}", kOne, before);
  run(body, kPartial, before);
}

} // namespace

TEST(VectorSharedMemory, VectorsOfEachType) {
  for (const char *type : {"char", "ushort", "half", "bfloat", "float", "int", "long"})
    for (const unsigned width : {2u, 3u, 4u})
      for (const char *form : {"", "packed_"}) {
        // Of 256 words each thread of 64 may have 16 bytes.
        const std::string name = fmt::format("{}{}{}", form, type, width),
                          limit = fmt::format("(sizeof({}) * 64 <= 1024 || i < 32)", name);
        everywhere(fmt::format("if {} {{ {} x = ((const device {} *)in)[i]; ((device {} *)out)[i] = x; }}",
                               limit, name, name, name));
      }
}

TEST(VectorSharedMemory, TheSameInThreadgroupMemory) {
  for (const char *type : {"uchar4", "half2", "half4", "float2", "float3", "float4"})
    everywhere(fmt::format("shared[t] = in[i]; shared[t + 64] = in[i + 64]; shared[t + 128] = ~in[i];\n"
                           "shared[t + 192] = in[i] * 3; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                           "{0} x = ((threadgroup {0} *)shared)[t ^ 1];\n"
                           "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                           "((threadgroup {0} *)shared)[63 - t] = x;\n"
                           "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                           "for (uint k = t; k < 256; k += 64) out[k] = shared[k];",
                           type));
}

TEST(VectorSharedMemory, ConstantDistances) {
  for (const char *index :
       {"lane / 4", "lane / 8 * 64 + lane % 8", "lane % 4", "lane * 2", "lane * 3 + 1", "lane * 7",
        "31 - lane", "lane ^ 5", "(lane & 3) * 8 + lane / 4", "lane / 16 * 100 + lane % 16 * 2", "lane & 24",
        "lane * 5 % 32", "lane * 8", "200 - lane / 2 * 6"})
    for (const char *type : {"uchar", "half", "uint"})
      everywhere(fmt::format("uint k = {}; out[i] = uint(((const device {} *)in)[k]) + in[(k + 3) & 255];",
                             index, type));
}

TEST(VectorSharedMemory, StoresAtConstantDistances) {
  for (const char *index : {"lane / 4", "lane / 8 * 64 + lane % 8", "lane * 2", "lane * 3 + 1", "31 - lane",
                            "lane ^ 5", "(lane & 3) * 8 + lane / 4", "lane / 16 * 100 + lane % 16 * 2",
                            "lane & 24", "lane * 8", "lane / 2 * 6 + lane % 2"})
    for (const char *type : {"uchar", "half", "uint"}) {
      const std::string body = fmt::format("((device {0} *)out)[{1}] = as_type<{2}>({3}(in[i] >> 8));", type,
                                           index, type, std::string(type) == "half" ? "ushort" : type);
      SCOPED_TRACE(body);
      run(body, kOne);
      run("if ((in[i] >> 3) % 3 != 0) {" + body + "}", kOne);
      run(body, {{19, 1, 1}, {32, 1, 1}});
    }
}

// Three bytes or words that are copied as a whole are one element of 24 or 48 bits. A register does not hold
// a power of two of them.
TEST(VectorSharedMemory, ThreeBytesAndThreeWords) {
  for (const std::string type : {"packed_uchar3", "packed_ushort3"})
    for (const char *index :
         {"lane * 2", "31 - lane", "lane / 4", "lane / 2 * 3 + lane % 2", "in[lane] % 32"}) {
      everywhere(fmt::format("{0} x = {0}(((const device {1} *)in)[{2}]);\n"
                             "out[i] = (x.x * 31u + x.y) * 31u + x.z;",
                             type.substr(7), type, index));
      const std::string store =
          fmt::format("{0} x = ((const device {0} *)in)[i];\n"
                      "((device {0} *)out)[{1}] = x.x & 4 ? x : ((const device {0} *)in)[1];",
                      type, index);
      SCOPED_TRACE(store);
      run(store, kOne);
      run("if ((in[i] >> 3) % 3 != 0) {" + store + "}", kOne);
    }
}

TEST(VectorSharedMemory, NeighboursOfThreeBytes) {
  everywhere("for (uint k = 0; k < 8; ++k) {\n"
             "  const uchar3 x = uchar3(((const device packed_uchar3 *)in)[lane * 8 + k]);\n"
             "  out[i] = (out[i] * 7 + x.x) ^ x.z;\n}");
}

TEST(VectorSharedMemory, TheLastLaneWins) {
  for (const char *type : {"uchar", "ushort", "uint", "ulong", "uchar2", "uchar4", "short3", "ushort4",
                           "uint2", "uint3", "uint4", "long4"})
    for (const char *index : {"lane / 3", "(in[lane] >> 9) % 8", "7 - lane % 8", "lane & 3", "sg + 2"}) {
      const std::string body =
          fmt::format("(({0} device *)out)[{1}] = {0}(in[i] >> 3) + {0}(lane);", type, index);
      SCOPED_TRACE(body);
      run(body, kOne);
      run("if (lane % 5 != 2) " + body, kOne);
    }
}

TEST(VectorSharedMemory, AnyAddresses) {
  for (const char *type :
       {"uchar", "uchar2", "uchar3", "uchar4", "half", "half2", "half4", "bfloat", "bfloat4", "uint",
        "float2", "float4", "ulong", "long2", "packed_short3", "packed_float3"})
    everywhere(fmt::format(
        "uint k = (in[i] >> 7) % (1024 / sizeof({0}));\n"
        "const device {0} *from = (const device {0} *)in + k;\n"
        "device {0} *to = (device {0} *)out + i % (1024 / sizeof({0})) * (in[0] + 1); *to = *from;",
        type));
}

TEST(VectorSharedMemory, AVectorIndexThatWraps) {
  everywhere(
      "uint k = in[0] - 16u + lane; if (k < 16u) ((device uint2 *)out)[i] = ((const device uint2 *)in)[k];\n"
      "else out[i] = in[i];");
}

TEST(VectorSharedMemory, PointersAndBools) {
  everywhere("const device bool *b = (const device bool *)in; out[i] = b[lane * 4 & 124] + b[i];\n"
             "((device bool *)(out + 128))[i * 2] = in[i] > 0x70000000u;");
}

TEST(VectorSharedMemory, LanesOfASpanOfManyPages) {
  everywhere(
      "uint k = (lane >> 4) * 240 + (lane & 1); out[i] = in[k] + ((const device uchar *)in)[k * 4 + 1];");
}

} // namespace assay::vector_test
