// Handles of textures and samplers: which one a dispatch finds, and that an invented one finds nothing.
#include "runtime/bound_textures.h"

#include "msl_shim/detail/texture_request.h"

#include <gtest/gtest.h>

namespace assay::runtime {
namespace {

using namespace __assay_texture;

TEST(BoundTextures, AHandleFindsItsSlotOrItsNumber) {
  const TextureLevel level;
  DispatchRequest request;
  request.textures.resize(3);
  request.textures[2].levels = &level;
  request.textures[2].levelCount = 1;
  for (const uint64_t n : {uint64_t(1), uint64_t(7), uint64_t(1) << 40})
    request.residentTextures.push_back({kFirstResourceId + n, {}});
  EXPECT_EQ(textureOf(request, 0), nullptr);
  EXPECT_EQ(textureOf(request, 1), nullptr) << "an empty slot";
  EXPECT_EQ(textureOf(request, 3), &request.textures[2]);
  EXPECT_EQ(textureOf(request, 4), nullptr);
  for (const ResidentTexture &texture : request.residentTextures)
    EXPECT_EQ(textureOf(request, texture.resourceId), &texture.view);
  for (const uint64_t invented : {kFirstResourceId, kFirstResourceId + 6, kFirstResourceId * 2, ~0ull})
    EXPECT_EQ(textureOf(request, invented), nullptr) << invented;
  EXPECT_EQ(textureOf({}, kFirstResourceId), nullptr);
}

TEST(BoundTextures, ASamplerIsASlotOrItsOwnOptions) {
  DispatchRequest request;
  request.samplers = {{1ull << kInlineBit | 5}, {}};
  EXPECT_EQ(samplerOf(request, 1), 1ull << kInlineBit | 5);
  EXPECT_EQ(samplerOf(request, 2), 0u);
  EXPECT_EQ(samplerOf(request, 3), 0u);
  EXPECT_EQ(samplerOf(request, 0), 0u);
  EXPECT_EQ(samplerOf(request, 1ull << kInlineBit | 9), 1ull << kInlineBit | 9);
}

TEST(BoundTextures, AnAccessSaysAsWhatItWasCompiled) {
  for (uint32_t number = 0; number < kTextureClasses.size(); ++number) {
    const TextureUse use = textureUseOf(number | uint32_t(ScalarType::Half) << kElementBit |
                                        uint32_t(kReadAndWritten) << kAccessBit);
    EXPECT_EQ(use.type, kTextureClasses[number].type);
    EXPECT_EQ(use.depth, kTextureClasses[number].depth);
    EXPECT_EQ(use.element, ScalarType::Half);
    EXPECT_EQ(use.access, Access::ReadWrite);
  }
  EXPECT_EQ(textureUseOf(~0u).element, std::nullopt) << "whatever stands there, something is returned";
}

} // namespace
} // namespace assay::runtime
