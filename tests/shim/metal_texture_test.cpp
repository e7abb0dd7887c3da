// Textures and samplers: every function by its type. What they compute is in tests/host/texture_test.cpp,
// tests/runtime/texel_test.cpp and texture_sample_test.cpp; what must not compile in misuse/.
// source: MSL specification, section 6.12. Sparse functions: tests/language/library_types.rows. Not in the
// shim: calculate_(un)clamped_lod, which needs derivatives.
#include "signatures.h"

using namespace assay::test;

namespace {

TEST(TextureHeader, DeclaresEveryFunctionOfEveryClass) {
  expectSignatures(
      "metal_texture",
      {
          {"texture1d<float> texture1d<half> texture1d<int> texture1d<uint> texture1d<short> "
           "texture1d<ushort>",
           "Color<T>",
           {"x.sample(sampler(), 0.5f)", "x.read(1u)", "x.read(ushort(1))"}},
          {"texture1d_array<float> texture1d_array<half> texture1d_array<int> texture1d_array<uint> "
           "texture1d_array<short> texture1d_array<ushort>",
           "Color<T>",
           {"x.sample(sampler(), 0.5f, 1)", "x.read(1u, 1u)"}},
          {"texture2d<float> texture2d<half> texture2d<int> texture2d<uint> texture2d<short> "
           "texture2d<ushort>",
           "Color<T>",
           {"x.sample(sampler(), float2())", "x.sample(sampler(), float2(), int2(1))",
            "x.sample(sampler(), float2(), bias(1.f))", "x.sample(sampler(), float2(), level(1.f))",
            "x.sample(sampler(), float2(), gradient2d(float2(), float2()))",
            "x.sample(sampler(), float2(), min_lod_clamp(1.f))",
            "x.sample(sampler(), float2(), level(1.f), int2(1))",
            "x.sample(sampler(), float2(), bias(1.f), min_lod_clamp(1.f))",
            "x.sample(sampler(), float2(), bias(1.f), min_lod_clamp(1.f), int2(1))",
            "x.sample(sampler(), float2(), gradient2d(float2(), float2()), min_lod_clamp(1.f))",
            "x.read(uint2(0))", "x.read(ushort2(0))", "x.read(uint2(0), 1)", "x.read(ushort2(0), 1)",
            "x.gather(sampler(), float2())", "x.gather(sampler(), float2(), int2(0), component::w)"}},
          {"texture2d_array<float> texture2d_array<half> texture2d_array<int> texture2d_array<uint> "
           "texture2d_array<short> texture2d_array<ushort>",
           "Color<T>",
           {"x.sample(sampler(), float2(), 1)", "x.sample(sampler(), float2(), 1, int2(1))",
            "x.sample(sampler(), float2(), 1, bias(1.f))", "x.sample(sampler(), float2(), 1, level(1.f))",
            "x.sample(sampler(), float2(), 1, gradient2d(float2(), float2()))",
            "x.sample(sampler(), float2(), 1, min_lod_clamp(1.f))",
            "x.sample(sampler(), float2(), 1, level(1.f), int2(1))",
            "x.sample(sampler(), float2(), 1, bias(1.f), min_lod_clamp(1.f))",
            "x.sample(sampler(), float2(), 1, bias(1.f), min_lod_clamp(1.f), int2(1))",
            "x.sample(sampler(), float2(), 1, gradient2d(float2(), float2()), min_lod_clamp(1.f))",
            "x.read(uint2(0), 1)", "x.read(ushort2(0), 1)", "x.read(uint2(0), 1, 1)",
            "x.read(ushort2(0), 1, 1)", "x.gather(sampler(), float2(), 1)",
            "x.gather(sampler(), float2(), 1, int2(0), component::y)"}},
          {"texture3d<float> texture3d<half> texture3d<int> texture3d<uint> texture3d<short> "
           "texture3d<ushort>",
           "Color<T>",
           {"x.sample(sampler(), float3())", "x.sample(sampler(), float3(), bias(1.f))",
            "x.sample(sampler(), float3(), level(1.f))", "x.sample(sampler(), float3(), min_lod_clamp(1.f))",
            "x.sample(sampler(), float3(), gradient3d(float3(), float3()))",
            "x.sample(sampler(), float3(), gradient3d(float3(), float3()), min_lod_clamp(1.f))",
            "x.sample(sampler(), float3(), int3(1))", "x.sample(sampler(), float3(), level(1.f), int3(1))",
            "x.read(uint3(0))", "x.read(ushort3(0))", "x.read(uint3(0), 1)", "x.read(ushort3(0), 1)"}},
          {"texturecube<float> texturecube<half> texturecube<int> texturecube<uint> texturecube<short> "
           "texturecube<ushort>",
           "Color<T>",
           {"x.sample(sampler(), float3())", "x.sample(sampler(), float3(), bias(1.f))",
            "x.sample(sampler(), float3(), level(1.f))", "x.sample(sampler(), float3(), min_lod_clamp(1.f))",
            "x.sample(sampler(), float3(), gradientcube(float3(), float3()))",
            "x.sample(sampler(), float3(), bias(1.f), min_lod_clamp(1.f))", "x.read(uint2(0), 1)",
            "x.read(ushort2(0), 1)", "x.gather(sampler(), float3())",
            "x.gather(sampler(), float3(), component::z)"}},
          {"texturecube_array<float> texturecube_array<half> texturecube_array<int> texturecube_array<uint> "
           "texturecube_array<short> texturecube_array<ushort>",
           "Color<T>",
           {"x.sample(sampler(), float3(), 1)", "x.sample(sampler(), float3(), 1, bias(1.f))",
            "x.sample(sampler(), float3(), 1, level(1.f))",
            "x.sample(sampler(), float3(), 1, min_lod_clamp(1.f))",
            "x.sample(sampler(), float3(), 1, gradientcube(float3(), float3()))",
            "x.sample(sampler(), float3(), 1, bias(1.f), min_lod_clamp(1.f))", "x.read(uint2(0), 1, 1)",
            "x.read(ushort2(0), 1, 1)", "x.gather(sampler(), float3(), 1)"}},
          {"texture2d_ms<float,access::read> texture2d_ms<half,access::read> texture2d_ms<int,access::read> "
           "texture2d_ms<uint,access::read>",
           "Color<T>",
           {"x.read(uint2(0), 1)", "x.read(ushort2(0), 1)"}},
          {"texture2d_ms_array<float,access::read> texture2d_ms_array<half,access::read> "
           "texture2d_ms_array<int,access::read> texture2d_ms_array<uint,access::read>",
           "Color<T>",
           {"x.read(uint2(0), 1, 1)", "x.read(ushort2(0), 1, 1)"}},
          {"texture_buffer<float,access::read_write> texture_buffer<half,access::read_write> "
           "texture_buffer<int,access::read_write> texture_buffer<uint,access::read_write>",
           "Color<T>",
           {"x.read(1u)"}},
          {"texture_buffer<float,access::read_write> texture_buffer<half,access::read_write> "
           "texture_buffer<int,access::read_write> texture_buffer<uint,access::read_write>",
           "void",
           {"x.write(Color<T>(), 1u)"}},
          {"texture1d<float,access::write> texture1d<float,access::read_write> texture1d<int,access::write> "
           "texture1d<int,access::read_write> texture1d<uint,access::write> "
           "texture1d<uint,access::read_write> texture1d<half,access::write> "
           "texture1d<half,access::read_write>",
           "void",
           {"x.write(Color<T>(), 1u)"}},
          {"texture2d<float,access::write> texture2d<float,access::read_write> texture2d<int,access::write> "
           "texture2d<int,access::read_write> texture2d<uint,access::write> "
           "texture2d<uint,access::read_write> texture2d<half,access::write> "
           "texture2d<half,access::read_write>",
           "void",
           {"x.write(Color<T>(), uint2(1))", "x.write(Color<T>(), ushort2(1))"}},
          {"texture2d_array<float,access::write> texture2d_array<float,access::read_write> "
           "texture2d_array<int,access::write> texture2d_array<int,access::read_write> "
           "texture2d_array<uint,access::write> texture2d_array<uint,access::read_write> "
           "texture2d_array<half,access::write> texture2d_array<half,access::read_write>",
           "void",
           {"x.write(Color<T>(), uint2(1), 1)", "x.write(Color<T>(), ushort2(1), 1)"}},
          {"texture3d<float,access::write> texture3d<float,access::read_write> texture3d<int,access::write> "
           "texture3d<int,access::read_write> texture3d<uint,access::write> "
           "texture3d<uint,access::read_write> texture3d<half,access::write> "
           "texture3d<half,access::read_write>",
           "void",
           {"x.write(Color<T>(), uint3(1))", "x.write(Color<T>(), ushort3(1))"}},
          {"texturecube<float,access::write> texturecube<float,access::read_write> "
           "texturecube<int,access::write> texturecube<int,access::read_write> "
           "texturecube<uint,access::write> texturecube<uint,access::read_write> "
           "texturecube<half,access::write> texturecube<half,access::read_write>",
           "void",
           {"x.write(Color<T>(), uint2(1), 1)", "x.write(Color<T>(), ushort2(1), 1)"}},
          {"texture1d<float,access::read_write> texture2d<float,access::read_write> "
           "texture2d_array<float,access::read_write> texture3d<float,access::read_write> "
           "texture_buffer<float,access::read_write>",
           "void",
           {"x.fence()"}},
          {"depth2d<float>",
           "float",
           {"x.sample(sampler(), float2())", "x.sample(sampler(), float2(), int2(1))",
            "x.sample(sampler(), float2(), bias(1.f))", "x.sample(sampler(), float2(), level(1.f))",
            "x.sample(sampler(), float2(), gradient2d(float2(), float2()))",
            "x.sample(sampler(), float2(), min_lod_clamp(1.f))",
            "x.sample(sampler(), float2(), level(1.f), int2(1))",
            "x.sample(sampler(), float2(), bias(1.f), min_lod_clamp(1.f))",
            "x.sample(sampler(), float2(), bias(1.f), min_lod_clamp(1.f), int2(1))",
            "x.sample(sampler(), float2(), gradient2d(float2(), float2()), min_lod_clamp(1.f))",
            "x.sample_compare(sampler(), float2(), 0.5f)",
            "x.sample_compare(sampler(), float2(), 0.5f, level(1.f))",
            "x.sample_compare(sampler(), float2(), 0.5f, int2(1))",
            "x.sample_compare(sampler(), float2(), 0.5f, bias(1.f))", "x.read(uint2(0))",
            "x.read(ushort2(0))"}},
          {"depth2d<float>",
           "float4",
           {"x.gather(sampler(), float2())", "x.gather_compare(sampler(), float2(), 0.5f)"}},
          {"depth2d_array<float>",
           "float",
           {"x.sample(sampler(), float2(), 1)", "x.sample(sampler(), float2(), 1, int2(1))",
            "x.sample(sampler(), float2(), 1, bias(1.f))", "x.sample(sampler(), float2(), 1, level(1.f))",
            "x.sample(sampler(), float2(), 1, gradient2d(float2(), float2()))",
            "x.sample(sampler(), float2(), 1, min_lod_clamp(1.f))",
            "x.sample(sampler(), float2(), 1, level(1.f), int2(1))",
            "x.sample(sampler(), float2(), 1, bias(1.f), min_lod_clamp(1.f))",
            "x.sample(sampler(), float2(), 1, bias(1.f), min_lod_clamp(1.f), int2(1))",
            "x.sample(sampler(), float2(), 1, gradient2d(float2(), float2()), min_lod_clamp(1.f))",
            "x.sample_compare(sampler(), float2(), 1, 0.5f)",
            "x.sample_compare(sampler(), float2(), 1, 0.5f, level(1.f))",
            "x.sample_compare(sampler(), float2(), 1, 0.5f, int2(1))", "x.read(uint2(0), 1)",
            "x.read(ushort2(0), 1)"}},
          {"depth2d_array<float>",
           "float4",
           {"x.gather(sampler(), float2(), 1)", "x.gather_compare(sampler(), float2(), 1, 0.5f)"}},
          {"depthcube<float>",
           "float",
           {"x.sample(sampler(), float3())", "x.sample(sampler(), float3(), bias(1.f))",
            "x.sample(sampler(), float3(), level(1.f))", "x.sample(sampler(), float3(), min_lod_clamp(1.f))",
            "x.sample_compare(sampler(), float3(), 0.5f)",
            "x.sample_compare(sampler(), float3(), 0.5f, level(1.f))", "x.read(uint2(0), 1)",
            "x.read(ushort2(0), 1)"}},
          {"depthcube<float>",
           "float4",
           {"x.gather(sampler(), float3())", "x.gather_compare(sampler(), float3(), 0.5f)"}},
          {"depthcube_array<float>",
           "float",
           {"x.sample(sampler(), float3(), 1)", "x.sample(sampler(), float3(), 1, bias(1.f))",
            "x.sample(sampler(), float3(), 1, level(1.f))",
            "x.sample(sampler(), float3(), 1, min_lod_clamp(1.f))",
            "x.sample_compare(sampler(), float3(), 1, 0.5f)",
            "x.sample_compare(sampler(), float3(), 1, 0.5f, level(1.f))", "x.read(uint2(0), 1, 1)",
            "x.read(ushort2(0), 1, 1)"}},
          {"depthcube_array<float>",
           "float4",
           {"x.gather(sampler(), float3(), 1)", "x.gather_compare(sampler(), float3(), 1, 0.5f)"}},
          {"depth2d_ms<float,access::read>", "float", {"x.read(uint2(0), 1)", "x.read(ushort2(0), 1)"}},
          {"depth2d_ms_array<float,access::read>",
           "float",
           {"x.read(uint2(0), 1, 1)", "x.read(ushort2(0), 1, 1)"}},
          {"texture2d<float> texture2d_array<float> texturecube<float> texturecube_array<float> "
           "depth2d<float> depth2d_array<float> depthcube<float> depthcube_array<float> texture3d<float>",
           "uint",
           {"x.get_width()", "x.get_width(1)", "x.get_height()", "x.get_height(1)",
            "x.get_num_mip_levels()"}},
          {"texture1d<float> texture1d_array<float> texture_buffer<float,access::read> "
           "texture2d_ms<float,access::read>",
           "uint",
           {"x.get_width()"}},
          {"texture1d_array<float> texture2d_array<float> texturecube_array<float> depth2d_array<float> "
           "depthcube_array<float> texture2d_ms_array<float,access::read> "
           "depth2d_ms_array<float,access::read>",
           "uint",
           {"x.get_array_size()"}},
          {"texture2d_ms<float,access::read> texture2d_ms_array<float,access::read> "
           "depth2d_ms<float,access::read> depth2d_ms_array<float,access::read>",
           "uint",
           {"x.get_num_samples()", "x.get_width()", "x.get_height()"}},
          {"texture3d<float>", "uint", {"x.get_depth()"}},
          {"texture2d<float> texture2d_array<float> texturecube<float> texturecube_array<float> "
           "depth2d<float> depth2d_array<float> depthcube<float> depthcube_array<float> texture1d<float> "
           "texture1d_array<float> texture3d<float> texture2d_ms<float,access::read> "
           "texture2d_ms_array<float,access::read> depth2d_ms<float,access::read> "
           "depth2d_ms_array<float,access::read>",
           "bool",
           {"is_null_texture(x)"}},
      });
}

// The state of the later options is built first: metal_texture_common of Apple's headers (32023.883).
TEST(SamplerHeader, TheFirstOfTwoOptionsForAFieldCounts) {
  expectFacts(
      "metal_texture",
      {
          "sampler(mag_filter::nearest, filter::linear).__assay_bits() == "
          "sampler(mag_filter::nearest, min_filter::linear).__assay_bits()",
          "sampler(filter::linear, mag_filter::nearest).__assay_bits() == "
          "sampler(filter::linear).__assay_bits()",
          "sampler(t_address::repeat, address::clamp_to_zero).__assay_bits() == "
          "sampler(s_address::clamp_to_zero, t_address::repeat, r_address::clamp_to_zero).__assay_bits()",
          "sampler(coord::pixel, coord::normalized).__assay_bits() == sampler(coord::pixel).__assay_bits()",
          "!is_constructible_v<sampler, int> && !is_constructible_v<sampler, filter, float>",
          "!is_convertible_v<int, sampler> && is_convertible_v<filter, sampler>",
      });
}

} // namespace
