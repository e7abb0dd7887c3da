// Packing of normalised values. source: MSL specification, section 6.14; scales and rounding: section 8.7.
#include "signatures.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <mpfr.h>

extern "C" {
void shim_unpack(uint32_t, float *);
void shim_unpack_shorts_to_half(uint32_t, float *);
uint32_t shim_pack_unorm4x8(const float *);
uint32_t shim_pack_snorm4x8(const float *);
uint32_t shim_pack_snorm2x16(const float *);
void shim_unpack_colours(uint32_t, float *);
void shim_pack_colours(const float *, uint32_t *);
}

using namespace assay::test;

namespace {

TEST(Pack, BytesAndShortsFromLowToHigh) {
  alignas(16) float out[12];
  shim_unpack(0xff80017f, out);
  EXPECT_EQ(out[0], 127.0f / 255);
  EXPECT_EQ(out[1], 1.0f / 255);
  EXPECT_EQ(out[3], 1.0f);
  EXPECT_EQ(out[4], 1.0f);
  EXPECT_EQ(out[6], -1.0f) << "-128 is -1 too";
  EXPECT_EQ(out[7], -1.0f / 127);
  EXPECT_EQ(out[8], 0x017f / 65535.0f);
  EXPECT_EQ(out[11], int16_t(0xff80) / 32767.0f);
  alignas(16) const float v[4] = {0, 1, 0.5f, 2};
  EXPECT_EQ(shim_pack_unorm4x8(v), 0xff80ff00u) << "127.5 ties to 128";
  alignas(16) const float w[4] = {-1, 1, -2, 0.25f};
  EXPECT_EQ(shim_pack_snorm4x8(w), 0x20817f81u) << "31.75 rounds to 32";
  EXPECT_EQ(shim_pack_snorm2x16(w), 0x7fff8001u);
}

// base^exponent to 200 bits, with (a + b) / c before the power and d * + e after it: what both directions of
// sRGB are made of.
class Srgb {
public:
  Srgb() { mpfr_inits2(200, x_, t_, static_cast<mpfr_ptr>(nullptr)); }
  ~Srgb() { mpfr_clears(x_, t_, static_cast<mpfr_ptr>(nullptr)); }
  /// ((i / 255 + 0.055) / 1.055) ^ 2.4, or i / 255 / 12.92 where i / 255 <= 0.04045.
  float linear(int i) {
    mpfr_set_ui(x_, i, MPFR_RNDN);
    mpfr_div_ui(x_, x_, 255, MPFR_RNDN);
    if (set("0.04045"), mpfr_cmp(x_, t_) <= 0) {
      set("12.92");
      mpfr_div(x_, x_, t_, MPFR_RNDN);
    } else {
      set("0.055");
      mpfr_add(x_, x_, t_, MPFR_RNDN);
      set("1.055");
      mpfr_div(x_, x_, t_, MPFR_RNDN);
      set("2.4");
      mpfr_pow(x_, x_, t_, MPFR_RNDN);
    }
    return mpfr_get_flt(x_, MPFR_RNDN);
  }
  /// The byte of a linear value: 255 times 12.92 c below 0.0031308, else 1.055 c ^ (1 / 2.4) - 0.055,
  /// plus a half.
  uint32_t byte(float c) {
    c = c > 0 ? std::fmin(c, 1.0f) : 0.0f;
    mpfr_set_flt(x_, c, MPFR_RNDN);
    if (set("0.0031308"), mpfr_cmp(x_, t_) < 0) {
      set("12.92");
      mpfr_mul(x_, x_, t_, MPFR_RNDN);
    } else {
      set("2.4");
      mpfr_ui_div(t_, 1, t_, MPFR_RNDN);
      mpfr_pow(x_, x_, t_, MPFR_RNDN);
      set("1.055");
      mpfr_mul(x_, x_, t_, MPFR_RNDN);
      set("0.055");
      mpfr_sub(x_, x_, t_, MPFR_RNDN);
    }
    mpfr_mul_ui(x_, x_, 255, MPFR_RNDN);
    mpfr_add_d(x_, x_, 0.5, MPFR_RNDN);
    return static_cast<uint32_t>(mpfr_get_ui(x_, MPFR_RNDZ));
  }

private:
  void set(const char *text) { mpfr_set_str(t_, text, 10, MPFR_RNDN); }
  mpfr_t x_, t_;
};

TEST(Pack, SrgbOfEveryByteAndOfASweepOfFloats) {
  Srgb srgb;
  alignas(16) float out[32];
  for (int i = 0; i < 256; ++i) {
    shim_unpack_colours(uint32_t(i) * 0x01010101u, out);
    const float expected = srgb.linear(i);
    for (int channel = 0; channel < 3; ++channel)
      ASSERT_EQ(out[channel], expected) << i;
    ASSERT_EQ(out[3], float(i) / 255) << "alpha is linear";
    ASSERT_EQ(out[16], float(_Float16(expected))) << "half " << i;
  }
  uint32_t packed[8];
  const auto check = [&](float c) {
    alignas(16) const float v[4] = {c, 0.5f, c, c};
    shim_pack_colours(v, packed);
    const uint32_t byte = srgb.byte(c);
    ASSERT_EQ(packed[0] & 0xffffff, byte | 188u << 8 | byte << 16) << std::hexfloat << c;
    const float half = float(_Float16(c));
    ASSERT_EQ(packed[4] & 255, srgb.byte(half)) << std::hexfloat << half;
  };
  for (int i = 0; i <= 20000; ++i)
    check(float(i) / 20000);
  for (float c : {-1.0f, 2.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, 0.0031308f, 0.003130805f})
    check(c);
}

// Each field alone at its greatest, then words by hand.
TEST(Pack, TenTenTenTwoAndFiveSixFive) {
  alignas(16) float out[32];
  shim_unpack_colours(0x3ffu | 0x155u << 20 | 1u << 30, out);
  EXPECT_EQ(out[4], 1.0f);
  EXPECT_EQ(out[5], 0.0f);
  EXPECT_EQ(out[6], 341.0f / 1023);
  EXPECT_EQ(out[7], 1.0f / 3);
  EXPECT_EQ(out[8], -1.0f / 511) << "the same word, signed";
  EXPECT_EQ(out[10], 341.0f / 511);
  EXPECT_EQ(out[11], 1.0f);
  EXPECT_EQ(out[21], 0.0f);
  EXPECT_EQ(out[22], float(_Float16(341.0f / 1023)));
  EXPECT_EQ(out[24], float(_Float16(-1.0f / 511)));
  shim_unpack_colours(0x200u | 0x201u << 10 | 2u << 30, out);
  EXPECT_EQ(out[8], -1.0f) << "-512 is -1 too";
  EXPECT_EQ(out[9], -1.0f);
  EXPECT_EQ(out[11], -1.0f);
  shim_unpack_colours(0x1fu | 0x15u << 5 | 0x0au << 11, out);
  EXPECT_EQ(out[12], 1.0f);
  EXPECT_EQ(out[13], 21.0f / 63);
  EXPECT_EQ(out[14], 10.0f / 31);
  EXPECT_EQ(out[29], float(_Float16(21.0f / 63)));

  uint32_t packed[8];
  alignas(16) const float v[4] = {1, 0.5f, 0.25f, 1};
  shim_pack_colours(v, packed);
  // 511.5 ties to 512, 255.75 rounds to 256, 255.5 to 256, 127.75 to 128; 31.5 ties to 32, 7.75 rounds to 8.
  EXPECT_EQ(packed[1], 1023u | 512u << 10 | 256u << 20 | 3u << 30);
  EXPECT_EQ(packed[2], 511u | 256u << 10 | 128u << 20 | 1u << 30);
  EXPECT_EQ(packed[3], 31u | 32u << 5 | 8u << 11);
  EXPECT_EQ(packed[5], packed[1]);
  EXPECT_EQ(packed[6], packed[2]);
  EXPECT_EQ(packed[7], packed[3]);
  alignas(16) const float w[4] = {-1, NAN, 2, -1};
  shim_pack_colours(w, packed);
  EXPECT_EQ(packed[1], 1023u << 20);
  EXPECT_EQ(packed[2], (0x201u | 511u << 20 | 3u << 30 | (packed[2] & 1023u << 10))) << "a NaN is left open";
  EXPECT_EQ(packed[3], 31u << 11);
}

// The quotient to 200 bits, rounded once.
TEST(Pack, EveryWordOfFiveSixFive) {
  mpfr_t quotient;
  mpfr_init2(quotient, 200);
  const auto divided = [&](uint32_t field, unsigned long greatest) {
    mpfr_set_ui(quotient, field, MPFR_RNDN);
    mpfr_div_ui(quotient, quotient, greatest, MPFR_RNDN);
    return mpfr_get_flt(quotient, MPFR_RNDN);
  };
  alignas(16) float out[32];
  uint32_t packed[8];
  for (uint32_t word = 0; word < 65536; ++word) {
    const float expected[3] = {divided(word & 31, 31), divided(word >> 5 & 63, 63), divided(word >> 11, 31)};
    shim_unpack_colours(word, out);
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(out[12 + i], expected[i]) << word;
      ASSERT_EQ(out[28 + i], float(_Float16(expected[i]))) << word;
    }
    alignas(16) const float v[4] = {expected[0], expected[1], expected[2], 0};
    shim_pack_colours(v, packed);
    ASSERT_EQ(packed[3], word);
    ASSERT_EQ(packed[7], word) << "11 bits tell 63 steps apart";
  }
  mpfr_clear(quotient);
}

