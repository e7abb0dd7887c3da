// Making vectors, logic, common functions and geometry: exact small numbers, and what Apple's pages say of
// the edges. What C computes of the same is at the end.
#include <climits>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <simd/simd.h>
#include <type_traits>

extern "C" void simdInC(double *out);

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(SimdMake, ConcatenatesInEveryOrder) {
  const simd_int2 ab = {1, 2}, cd = {3, 4};
  const simd_int4 all = {1, 2, 3, 4};
  EXPECT_TRUE(simd_equal(simd_make_int4(1, 2, 3, 4), all));
  EXPECT_TRUE(simd_equal(simd_make_int4(ab, 3, 4), all));
  EXPECT_TRUE(simd_equal(simd_make_int4(1, (simd_int2){2, 3}, 4), all));
  EXPECT_TRUE(simd_equal(simd_make_int4(1, 2, cd), all));
  EXPECT_TRUE(simd_equal(simd_make_int4(ab, cd), all));
  EXPECT_TRUE(simd_equal(simd_make_int4(all.xyz, 4), all));
  EXPECT_TRUE(simd_equal(simd_make_int4(1, all.yzw), all));
  EXPECT_TRUE(simd_equal(simd_make_int3(ab, 3), all.xyz));
  EXPECT_TRUE(simd_equal(simd_make_int3(1, all.yz), all.xyz));
  EXPECT_TRUE(simd_equal(simd_make_int8(all, all).hi, all));
  EXPECT_TRUE(simd_equal(simd_make_char64(simd_make_char32((char)1), (simd_char32)2).hi, (simd_char32)2));
}

TEST(SimdMake, ExtendsWithZerosAndTruncates) {
  const simd_float8 eight = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_TRUE(simd_equal(simd_make_float3(eight), (simd_float3){1, 2, 3}));
  EXPECT_TRUE(simd_equal(simd_make_float16(eight).lo, eight));
  EXPECT_TRUE(simd_equal(simd_make_float16(eight).hi, (simd_float8)0));
  EXPECT_TRUE(simd_equal(simd_make_float4(5.0f), (simd_float4){5, 0, 0, 0}));
  EXPECT_TRUE(simd_equal(simd_make_float4_undef(eight.xyz).xyz, eight.xyz));
  EXPECT_TRUE(simd_equal(simd::make<simd::float4>(eight.xy, 9.0f, 8.0f), (simd_float4){1, 2, 9, 8}));
  EXPECT_TRUE(simd_equal(simd::make<simd::double2>(simd_double4{1, 2, 3, 4}), (simd_double2){1, 2}));
  EXPECT_EQ(simd::make_undef<simd::short8>(short(4))[0], 4);
}

TEST(SimdMake, KnowsTheTraitsOfATypeAndTheTypeOfTraits) {
  EXPECT_EQ(simd::traits<simd::float3>::count, 3u);
  EXPECT_TRUE((std::is_same_v<simd::traits<simd::ushort16>::scalar_t, unsigned short>));
  EXPECT_TRUE((std::is_same_v<simd::Vector<long, 4>::type, simd_long4>));
  EXPECT_EQ(alignof(simd::Vector<double, 8>::packed_t), 8u);
  EXPECT_EQ(simd::make<simd::float1>(2.5f), 2.5f);
}

TEST(SimdLogic, ComparisonsGiveMinusOne) {
  const simd_int4 less = (simd_float4){1, 5, kNan, -0.0f} < (simd_float4){2, 2, 2, 0};
  EXPECT_TRUE(simd_equal(less, (simd_int4){-1, 0, 0, 0}));
  const simd_long2 wide = (simd_double2){1, 2} == (simd_double2){1, 3};
  EXPECT_TRUE(simd_equal(wide, (simd_long2){-1, 0}));
}

TEST(SimdLogic, AnyAndAllLookAtTheHighestBit) {
  EXPECT_TRUE(simd_any((simd_int4){0, 0, INT_MIN, 0}));
  EXPECT_FALSE(simd_any((simd_int4){1, 2, INT_MAX, 0}));
  EXPECT_TRUE(simd_all((simd_uchar3){128, 255, 200}));
  EXPECT_FALSE(simd_all((simd_uchar3){128, 255, 127}));
  EXPECT_TRUE(simd::any((simd_ulong8)(1UL << 63)));
  EXPECT_FALSE(simd::all((simd_short32)32767));
  EXPECT_TRUE(simd::all(simd_float3{1, 2, 3} > 0.5f));
}

