// What reflection says of textures and samplers among a kernel's arguments.
#include "frontend/compile.h"

#include <gtest/gtest.h>

using namespace assay;

namespace {

frontend::CompiledModule mustCompile(const std::string &text) {
  frontend::SourceRequest request;
  request.path = "test.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + text;
  auto result = frontend::compile(request);
  EXPECT_TRUE(result) << (result ? "" : renderDiagnostics(result.error().diagnostics));
  return result ? std::move(*result) : frontend::CompiledModule();
}

TEST(ResourceTypes, OfTexturesAndSamplersAreReflected) {
  const auto module = mustCompile(
      "constant bool has [[function_constant(0)]];\n"
      "kernel void f(texture2d<half, access::write> out [[texture(7)]], texture2d<float> in,\n"
      "  array<texture2d_array<uint, access::read>, 3> many [[texture(2)]], depthcube<float> d,\n"
      "  texture3d<short, access::read_write> volume [[texture(9), function_constant(has)]],\n"
      "  sampler s [[sampler(1)]], array<sampler, 2> more, sampler first, device float *p [[buffer(0)]]) {\n"
      "  p[0] = in.sample(s, float2(0)).x; }\n");
  ASSERT_EQ(module.info.kernels.size(), 1u);
  const std::vector<ArgumentInfo> &a = module.info.kernels[0].arguments;
  ASSERT_EQ(a.size(), 9u);
  const auto is = [&](size_t i, ArgumentKind kind, uint32_t index, uint32_t count) {
    EXPECT_EQ(a[i].kind, kind) << a[i].name;
    EXPECT_EQ(a[i].index, index) << a[i].name;
    EXPECT_EQ(a[i].count, count) << a[i].name;
  };
  const auto isTexture = [&](size_t i, TextureType type, ScalarType element, Access access, bool depth) {
    EXPECT_EQ(a[i].textureType, type) << a[i].name;
    EXPECT_EQ(a[i].element, element) << a[i].name;
    EXPECT_EQ(a[i].access, access) << a[i].name;
    EXPECT_EQ(a[i].depthTexture, depth) << a[i].name;
  };
  is(0, ArgumentKind::Texture, 7, 1);
  isTexture(0, TextureType::Type2D, ScalarType::Half, Access::Write, false);
  is(1, ArgumentKind::Texture, 0, 1);
  isTexture(1, TextureType::Type2D, ScalarType::Float, Access::Sample, false);
  is(2, ArgumentKind::Texture, 2, 3);
  isTexture(2, TextureType::Type2DArray, ScalarType::UInt, Access::Read, false);
  is(3, ArgumentKind::Texture, 1, 1);
  isTexture(3, TextureType::TypeCube, ScalarType::Float, Access::Sample, true);
  is(4, ArgumentKind::Texture, 9, 1);
  isTexture(4, TextureType::Type3D, ScalarType::Short, Access::ReadWrite, false);
  EXPECT_EQ(a[4].condition, "has");
  is(5, ArgumentKind::Sampler, 1, 1);
  is(6, ArgumentKind::Sampler, 2, 2);
  is(7, ArgumentKind::Sampler, 0, 1);
  is(8, ArgumentKind::Buffer, 0, 1);
  EXPECT_EQ(a[1].type, "texture2d<float>");
  EXPECT_EQ(a[0].type, "texture2d<half, access::write>");
}

} // namespace
