// Operations between lanes, with all of them and with some.
#include "both.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace assay::vector_test {
namespace {

// With all lanes, with some of them, and in a simdgroup that lacks some.
void everywhere(const std::string &expression) {
  SCOPED_TRACE(expression);
  const std::string values =
      "uint u = in[i]; float f = as_type<float>(0x3f000000u | (in[i] & 0x8fffffffu));\n"
      "half h = half(f); short s = short(u);\n"
      "(void)u, (void)f, (void)h, (void)s;\n";
  run(values + "out[i] = uint(" + expression + ");");
  run(values + "if ((in[i] >> 3) % 3 != 0) out[i] = uint(" + expression + "); else out[i + 128] = uint(" +
      expression + ");");
  run(values + "out[i] = uint(" + expression + ");", {{45, 1, 1}, {64, 1, 1}});
}

} // namespace

TEST(VectorSimd, Reductions) {
  for (const char *type : {"u", "as_type<int>(u)", "s", "uchar(u)"})
    for (const char *op : {"sum", "product", "min", "max", "and", "or", "xor"})
      everywhere("simd_" + std::string(op) + "(" + type + ")");
  for (const char *op : {"sum", "product", "min", "max"}) {
    everywhere("as_type<uint>(simd_" + std::string(op) + "(f))");
    everywhere("as_type<ushort>(simd_" + std::string(op) + "(h))");
  }
}

TEST(VectorSimd, ExtremaOfNansAndSubnormals) {
  for (const char *op : {"min", "max"})
    for (const char *bits : {"0x7fc00001u + lane", "lane", "0x80000000u + lane",
                             "lane == 5 ? 3u : 0xffc00000u", "lane & 1 ? 0x80000000u : 0u"})
      everywhere("as_type<uint>(simd_" + std::string(op) + "(as_type<float>(" + bits + ")))");
}

TEST(VectorSimd, Permutations) {
  for (const char *call :
       {"simd_broadcast(u, 5)", "simd_broadcast_first(u)", "simd_shuffle(u, ushort(lane * 7 & 31))",
        "simd_shuffle_xor(u, 3)", "simd_shuffle_up(u, 2)", "simd_shuffle_down(u, 9)",
        "simd_shuffle_rotate_up(u, 5)", "simd_shuffle_rotate_down(u, 30)",
        "simd_shuffle_and_fill_up(u, u + 1, ushort(3))", "simd_shuffle_xor(u, ushort(group + 4))",
        "quad_shuffle_xor(u, 1)", "quad_broadcast(u, 2)", "quad_shuffle(u, ushort(u & 3))",
        "simd_shuffle_up(u, ushort(sg + 1))", "simd_shuffle_down(s, ushort(u & 15))",
        "as_type<ushort>(simd_shuffle(h, 4))", "simd_shuffle(uint2(u, lane), 9).y"})
    everywhere(call);
}

TEST(VectorSimd, VotesAndScans) {
  for (const char *call :
       {"uint(ulong(simd_vote::vote_t(simd_ballot((u & 1) != 0))))", "simd_all(u != 7)",
        "simd_any(u == in[3])", "simd_prefix_inclusive_sum(u)", "as_type<uint>(simd_prefix_exclusive_sum(f))",
        "quad_sum(u)", "as_type<uint>(quad_max(f))", "simd_is_first()",
        "uint(ulong(simd_vote::vote_t(simd_active_threads_mask())))"})
    everywhere(call);
}

TEST(VectorSimd, ScansAndQuadsOfEachType) {
  for (const char *scan : {"prefix_inclusive", "prefix_exclusive"})
    for (const char *op : {"sum", "product"})
      for (const char *call :
           {"simd_{0}_{1}(u)", "simd_{0}_{1}(uchar(u))", "as_type<uint>(simd_{0}_{1}(f))",
            "as_type<ushort>(simd_{0}_{1}(h))", "as_type<uint>(quad_{0}_{1}(f))", "quad_{0}_{1}(s)"})
        everywhere(fmt::format(fmt::runtime(call), scan, op));
  for (const char *op : {"sum", "product", "min", "max"}) {
    everywhere(fmt::format("quad_{}(u)", op));
    everywhere(fmt::format("quad_{}(s)", op));
    everywhere(fmt::format("as_type<uint>(quad_{}(f))", op));
  }
  for (const char *op : {"and", "or", "xor"})
    everywhere(fmt::format("quad_{}(u)", op));
  for (const char *call :
       {"quad_shuffle_and_fill_up(u, u + 1, ushort(1))", "quad_shuffle_and_fill_down(s, short(7), ushort(1))",
        "simd_shuffle_and_fill_down(u, u * 3, ushort(5))", "quad_all(u != 7)", "quad_is_first()",
        "uint(ushort(quad_vote::vote_t(quad_ballot((u & 1) != 0))))", "quad_broadcast_first(u)"})
    everywhere(call);
}

TEST(VectorSimd, ScansOfNansAndSubnormals) {
  for (const char *call :
       {"simd_prefix_inclusive_sum", "simd_prefix_exclusive_sum", "simd_prefix_inclusive_product",
        "quad_prefix_exclusive_sum", "quad_sum", "simd_sum", "simd_product"})
    for (const char *bits : {"lane == 0 ? 0x7f800001u : lane", "lane + 5 * lane * lane", "0x80000000u",
                             "lane == 9 ? 0xffc12345u : 0x3f800000u", "lane > 20 ? 0x00400000u : 0x80000001u",
                             "lane == 3 ? 0x7f800000u : lane == 7 ? 0xff800000u : 0x00800000u"})
      everywhere(fmt::format("as_type<uint>({}(as_type<float>(({}) ^ in[0])))", call, bits));
}

TEST(VectorSimd, AScanThatReadsLanesThatTakeNoPart) {
  const auto out =
      run("uint x = 1; for (ushort d = 1; d < 32; d *= 2) if (lane >= d) x += simd_shuffle_up(x, d);\n"
          "out[i] = x;");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], i % 32 + 1) << i;
}

TEST(VectorSimd, MatrixProducts) {
  const std::string before = "#include <metal_simdgroup_matrix>";
  for (const char *type : {"float", "half", "bfloat"})
    run("threadgroup " + std::string(type) + " *m = (threadgroup " + type +
            " *)shared;\n"
            "for (uint k = t; k < 128; k += 64) m[k] = " +
            type +
            "(float(in[k] >> 20) * 0.001f - 1.5f);\n"
            "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
            "simdgroup_matrix<" +
            type + ", 8, 8> a, b, c = make_filled_simdgroup_matrix<" + type +
            ", 8, 8>(0.25f);\n"
            "simdgroup_load(a, m, 8); simdgroup_load(b, m + 64, 8); simdgroup_multiply_accumulate(c, a, b, "
            "c);\n"
            "simdgroup_multiply(a, c, b); simdgroup_barrier(mem_flags::mem_none);\n"
            "if (sg == 0) simdgroup_store(a, (device " +
            type + " *)out, 8);",
        {}, before);
}

} // namespace assay::vector_test
