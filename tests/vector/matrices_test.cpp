// Products of matrices of random bits: numbers, NaNs, infinities and subnormals.
#include "both.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace assay::vector_test {
namespace {

struct Bits {
  const char *type, *word, *make;
};

// `make` turns a random word x into the bits of an element.
const Bits kBits[] = {
    {"half", "ushort", "x"},
    {"half", "ushort", "x & 0xbfff"},
    {"half", "ushort", "x & 0x8fff | 0x2000"},
    {"half", "ushort", "x & 0x83ff"},
    {"half", "ushort", "(x & 1) ? (x & 0x87ff) : (x & 0xbfff | 0x3800)"},
    {"half", "ushort", "x & 0x8003 | 0x3c00"},
    {"half", "ushort", "(x & 0x700) ? (x & 0xb3ff) : 0x7c00 | (x & 0x8001)"},
    {"bfloat", "ushort", "x"},
    {"bfloat", "ushort", "x & 0x807f | 0x3f80"},
    {"bfloat", "ushort", "x & 0x80ff"},
    {"bfloat", "ushort", "(x & 0x600) ? (x & 0x81ff | 0x3e00) : 0x7f80 | (x & 0x8001)"},
    {"float", "uint", "x * 65537u"},
    {"float", "uint", "x * 65537u & 0x807fffffu | 0x3f800000u"},
    {"float", "uint", "x * 65537u & 0x80ffffffu"},
};

} // namespace

TEST(VectorMatrices, OfAllBits) {
  for (const Bits &bits : kBits)
    for (const char *product : {"simdgroup_multiply_accumulate(d, a, b, c)", "simdgroup_multiply(d, a, b)"})
      for (const unsigned salt : {1u, 77u, 3000u}) {
        SCOPED_TRACE(fmt::format("{} {} {} {}", bits.type, bits.make, product, salt));
        const std::string body = fmt::format(
            "threadgroup {1} *m = (threadgroup {1} *)shared;\n"
            "for (uint k = t; k < 192; k += 32) {{\n"
            "  uint x = (in[(k + {4}) & 255] ^ (k * 747796405u + {4}u)) * 2891336453u; x = (x >> 13 ^ x >> "
            "3);\n"
            "  x &= 0xffffu; m[k] = {1}({2});\n"
            "}}\n"
            "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
            "simdgroup_matrix<{0}, 8, 8> a, b, c, d; threadgroup {0} *e = (threadgroup {0} *)shared;\n"
            "simdgroup_load(a, e, 8); simdgroup_load(b, e + 64, 8); simdgroup_load(c, e + 128, 8);\n"
            "{3}; simdgroup_store(d, (device {0} *)out, 8);\n"
            "simdgroup_multiply_accumulate(d, d, b, c); simdgroup_store(d, (device {0} *)out + 64, 8);",
            bits.type, bits.word, bits.make, product, salt);
        run(body, {{32, 1, 1}, {32, 1, 1}}, "#include <metal_simdgroup_matrix>");
      }
}

} // namespace assay::vector_test
