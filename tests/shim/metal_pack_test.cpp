// Packing of normalised values. source: MSL specification, section 6.14; scales and rounding: section 8.7.
#include "signatures.h"

#include <gmock/gmock.h>

#include <cstdint>

extern "C" {
void shim_unpack(uint32_t, float *);
uint32_t shim_pack_unorm4x8(const float *);
uint32_t shim_pack_snorm4x8(const float *);
uint32_t shim_pack_snorm2x16(const float *);
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

TEST(PackHeader, DeclaresEveryFunction) {
  expectSignatures(
      "metal_pack",
      {
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
