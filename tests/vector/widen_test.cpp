// Instructions of every kind on 32 lanes.
#include "both.h"

#include <gtest/gtest.h>

namespace assay::vector_test {

TEST(VectorWiden, IntegersOfAllSizes) {
  run("char a = char(in[i]); uchar b = uchar(in[i] >> 8); short c = short(in[i] >> 3); long d = long(in[i]) "
      "<< 7;\n"
      "ulong e = ulong(in[i]) * in[i + 1]; out[i] = uint(a / char(b | 1)) + uint(c % 7) + uint(d >> 5) + "
      "uint(e >> 32)\n"
      "  + popcount(in[i]) + clz(in[i]) + reverse_bits(in[i]) + mulhi(in[i], in[i + 2]) + rotate(in[i], "
      "lane)\n"
      "  + madsat(in[i], 3u, 9u) + absdiff(in[i], in[i + 3]) + extract_bits(in[i], lane & 15, 4u);");
}

TEST(VectorWiden, DivisorsOfAbsentLanesDoNotTrap) {
  const auto out = run("uint d = lane & 3; uint q = 5; if (d != 0) q = in[i] / d + in[i] % d; out[i] = q;");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], i & 3 ? input(i) / (i & 3) + input(i) % (i & 3) : 5) << i;
}

TEST(VectorWiden, FloatsHalvesAndBfloats) {
  run("float x = as_type<float>(in[i]); half h = half(float(lane) * 0.3f - 4); bfloat z = bfloat(x);\n"
      "out[i] = as_type<uint>(fma(x, 3.0f, float(h))) ^ as_type<ushort>(h * h + half(0.1h)) ^\n"
      "  (uint(as_type<ushort>(z * bfloat(3.0f))) << 16) ^ as_type<uint>(sqrt(fabs(x))) ^ uint(int(x)) ^\n"
      "  as_type<uint>(exp2(float(h))) ^ as_type<uint>(min(x, 2.0f) + clamp(x, -1.0f, 1.0f)) ^\n"
      "  as_type<uint>(rint(x)) ^ as_type<uint>(sin(float(h))) ^ as_type<ushort>(-h);");
}

TEST(VectorWiden, SubnormalsThatAreConstantsOfLanes) {
  for (const char *value :
       {"f + f", "f * 1.0f", "f * 0.5f + 0.0f", "f - as_type<float>(in[0])", "fma(f, 1.0f, f)",
        "f == 0.0f ? 1.0f : 2.0f", "f > 0.0f ? f : 3.0f", "float(half(f)) * 2.0f",
        "lane & 1 ? f : f + 1e-44f", "lane & 1 ? f : f * 3.0f", "max(f, 1e-45f) * 2.0f",
        "float(lane) * 1e-44f", "sqrt(f)", "1.0f / f", "-f * 2.0f", "simd_sum(f)"})
    run(std::string(
            "float f = as_type<float>(lane == 9 ? 0x3f800000u : 5u + lane * 3u); out[i] = as_type<uint>(") +
        value + ");");
}

TEST(VectorWiden, NansThatAreConstantsOfLanes) {
  for (const char *value :
       {"f * 3.0f", "f + 1.0f", "simd_product(f)", "-f * 2.0f", "max(f, 2.0f)", "sqrt(f)"})
    run(std::string("float f = as_type<float>(lane == 9 ? 0xffc12345u : 0x3f800000u + lane);\n"
                    "out[i] = as_type<uint>(") +
        value + ");");
}

TEST(VectorWiden, NansAndSubnormals) {
  run("uint bits = lane < 8 ? 0x7fc00001u + lane : lane < 16 ? lane : lane < 24 ? 0x80000000u | lane : "
      "0xff800000u;\n"
      "float x = as_type<float>(bits); out[i] = as_type<uint>(x * 2.0f + 1.0f); out[i + 64] = "
      "as_type<uint>(-x);\n"
      "out[i + 128] = (x == 0.0f ? 1 : 0) + (x < 1.0f ? 2 : 0) + as_type<uint>(max(x, -x) + x);");
}

TEST(VectorWiden, VectorsOfTheKernel) {
  run("uint4 v = uint4(in[i], in[i + 1], lane, 7); float3 f = float3(v.xyz) * 0.5f; bool4 b = v > v.yzwx;\n"
      "v = select(v, v.wzyx, b); v[lane & 3] = 99; half4 h = half4(float4(f, 1.0f) * 1e-4f);\n"
      "out[i] = dot(f, f) > 1 ? v.x + v[in[i] & 3] : as_type<uint>(h.xy) ^ uint(any(b)) ^ "
      "as_type<uint2>(h).y;");
}

TEST(VectorWiden, AnyAndAllOfBooleansThatAreComputed) {
  const auto out =
      run("bool3 a = bool3(in[i] & 1, in[i] & 2, in[i] & 4), b = bool3(in[i + 1] & 1, in[i + 1] & 2, "
          "in[i + 1] & 4);\n"
          "out[i] = uint(any(a && b)) + 2 * uint(all(a || b)) + 4 * uint(any(a != b));");
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t a = input(i) & 7, b = input(i + 1) & 7;
    ASSERT_EQ(out[i], ((a & b) != 0) + 2 * ((a | b) == 7) + 4 * (a != b)) << i;
  }
}

TEST(VectorWiden, Overflow) {
  run("uint a = in[i], b = in[i + 9]; out[i] = addsat(a, b) ^ subsat(a, b) ^ uint(addsat(int(a), int(b)));");
}

} // namespace assay::vector_test