TEST(SimdLogic, SelectsByTheHighestBitAndByEveryBit) {
  const simd_float4 x = {1, 2, 3, 4}, y = {-1, -2, -3, -4};
  EXPECT_TRUE(simd_equal(simd_select(x, y, (simd_int4){-1, 0, 1, INT_MIN}), (simd_float4){-1, 2, 3, -4}));
  EXPECT_TRUE(simd_equal(simd_bitselect((simd_uint2)0xAAAAAAAAu, (simd_uint2)0x55555555u, (simd_int2)0xFFFF),
                         (simd_uint2)0xAAAA5555u));
  const simd_double2 both = simd_bitselect((simd_double2){1, 2}, (simd_double2){3, 4}, (simd_long2){-1, 0});
  EXPECT_TRUE(simd_equal(both, (simd_double2){3, 2}));
  const simd_half3 halves = simd::select(simd_half3{1, 2, 3}, simd_half3{4, 5, 6}, simd_short3{0, -1, 0});
  EXPECT_TRUE(simd_equal(halves, (simd_half3){1, 5, 3}));
}

TEST(SimdCommon, MinimumAndMaximumLeaveNansOut) {
  const simd_float4 x = {1, kNan, 3, kNan}, y = {2, 5, kNan, kNan};
  EXPECT_TRUE(simd_equal(simd_min(x, y).xyz, (simd_float3){1, 5, 3}));
  EXPECT_TRUE(simd_equal(simd_max(x, y).xyz, (simd_float3){2, 5, 3}));
  EXPECT_TRUE(std::isnan(simd_max(x, y).w));
  EXPECT_EQ(simd_min(simd_uchar2{200, 3}, simd_uchar2{100, 4}).x, 100); // as unsigned numbers
  EXPECT_EQ(simd_max(simd_char2{-56, 3}, simd_char2{100, 4}).x, 100);
  EXPECT_EQ(simd_max(2.0, 3.0), 3.0);
  EXPECT_TRUE(simd_equal(simd::max(simd_float2{-1, 1}, 0), (simd_float2){0, 1}));
  EXPECT_TRUE(simd_equal(simd_clamp(simd_int3{-5, 5, 50}, (simd_int3)0, (simd_int3)9), (simd_int3){0, 5, 9}));
  EXPECT_TRUE(simd_equal(simd::clamp(simd_half2{-2, 2}, -1, 1), (simd_half2){-1, 1}));
}

TEST(SimdCommon, AbsoluteValuesAndSigns) {
  EXPECT_TRUE(simd_equal(simd_abs(simd_int2{INT_MIN, -7}), (simd_int2){INT_MIN, 7}));
  EXPECT_TRUE(simd_equal(simd_abs(simd_half2{-1.5f16, 2}), (simd_half2){1.5f16, 2}));
  EXPECT_FALSE(std::signbit(simd_abs(simd_double2{-0.0, 1}).x));
  EXPECT_TRUE(simd_equal(simd_sign(simd_float4{-3, 0, kNan, kInfinity}), (simd_float4){-1, 0, 0, 1}));
}

TEST(SimdCommon, InterpolatesAndSteps) {
  EXPECT_TRUE(simd_equal(simd_mix(simd_float2{0, 10}, simd_float2{4, 20}, simd_float2{0.25f, 0.5f}),
                         (simd_float2){1, 15}));
  EXPECT_TRUE(simd_equal(simd::lerp(simd_double2{1, 2}, simd_double2{3, 4}, 0.5), (simd_double2){2, 3}));
  EXPECT_TRUE(simd_equal(simd_step((simd_float3)2, simd_float3{1, 2, 3}), (simd_float3){0, 1, 1}));
  EXPECT_TRUE(simd_equal(simd::step(2, simd_float3{1, 2, 3}), (simd_float3){0, 1, 1}));
  // 3 t^2 - 2 t^3 at 0, 1/4, 1/2 and beyond 1
  EXPECT_TRUE(simd_equal(simd_smoothstep((simd_float4)2, (simd_float4)6, simd_float4{1, 3, 4, 9}),
                         (simd_float4){0, 0.15625f, 0.5f, 1}));
  EXPECT_EQ(simd_smoothstep(0.0, 1.0, 0.5), 0.5);
}

