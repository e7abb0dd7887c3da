// The formats of attributes: sizes and numbers as Apple's documentation of MTLAttributeFormat has them.
#include "support/abi/attribute_format.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace assay {
namespace {

// Bytes by the name: what a format is called says it, but for the packed ones.
unsigned bytesByName(std::string name) {
  if (name == "Int1010102Normalized" || name == "UInt1010102Normalized" || name == "UChar4Normalized_BGRA" ||
      name == "FloatRG11B10" || name == "FloatRGB9E5")
    return 4;
  if (const size_t suffix = name.find("Normalized"); suffix != name.npos)
    name.resize(suffix);
  const unsigned components = isdigit(name.back()) ? unsigned(name.back() - '0') : 1;
  const unsigned each = name.find("Char") != name.npos                                      ? 1
                        : name.find("Short") != name.npos || name.find("Half") != name.npos ? 2
                                                                                            : 4;
  return each * components;
}

} // namespace

TEST(AttributeFormat, HasTheBytesOfItsName) {
  for (const AttributeFormatInfo &info : kAttributeFormats)
    EXPECT_EQ(info.bytes, bytesByName(std::string(info.name))) << info.name;
}

TEST(AttributeFormat, IsFoundByItsNumber) {
  std::set<int> numbers;
  for (const AttributeFormatInfo &info : kAttributeFormats) {
    EXPECT_EQ(attributeFormatInfo(info.format), &info) << info.name;
    EXPECT_TRUE(numbers.insert(int(info.format)).second) << info.name;
  }
  EXPECT_EQ(numbers.size(), 53u);
  EXPECT_EQ(*numbers.rbegin(), 55);
  for (const int none : {0, 43, 44, 56, 255})
    EXPECT_EQ(attributeFormatInfo(AttributeFormat(none)), nullptr) << none;
}

TEST(AttributeFormat, SaysWhatItsComponentsAre) {
  for (const AttributeFormatInfo &info : kAttributeFormats) {
    const std::string name(info.name);
    EXPECT_EQ(info.isNormalized(), name.find("Normalized") != name.npos) << name;
    EXPECT_EQ(info.texel.kind == PixelKind::Unorm || info.texel.kind == PixelKind::Uint, name[0] == 'U')
        << name;
    uint32_t bits = 0;
    for (const PixelChannel &channel : info.texel.channels)
      bits += channel.bits;
    if (info.texel.kind != PixelKind::SharedExponent)
      EXPECT_EQ(bits, info.bytes * 8u) << name;
  }
}

} // namespace assay