// A double holds enough of the quotient: it is no nearer than 2^-43 to the middle of two halves.
TEST(Pack, EveryShortAsAHalfIsRoundedOnce) {
  alignas(16) float out[4];
  for (uint32_t word = 0; word < 65536; ++word) {
    const int sign = int16_t(word);
    const float expected[2] = {float(_Float16(word / 65535.0)),
                               float(_Float16(std::fmax(sign / 32767.0, -1)))};
    shim_unpack_shorts_to_half(word | word << 16, out);
    for (int i = 0; i < 4; ++i)
      ASSERT_EQ(out[i], expected[i / 2]) << word;
  }
}

TEST(PackHeader, DeclaresEveryFunction) {
  expectSignatures(
      "metal_pack",
      {
          {kOnce, "float4", {"unpack_snorm10a2_to_float(1u)"}},
          {kOnce, "half4", {"unpack_snorm10a2_to_half(1u)"}},
          {kOnce, "uint", {"pack_float_to_snorm10a2(float4())", "pack_half_to_snorm10a2(half4())"}},
          {kOnce,
           "float4",
           {"unpack_snorm4x8_to_float(1u)", "unpack_unorm4x8_to_float(1u)",
            "unpack_unorm4x8_srgb_to_float(1u)", "unpack_unorm10a2_to_float(1u)"}},
          {kOnce, "float2", {"unpack_snorm2x16_to_float(1u)", "unpack_unorm2x16_to_float(1u)"}},
          {kOnce,
           "uint",
           {"pack_float_to_snorm4x8(float4())", "pack_float_to_snorm2x16(float2())",
            "pack_float_to_unorm4x8(float4())", "pack_float_to_unorm2x16(float2())",
            "pack_float_to_srgb_unorm4x8(float4())", "pack_float_to_unorm10a2(float4())",
            "pack_half_to_snorm4x8(half4())", "pack_half_to_snorm2x16(half2())",
            "pack_half_to_unorm4x8(half4())", "pack_half_to_unorm2x16(half2())",
            "pack_half_to_srgb_unorm4x8(half4())", "pack_half_to_unorm10a2(half4())"}},
          {kOnce, "float3", {"unpack_unorm565_to_float(ushort(1))"}},
          {kOnce, "ushort", {"pack_float_to_unorm565(float3())", "pack_half_to_unorm565(half3())"}},
          {kOnce,
           "half4",
           {"unpack_snorm4x8_to_half(1u)", "unpack_unorm4x8_to_half(1u)", "unpack_unorm4x8_srgb_to_half(1u)",
            "unpack_unorm10a2_to_half(1u)"}},
          {kOnce, "half2", {"unpack_snorm2x16_to_half(1u)", "unpack_unorm2x16_to_half(1u)"}},
          {kOnce, "half3", {"unpack_unorm565_to_half(ushort(1))"}},
      });
}

} // namespace
