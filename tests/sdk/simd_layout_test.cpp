// Sizes and alignments, from what Apple publishes: a vector of three is as long as one of four; up to 16
// bytes it is aligned to its length, and beyond to 16; packed vectors are aligned as their elements; a matrix
// is its columns, one after the other.
#include <cstddef>
#include <gmock/gmock.h>
#include <simd/simd.h>
#include <string>
#include <type_traits>
#include <vector>

namespace {

struct Layout {
  std::string name;
  size_t size, alignment, offset;
};
#define LAYOUT(type)                                                                                         \
  struct After_##type {                                                                                      \
    char before;                                                                                             \
    type value;                                                                                              \
  };
#define ROW(type) Layout{#type, sizeof(type), alignof(type), offsetof(After_##type, value)},

#define VECTORS_8(M, name) M(simd_##name##2) M(simd_##name##3) M(simd_##name##4) M(simd_##name##8)
#define VECTORS_16(M, name) VECTORS_8(M, name) M(simd_##name##16)
#define VECTORS_32(M, name) VECTORS_16(M, name) M(simd_##name##32)
#define VECTORS_64(M, name) VECTORS_32(M, name) M(simd_##name##64)
#define PACKED_8(M, name) M(simd_packed_##name##2) M(simd_packed_##name##4) M(simd_packed_##name##8)
#define MATRICES(M, name)                                                                                    \
  M(name##2x2)                                                                                               \
  M(name##2x3) M(name##2x4) M(name##3x2) M(name##3x3) M(name##3x4) M(name##4x2) M(name##4x3) M(name##4x4)
#define TYPES(M)                                                                                             \
  VECTORS_64(M, char)                                                                                        \
  VECTORS_32(M, short)                                                                                       \
  VECTORS_32(M, half)                                                                                        \
  VECTORS_16(M, int)                                                                                         \
  VECTORS_16(M, float)                                                                                       \
  VECTORS_8(M, long)                                                                                         \
  VECTORS_8(M, double)                                                                                       \
  PACKED_8(M, char)                                                                                          \
  PACKED_8(M, half)                                                                                          \
  PACKED_8(M, float)                                                                                         \
  PACKED_8(M, double)                                                                                        \
  MATRICES(M, simd_half)                                                                                     \
  MATRICES(M, simd_float)                                                                                    \
  MATRICES(M, matrix_double)                                                                                 \
  M(simd_quath)                                                                                              \
  M(simd_quatf)                                                                                              \
  M(simd_quatd)
TYPES(LAYOUT)

// Size and alignment, in the order of TYPES.
const size_t kPublished[][2] = {
    {2, 2},   {4, 4},   {4, 4},   {8, 8},   {16, 16}, {32, 16}, {64, 16},                       // char
    {4, 4},   {8, 8},   {8, 8},   {16, 16}, {32, 16}, {64, 16},                                 // short
    {4, 4},   {8, 8},   {8, 8},   {16, 16}, {32, 16}, {64, 16},                                 // half
    {8, 8},   {16, 16}, {16, 16}, {32, 16}, {64, 16},                                           // int
    {8, 8},   {16, 16}, {16, 16}, {32, 16}, {64, 16},                                           // float
    {16, 16}, {32, 16}, {32, 16}, {64, 16},                                                     // long
    {16, 16}, {32, 16}, {32, 16}, {64, 16},                                                     // double
    {2, 1},   {4, 1},   {8, 1},   {4, 2},   {8, 2},   {16, 2},  {8, 4},   {16, 4},   {32, 4},   // packed
    {16, 8},  {32, 8},  {64, 8},                                                                // packed
    {8, 4},   {16, 8},  {16, 8},  {12, 4},  {24, 8},  {24, 8},  {16, 4},  {32, 8},   {32, 8},   // half2x2
    {16, 8},  {32, 16}, {32, 16}, {24, 8},  {48, 16}, {48, 16}, {32, 8},  {64, 16},  {64, 16},  // float2x2
    {32, 16}, {64, 16}, {64, 16}, {48, 16}, {96, 16}, {96, 16}, {64, 16}, {128, 16}, {128, 16}, // double
    {8, 8},   {16, 16}, {32, 16},                                                               // quat
};

TEST(SimdLayout, SizesAndAlignmentsAreThePublishedOnes) {
  const std::vector<Layout> layouts = {TYPES(ROW)};
  ASSERT_EQ(layouts.size(), std::size(kPublished));
  for (size_t i = 0; i < layouts.size(); ++i) {
    EXPECT_EQ(layouts[i].size, kPublished[i][0]) << layouts[i].name;
    EXPECT_EQ(layouts[i].alignment, kPublished[i][1]) << layouts[i].name;
    EXPECT_EQ(layouts[i].offset, kPublished[i][1]) << layouts[i].name;
  }
}

TEST(SimdLayout, UnsignedVectorsAreLikeSignedOnes){
#define SAME(a, b) EXPECT_TRUE(sizeof(a) == sizeof(b) && alignof(a) == alignof(b)) << #a;
    SAME(simd_uchar2, simd_char2) SAME(simd_uchar3, simd_char3) SAME(simd_uchar64, simd_char64)
        SAME(simd_ushort3, simd_short3) SAME(simd_ushort32, simd_short32) SAME(simd_uint3, simd_int3)
            SAME(simd_uint16, simd_int16) SAME(simd_ulong3, simd_long3) SAME(simd_ulong8, simd_long8)}

TEST(SimdLayout, OldNamesAndThoseOfTheNamespaceAreTheSameTypes) {
  EXPECT_TRUE((std::is_same_v<vector_float3, simd_float3>));
  EXPECT_TRUE((std::is_same_v<simd::float3, simd_float3>));
  EXPECT_TRUE((std::is_same_v<simd::ulong8, vector_ulong8>));
  EXPECT_TRUE((std::is_same_v<simd::half32, simd_half32>));
  EXPECT_TRUE((std::is_same_v<simd::double1, double>));
  EXPECT_TRUE((std::is_same_v<matrix_float4x3, simd_float4x3>));
  EXPECT_EQ(alignof(simd::packed::float4), 4u);
  EXPECT_EQ(alignof(packed_short8), 2u);
  EXPECT_EQ(sizeof(simd::float4x4), 64u);
  EXPECT_EQ(alignof(simd::double2x3), 16u);
}

TEST(SimdLayout, AMatrixIsItsColumns) {
  simd_float3x2 matrix = {};
  matrix.columns[2].y = 7; // the second row of the third column
  EXPECT_EQ(reinterpret_cast<const float *>(&matrix)[5], 7);
  simd_float2x3 padded = {};
  padded.columns[1].x = 3; // a column of three has room for four
  EXPECT_EQ(reinterpret_cast<const float *>(&padded)[4], 3);
}

} // namespace
