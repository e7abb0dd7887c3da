// Pictures as texels of each format, and back.
#include "cli/picture_texels.h"

#include <gmock/gmock.h>

#include <bit>
#include <cstring>

namespace assay::cli {
namespace {

using testing::ElementsAre;

PngImage image(uint32_t channels, std::vector<uint8_t> numbers, ScalarType type = ScalarType::UChar) {
  const uint64_t width = numbers.size() / channels / scalarTypeInfo(type).bytes;
  return {.width = uint32_t(width),
          .height = 1,
          .channels = channels,
          .type = type,
          .numbers = std::string(numbers.begin(), numbers.end())};
}

template <class T> std::vector<T> texels(const PngImage &picture, PixelFormat format) {
  const Result<std::string> bytes = texelsOf(picture, *pixelFormatInfo(format), "a.png");
  EXPECT_TRUE(bytes) << bytes.error().message();
  std::vector<T> values(bytes->size() / sizeof(T));
  std::memcpy(values.data(), bytes->data(), bytes->size());
  return values;
}

std::string refusal(const PngImage &picture, PixelFormat format) {
  const Result<std::string> bytes = texelsOf(picture, *pixelFormatInfo(format), "a.png");
  return bytes ? "" : bytes.error().message();
}

} // namespace

TEST(PictureTexels, ChannelsGoWhereTheFormatHasThem) {
  const PngImage colors = image(4, {1, 2, 3, 4});
  EXPECT_THAT(texels<uint8_t>(colors, PixelFormat::RGBA8Unorm), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(texels<uint8_t>(colors, PixelFormat::RGBA8Unorm_sRGB), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(texels<uint8_t>(colors, PixelFormat::BGRA8Unorm), ElementsAre(3, 2, 1, 4));
  EXPECT_THAT(texels<uint8_t>(image(1, {9, 8}), PixelFormat::RGBA8Unorm),
              ElementsAre(9, 9, 9, 255, 8, 8, 8, 255));
  EXPECT_THAT(texels<uint8_t>(image(2, {9, 7}), PixelFormat::RGBA8Unorm), ElementsAre(9, 9, 9, 7));
  EXPECT_THAT(texels<uint8_t>(image(2, {9, 7}), PixelFormat::RG8Unorm), ElementsAre(9, 7));
  EXPECT_THAT(texels<uint8_t>(image(1, {9}), PixelFormat::RG8Unorm), ElementsAre(9, 9));
  EXPECT_THAT(texels<uint8_t>(image(1, {9}), PixelFormat::A8Unorm), ElementsAre(9));
}

TEST(PictureTexels, NumbersAreFractionsOrIntegers) {
  const PngImage wide = image(1, {0x34, 0x12}, ScalarType::UShort);
  EXPECT_THAT(texels<uint16_t>(image(1, {0, 1, 255}), PixelFormat::R16Unorm), ElementsAre(0, 257, 65535));
  EXPECT_THAT(texels<uint16_t>(image(1, {0, 1, 255}), PixelFormat::R16Uint), ElementsAre(0, 1, 255));
  EXPECT_THAT(texels<uint32_t>(image(1, {255}), PixelFormat::R32Uint), ElementsAre(255));
  EXPECT_THAT(texels<uint16_t>(wide, PixelFormat::R16Unorm), ElementsAre(0x1234));
  EXPECT_THAT(texels<float>(image(1, {0, 51, 255}), PixelFormat::R32Float), ElementsAre(0.0f, 0.2f, 1.0f));
  EXPECT_THAT(texels<float>(wide, PixelFormat::R32Float), ElementsAre(float(0x1234 / 65535.0)));
  EXPECT_THAT(texels<uint16_t>(image(1, {51, 255}), PixelFormat::R16Float), ElementsAre(0x3266, 0x3c00));
  EXPECT_THAT(texels<uint32_t>(image(1, {255}), PixelFormat::RGBA32Uint), ElementsAre(255, 255, 255, 255));
}

TEST(PictureTexels, WhatAFormatCannotHoldIsRefused) {
  EXPECT_EQ(refusal(image(4, {1, 2, 3, 4}), PixelFormat::R8Unorm),
            "'a.png': a picture of red, green, blue and alpha in 8 bits does not fit R8Unorm");
  EXPECT_EQ(refusal(image(1, {1, 2}, ScalarType::UShort), PixelFormat::R8Unorm),
            "'a.png': a picture of grey in 16 bits does not fit R8Unorm");
  for (const PixelFormat format : {PixelFormat::R8Snorm, PixelFormat::R16Sint, PixelFormat::RGB10A2Unorm})
    EXPECT_NE(refusal(image(1, {1}), format), "");
  EXPECT_NE(refusal(image(2, {1, 2}), PixelFormat::R8Unorm), "");
}

TEST(PictureTexels, APictureOfEightAndSixteenBitsIsTheTexels) {
  const auto back = [](PixelFormat format, std::string_view bytes) {
    const PixelFormatInfo &info = *pixelFormatInfo(format);
    EXPECT_TRUE(checkPicture(info));
    const Picture picture = pictureOf(bytes, info, uint32_t(bytes.size() / info.bytes), 1);
    EXPECT_EQ(picture.rounded, info.kind == PixelKind::Float);
    return picture.image;
  };
  EXPECT_EQ(back(PixelFormat::RGBA8Unorm, "abcd").numbers, "abcd");
  EXPECT_EQ(back(PixelFormat::BGRA8Unorm, "abcd").numbers, "cbad");
  EXPECT_EQ(back(PixelFormat::RG8Uint, "abcd").channels, 2u);
  EXPECT_EQ(back(PixelFormat::A8Unorm, "ab").numbers, "ab");
  EXPECT_EQ(back(PixelFormat::R16Unorm, "abcd").type, ScalarType::UShort);
  EXPECT_EQ(back(PixelFormat::R16Unorm, "abcd").numbers, "abcd");
  const float values[] = {-1, 0.2f, 0.5f, 7, std::bit_cast<float>(0x7fc00000u)};
  const std::string_view floats(reinterpret_cast<const char *>(values), sizeof values);
  EXPECT_EQ(back(PixelFormat::R32Float, floats).numbers, std::string("\0\x33\x80\xff\0", 5));
  EXPECT_EQ(back(PixelFormat::R16Float, std::string_view("\x66\x32", 2)).numbers, "\x33");
}

TEST(PictureTexels, SignedAndPackedNumbersAreNoPicture) {
  for (const PixelFormat format : {PixelFormat::R8Snorm, PixelFormat::R8Sint, PixelFormat::R32Uint,
                                   PixelFormat::RGB10A2Unorm, PixelFormat::B5G6R5Unorm})
    EXPECT_FALSE(checkPicture(*pixelFormatInfo(format)));
  EXPECT_EQ(checkPicture(*pixelFormatInfo(PixelFormat::R8Snorm)).error().message(),
            "a PNG file has no numbers as those of R8Snorm");
}

} // namespace assay::cli
