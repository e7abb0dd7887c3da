// Vectors, packed vectors, as_type: swizzles, constructors, conversions, arithmetic.
// source: MSL specification, chapters 2 and 3.
#include "float4.h"
#include "signatures.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace {

using namespace assay::test;
using ::testing::ElementsAre;

struct alignas(16) I4 {
  int32_t e[4];
};
struct alignas(4) C4 {
  int8_t e[4];
};
struct alignas(4) B4 {
  uint8_t e[4];
};
struct alignas(8) H4 {
  _Float16 e[4];
};
struct P3 {
  float e[3];
};

extern "C" {
void shim_swizzle_read(const F4 *, F4 *);
void shim_swizzle_write(F4 *);
void shim_constructors(F4 *);
void shim_conversions(const F4 *, int32_t *, B4 *, H4 *, F4 *);
void shim_char_arithmetic(const C4 *, C4 *);
void shim_half_rounds(const H4 *, H4 *);
void shim_half_two_statements(const H4 *, H4 *);
void shim_compare(const F4 *, B4 *);
void shim_packed(const P3 *, F4 *, P3 *);
void shim_from_packed(const int8_t *, const uint8_t *, const _Float16 *, const uint16_t *, C4 *, I4 *, F4 *);
void shim_short_lists(uint32_t, uint32_t, uint32_t, I4 *, I4 *, F4 *);
void shim_conditional_products(const F4 *, const H4 *, bool, F4 *, H4 *);
uint32_t shim_bits(float);
void shim_as_half2(uint32_t, _Float16 *);
void shim_index(F4 *, uint32_t);
}

} // namespace

// What Clang calls to narrow to bfloat, which Debian's libraries lack; lowering does it by itself. A bfloat
// returns where a _Float16 does.
extern "C" _Float16 __truncsfbf2(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  const uint16_t upper = uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  _Float16 result;
  std::memcpy(&result, &upper, 2);
  return result;
}