TEST(SimdCommon, FractionsAndReciprocals) {
  EXPECT_TRUE(simd_equal(simd_fract(simd_float2{1.25f, -0.25f}), (simd_float2){0.25f, 0.75f}));
  EXPECT_EQ(simd_fract(-1e-20f), 0x1.fffffep-1f); // the difference would round to 1
  EXPECT_EQ(simd_fract(simd_double2{-1e-40, 0}).x, 0x1.fffffffffffffp-1);
  EXPECT_EQ(simd_fract(simd_half2{-0x1p-24f16, 0}).x, 0x1.ffcp-1f16);
  EXPECT_TRUE(simd_equal(simd_recip(simd_float2{4, -0.5f}), (simd_float2){0.25f, -2}));
  EXPECT_TRUE(simd_equal(simd::fast::rsqrt(simd_double2{4, 16}), (simd_double2){0.5, 0.25}));
  EXPECT_EQ(simd::precise::rsqrt(simd_float2{0.25f, 1}).x, 2);
}

TEST(SimdCommon, ReducesVectorsOfEachLength) {
  EXPECT_EQ(simd_reduce_add(simd_int3{1, 2, 4}), 7);
  EXPECT_EQ(simd_reduce_add((simd_char64)3), char(192)); // modulo 256
  EXPECT_EQ(simd_reduce_max(simd_uint4{1, UINT_MAX, 3, 4}), UINT_MAX);
  EXPECT_EQ(simd_reduce_min(simd_short8{1, 2, -3, 4, 5, -6, 7, 8}), -6);
  EXPECT_EQ(simd_reduce_max(simd_float3{kNan, -2, -3}), -2);
  EXPECT_EQ(simd::reduce_add((simd_half32)0.5f16), 16);
  // by halves: (2^53 + 1) rounds to 2^53 twice, and 1 + 1 does not come before
  EXPECT_EQ(simd_reduce_add(simd_double4{0x1p53, 1, 1, 0}), 0x1p53);
  EXPECT_EQ(simd_reduce_add(simd_double4{0x1p53, 1, 0, 1}), 0x1p53 + 2);
  EXPECT_FALSE(simd_equal(simd_float2{kNan, 1}, simd_float2{kNan, 1}));
}

TEST(SimdGeometry, ProductsAndLengths) {
  const simd_double3 x = {1, 2, 3}, y = {4, -5, 6};
  EXPECT_EQ(simd_dot(x, y), 12);
  EXPECT_TRUE(simd_equal(simd_cross(x, y), (simd_double3){27, 6, -13}));
  EXPECT_TRUE(simd_equal(simd_cross(x.xy, y.xy), (simd_double3){0, 0, -13}));
  EXPECT_EQ(simd_length(simd_float4{2, 4, 5, 6}), 9);
  EXPECT_EQ(simd_length_squared((simd_float16)2), 64);
  EXPECT_EQ(simd_distance(simd_float2{1, 1}, simd_float2{4, 5}), 5);
  EXPECT_EQ(simd::distance_squared(simd_float2{1, 1}, simd_float2{4, 5}), 25);
  EXPECT_EQ(simd_norm_one(x - y), 13);
  EXPECT_EQ(simd_norm_inf(x - y), 7);
  EXPECT_EQ(simd::fast::length(simd_half2{3, 4}), 5);
}

TEST(SimdGeometry, DirectionsProjectionsAndReflections) {
  EXPECT_TRUE(simd_equal(simd_normalize(simd_float2{0, -8}), (simd_float2){0, -1}));
  EXPECT_NEAR(simd_length(simd_normalize(simd_double3{1, 2, 3})), 1, 1e-15);
  EXPECT_TRUE(simd_equal(simd_project(simd_float2{3, 4}, simd_float2{2, 0}), (simd_float2){3, 0}));
  EXPECT_TRUE(simd_equal(simd_reflect(simd_float3{1, -2, 0}, simd_float3{0, 1, 0}), (simd_float3){1, 2, 0}));
  // sin(60) = sqrt(3) sin(30): the refracted ray has half the angle
  const double root = std::sqrt(3.0);
  const simd_double2 in = {root / 2, -0.5}, normal = {0, 1};
  const simd_double2 out = simd_refract(in, normal, 1 / root);
  EXPECT_NEAR(out.x, 0.5, 1e-15);
  EXPECT_NEAR(out.y, -root / 2, 1e-15);
  EXPECT_TRUE(simd_equal(simd::refract(in, normal, 2.0), (simd_double2)0)); // total reflection
}

TEST(SimdInC, OverloadsTypesAndNamesWork) {
  const double expected[] = {13, 38, 4, 4, 4, 9, 156, 1, 1, -1, 1, -4, 255, 7, -2, 1, 1000};
  double computed[18] = {};
  simdInC(computed);
  for (size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(computed[i], expected[i]) << i;
  EXPECT_NEAR(computed[17], 1, 1e-15);
}

} // namespace
