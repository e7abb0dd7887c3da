// Which textures fit a class of <metal_texture>, rule by rule, with the sentences.
#include "support/abi/texture_rules.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

struct Given {
  TextureType type = TextureType::Type2D;
  PixelFormat format = PixelFormat::R32Float;
  TextureUsage usage = TextureUsage::Unknown;
};

std::string misfit(const Given &given, const TextureUse &use) {
  TextureView view;
  view.type = given.type;
  view.format = pixelFormatInfo(given.format);
  view.usage = given.usage;
  const auto found = textureMisfit(view, use, "it", "the kernel");
  return found ? std::string(found->rule) + ": " + found->message : "";
}

TEST(TextureRules, TheTypeMustBeTheSame) {
  for (const TextureTypeInfo &texture : kTextureTypes)
    for (const TextureTypeInfo &used : kTextureTypes)
      EXPECT_EQ(misfit({texture.type}, {used.type, false, ScalarType::Float}).empty(),
                texture.type == used.type)
          << texture.name << " as " << used.name;
  EXPECT_EQ(misfit({TextureType::Type3D}, {TextureType::Type2D, false, ScalarType::Float}),
            "texture-type: it is of type Type3D, the kernel needs one of type Type2D");
}

// source: MSL specification, section 2.9: float and half read normalised and float formats, and so on.
TEST(TextureRules, TheElementMustSuitTheFormat) {
  const auto fits = [](PixelFormat format, ScalarType element) {
    return misfit({TextureType::Type2D, format}, {TextureType::Type2D, false, element}).empty();
  };
  for (const ScalarType element : {ScalarType::Float, ScalarType::Half}) {
    EXPECT_TRUE(fits(PixelFormat::RGBA8Unorm, element));
    EXPECT_TRUE(fits(PixelFormat::RGBA8Unorm_sRGB, element));
    EXPECT_TRUE(fits(PixelFormat::RGBA16Float, element));
    EXPECT_FALSE(fits(PixelFormat::R32Uint, element));
    EXPECT_FALSE(fits(PixelFormat::R8Sint, element));
  }
  for (const ScalarType element : {ScalarType::Int, ScalarType::Short}) {
    EXPECT_TRUE(fits(PixelFormat::R8Sint, element));
    EXPECT_FALSE(fits(PixelFormat::R8Uint, element));
    EXPECT_FALSE(fits(PixelFormat::R8Unorm, element));
  }
  for (const ScalarType element : {ScalarType::UInt, ScalarType::UShort}) {
    EXPECT_TRUE(fits(PixelFormat::R8Uint, element));
    EXPECT_FALSE(fits(PixelFormat::R8Sint, element));
    EXPECT_FALSE(fits(PixelFormat::R32Float, element));
  }
  EXPECT_EQ(
      misfit({TextureType::Type2D, PixelFormat::R8Uint}, {TextureType::Type2D, false, ScalarType::Half}),
      "texture-format: it has format R8Uint, the kernel cannot read or write it as half");
}

TEST(TextureRules, ADepthClassNeedsADepthFormat) {
  const TextureUse use{TextureType::Type2D, true, ScalarType::Float};
  EXPECT_EQ(misfit({TextureType::Type2D, PixelFormat::Depth32Float}, use), "");
  EXPECT_EQ(misfit({}, use), "texture-format: it has format R32Float, the kernel needs a depth format");
}

TEST(TextureRules, ReadingAndWritingNeedsAFormatOfTierTwo) {
  const TextureUse use{TextureType::Type2D, false, ScalarType::Float, Access::ReadWrite};
  EXPECT_EQ(misfit({}, use), "");
  EXPECT_EQ(
      misfit({TextureType::Type2D, PixelFormat::RG16Float}, use),
      "texture-format: it has format RG16Float, which a kernel cannot both read and write (the kernel)");
}

TEST(TextureRules, TheUsageMustAllowTheAccess) {
  const auto with = [](TextureUsage usage, Access access) {
    return misfit({TextureType::Type2D, PixelFormat::R32Float, usage},
                  {TextureType::Type2D, false, ScalarType::Float, access});
  };
  for (const Access access : {Access::Read, Access::Write, Access::ReadWrite, Access::Sample}) {
    EXPECT_EQ(with(TextureUsage::Unknown, access), "");
    EXPECT_EQ(with(TextureUsage::ShaderReadWrite, access), "");
    EXPECT_EQ(with(TextureUsage::ShaderRead, access).empty(),
              access == Access::Read || access == Access::Sample);
    EXPECT_EQ(with(TextureUsage::ShaderWrite, access).empty(), access == Access::Write);
  }
  EXPECT_EQ(with(TextureUsage::ShaderRead, Access::ReadWrite),
            "texture-usage: it was made without usage ShaderWrite, the kernel needs it");
}

TEST(TextureRules, SpellsAClassAsTheUserWould) {
  EXPECT_EQ(textureSpelling({TextureType::Type2D, false, ScalarType::Float}), "texture2d<float>");
  EXPECT_EQ(textureSpelling({TextureType::TypeCubeArray, true, ScalarType::Float, Access::Read}),
            "depthcube_array<float, access::read>");
  EXPECT_EQ(textureSpelling({TextureType::Type3D, false, ScalarType::UShort, Access::ReadWrite}),
            "texture3d<ushort, access::read_write>");
}

} // namespace
} // namespace assay