namespace {

TEST(Swizzle, ReadsInAnyOrderAndEitherAlphabet) {
  const F4 v{{1, 2, 3, 4}};
  F4 out[4];
  shim_swizzle_read(&v, out);
  EXPECT_EQ(out[0], (F4{{4, 3, 2, 1}}));
  EXPECT_EQ(out[1], (F4{{1, 1, 2, 2}}));
  EXPECT_EQ(out[2], (F4{{3, 1, 2, 4}}));
  EXPECT_EQ(out[3], (F4{{3, 2, 1, 4}}));
}

TEST(Swizzle, WritesOnlyTheComponentsNamed) {
  F4 v[6];
  for (F4 &each : v)
    each = {{1, 2, 3, 4}};
  shim_swizzle_write(v);
  EXPECT_EQ(v[0], (F4{{10, 20, 3, 4}}));
  EXPECT_EQ(v[1], (F4{{1, 3, 2, 1}}));
  EXPECT_EQ(v[2], (F4{{1, 2, 4, 6}}));
  EXPECT_EQ(v[3], (F4{{3, 2, 1, 4}})) << "the value is read whole before it is written";
  EXPECT_EQ(v[4], (F4{{2, 4, 6, 4}}));
  EXPECT_EQ(v[5], (F4{{2, 1, 3, 4}}));
}

TEST(Vector, IsBuiltFromPiecesInOrder) {
  F4 out[11];
  shim_constructors(out);
  EXPECT_THAT(out, ElementsAre(F4{{1, 2, 3, 4}}, F4{{0, 1, 2, 3}}, F4{{7, 8, 1, 2}}, F4{{1, 2, 3, 9}},
                               F4{{9, 1, 2, 3}}, F4{{1, 2, 1, 2}}, F4{{5, 5, 5, 5}}, F4{{1, 2, 3, 4}},
                               F4{{255, 254, 1, 0}}, F4{{1, 0, 1, 0}}, F4{{1.5f, 2, 3, 1}}));
}

TEST(Vector, ConvertsElementByElement) {
  const F4 in{{-1.75f, 0.0f, 2049.0f, 3.999f}};
  int32_t ints[4];
  alignas(16) int32_t aligned[4];
  B4 bools;
  H4 halves;
  F4 back[2];
  shim_conversions(&in, aligned, &bools, &halves, back);
  std::memcpy(ints, aligned, sizeof ints);
  EXPECT_THAT(ints, ElementsAre(-1, 0, 2049, 3)) << "truncation";
  EXPECT_THAT(bools.e, ElementsAre(1, 0, 1, 1)) << "a byte of 0 or 1 for each bool";
  EXPECT_EQ(back[0], (F4{{-1.75f, 0.0f, 2048.0f, 3.998046875f}})) << "half has 11 bits, ties to even";
  EXPECT_EQ(back[1], (F4{{-1.75f, 0.0f, 2048.0f, 4.0f}})) << "bfloat has 8 bits; half holds them";
}

TEST(Vector, CharArithmeticWrapsInTheElementType) {
  const C4 in[2] = {{{100, -128, 7, -1}}, {{100, -1, 3, -1}}};
  C4 out[5];
  shim_char_arithmetic(in, out);
  EXPECT_THAT(out[0].e, ElementsAre(-56, 127, 10, -2));
  EXPECT_THAT(out[1].e, ElementsAre(16, -128, 21, 1));
  EXPECT_THAT(out[2].e, ElementsAre(50, -64, 3, -1));
  EXPECT_THAT(out[3].e, ElementsAre(-100, -128, -7, 1));
  EXPECT_THAT(out[4].e, ElementsAre(-101, 127, -8, 0));
}

// (1 + 2^-10)^2 = 1 + 2^-9 + 2^-20 rounds to 1 + 2^-9 in half, so two roundings leave nothing.
TEST(Vector, HalfArithmeticRoundsEachStatement) {
  H4 in[3], out;
  for (int i = 0; i < 4; ++i) {
    in[0].e[i] = in[1].e[i] = _Float16(1 + 0x1p-10);
    in[2].e[i] = _Float16(1 + 0x1p-9);
  }
  shim_half_two_statements(in, &out);
  EXPECT_EQ(float(out.e[0]), 0.0f);
}

TEST(Vector, ComparisonsGiveOneBytePerElement) {
  const F4 v[2] = {{{1, 2, 3, NAN}}, {{2, 2, 2, 2}}};
  B4 out[4];
  shim_compare(v, out);
  EXPECT_THAT(out[0].e, ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(out[1].e, ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(out[2].e, ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(out[3].e, ElementsAre(0, 1, 1, 1));
}

TEST(PackedVector, ComputesAsAVectorAndKeepsItsTwelveBytes) {
  const P3 p[2] = {{{3, 0, 4}}, {{1, 2, 3}}};
  F4 v[4] = {{}, {}, {{1, 1, 1, 0}}, {}};
  P3 out[3];
  shim_packed(p, v, out);
  EXPECT_THAT(out[0].e, ElementsAre(4, 2, 7));
  EXPECT_THAT(out[1].e, ElementsAre(5, 7, 8));
  EXPECT_THAT(out[2].e, ElementsAre(3, 2, 1));
  EXPECT_THAT(std::vector<float>(v[1].e, v[1].e + 3), ElementsAre(5, -1, 7));
  EXPECT_THAT(std::vector<float>(v[3].e, v[3].e + 3), ElementsAre(5, 15, 3));
}

// A constructor from a packed vector goes through the vector of its element type, and ends there.
TEST(PackedVector, BecomesAVectorOfTheSameOrAnotherElement) {
  alignas(4) const int8_t c[4] = {1, -2, 127, -128};
  const uint8_t u[4] = {0, 255, 128, 7};
  const _Float16 h[3] = {_Float16(0.5), _Float16(-2), _Float16(0x1p-24)};
  const uint16_t b[4] = {0x3f80, 0xc000, 0x3f81, 0x8000};
  C4 chars[3];
  I4 ints[2];
  F4 floats[6];
  shim_from_packed(c, u, h, b, chars, ints, floats);
  for (const C4 &each : chars)
    EXPECT_THAT(each.e, ElementsAre(1, -2, 127, -128));
  EXPECT_THAT(ints[0].e, ElementsAre(1, -2, 127, -128));
  EXPECT_THAT(ints[1].e, ElementsAre(0, 255, 0, 255));
  EXPECT_EQ(floats[0], (F4{{1, -2, 127, -128}}));
  EXPECT_EQ(floats[1], (F4{{0, 255, 128, 7}}));
  EXPECT_EQ(floats[2], (F4{{0.5f, -2, 0x1p-24f, 1}}));
  EXPECT_EQ(floats[3], (F4{{1, -2, 1.0078125f, -0.0f}}));
  EXPECT_EQ(floats[4], floats[0]);
  EXPECT_EQ(floats[5], floats[0]);
}

TEST(Vector, AShortBracedListIsFilledWithZeros) {
  I4 four[3], three;
  F4 floats;
  for (I4 &each : four)
    each = {{-1, -1, -1, -1}};
  shim_short_lists(7, 8, 9, four, &three, &floats);
  EXPECT_THAT(four[0].e, ElementsAre(7, 8, 9, 0));
  EXPECT_THAT(four[1].e, ElementsAre(7, 8, 0, 0));
  EXPECT_THAT(four[2].e, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(std::vector<int32_t>(three.e, three.e + 3), ElementsAre(7, 8, 0));
  EXPECT_EQ(floats, (F4{{1.5f, 7, 0, 0}}));
}

TEST(Vector, AProductMayStandInAConditional) {
  const F4 v[3] = {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}, {{-1, -2, -3, -4}}}, product{{5, 12, 21, 32}}, zero{};
  const H4 h[2] = {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}};
  F4 out[6];
  H4 halves;
  shim_conditional_products(v, h, true, out, &halves);
  EXPECT_THAT(out, ElementsAre(product, zero, product, v[2], F4{{4, 10, 18, 28}}, F4{{-4, -5, -6, -7}}));
  EXPECT_THAT(std::vector<float>(halves.e, halves.e + 4), ElementsAre(5, 12, 21, 32));
  shim_conditional_products(v, h, false, out, &halves);
  EXPECT_THAT(out, ElementsAre(zero, product, v[2], product, v[2], F4{{-6, -14, -24, -36}}));
  EXPECT_THAT(std::vector<float>(halves.e, halves.e + 4), ElementsAre(0, 0, 0, 0));
}

TEST(AsType, KeepsTheBits) {
  EXPECT_EQ(shim_bits(-0.0f), 0x80000000u);
  alignas(4) _Float16 halves[2];
  shim_as_half2(0xc0003c00u, halves);
  EXPECT_EQ(float(halves[0]), 1.0f);
  EXPECT_EQ(float(halves[1]), -2.0f);
}

TEST(Vector, IndexIsAnLvalue) {
  F4 v[2] = {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}};
  shim_index(v, 1);
  EXPECT_EQ(v[0], (F4{{1, 7, 3, 4}}));
  EXPECT_EQ(v[1], (F4{{5, 6, 7, 8}}));
}

// source: tables 2.1 to 2.6: a vector of three has the size of one of four;
// a packed one and a matrix are arrays. Matrices of bfloats have no names.
TEST(TypesHeader, EveryTypeHasItsSizeAndAlignmentGloballyAndInMetal) {
  const struct {
    const char *name;
    int bytes;
    bool matrices;
  } scalars[] = {{"bool", 1, false},   {"char", 1, false}, {"uchar", 1, false},  {"short", 2, false},
                 {"ushort", 2, false}, {"int", 4, false},  {"uint", 4, false},   {"long", 8, false},
                 {"ulong", 8, false},  {"half", 2, true},  {"bfloat", 2, false}, {"float", 4, true}};
  std::string text;
  const auto layout = [&](const std::string &type, int bytes, int alignment) {
    text += "static_assert(sizeof(::" + type + ") == " + std::to_string(bytes) + " && alignof(::" + type +
            ") == " + std::to_string(alignment) + " && is_same_v<::" + type + ", metal::" + type + ">, \"" +
            type + "\");\n";
  };
  for (const auto &scalar : scalars)
    for (int n = 2; n <= 4; ++n) {
      const int padded = (n == 3 ? 4 : n) * scalar.bytes;
      layout(scalar.name + std::to_string(n), padded, padded);
      layout("packed_" + std::string(scalar.name) + std::to_string(n), n * scalar.bytes, scalar.bytes);
      for (int columns = 2; scalar.matrices && columns <= 4; ++columns)
        layout(scalar.name + std::to_string(columns) + "x" + std::to_string(n), columns * padded, padded);
    }
  expectCompiles("metal_types", "#include <metal_type_traits>\n" + text);
}

TEST(TypesHeader, ScalarsHaveTheirOtherNames) {
  expectFacts(
      "metal_types",
      {"is_same_v<int8_t, char> || sizeof(int8_t) == 1",
       "sizeof(uint8_t) == 1 && sizeof(int16_t) == 2 && sizeof(uint16_t) == 2",
       "is_same_v<int32_t, int> && is_same_v<uint32_t, uint>",
       "sizeof(int64_t) == 8 && sizeof(uint64_t) == 8 && int64_t(-1) < 0",
       "sizeof(size_t) == 8 && sizeof(ptrdiff_t) == 8 && sizeof(intptr_t) == 8 && sizeof(uintptr_t) == 8",
       "is_same_v<unsigned char, uchar> && is_same_v<unsigned short, ushort> && is_same_v<unsigned int, "
       "uint>"});
}

// As in clang 32023.404, where <simd/simd.h> has the names of matrices alone.
TEST(TypesHeader, HasPartsUnderNamesOfTheirOwn) {
  expectFacts("metal_extended_vector", {"is_same_v<vector_float4, float4> && is_same_v<simd_half2, half2>"});
  expectFacts("metal_packed_vector", {"sizeof(packed_float3) == 12"});
  expectFacts("simd/packed.h", {"is_same_v<simd::packed_uint2, packed_uint2>"});
  expectFacts("simd/simd.h", {"is_same_v<simd_float2x3, float2x3> && is_same_v<matrix_half4x4, half4x4>",
                              "is_same_v<simd_uint4, uint4> && is_same_v<simd::float3, float3>"});
  expectFacts("metal_pixel", {"is_convertible_v<half4, rgba8unorm<half4>>"});
}

} // namespace
