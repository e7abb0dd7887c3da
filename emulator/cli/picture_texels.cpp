#include "picture_texels.h"

#include "../support/numbers/float_bits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace assay::cli {
namespace {

bool isFraction(const PixelFormatInfo &format) {
  return format.kind == PixelKind::Unorm || format.kind == PixelKind::Srgb;
}

uint32_t numberAt(const char *at, uint32_t bytes) {
  uint32_t number = 0;
  std::memcpy(&number, at, bytes);
  return number;
}

// A picture's number as the bits of a channel. 8 bits or 16, in 8, 16 or more.
uint32_t bitsOf(uint32_t number, uint32_t most, const PixelFormatInfo &format) {
  if (format.kind == PixelKind::Float) {
    const float value = float(double(number) / most);
    return format.storage() == ScalarType::Half ? halfFromDouble(double(number) / most)
                                                : std::bit_cast<uint32_t>(value);
  }
  const bool widened = isFraction(format) && format.storage() == ScalarType::UShort && most == 0xff;
  return widened ? number * 257 : number;
}

// The channel of the picture for red, green, blue or alpha; none: alpha is 1.
int sourceOf(int channel, uint32_t channels) {
  if (channels >= 3)
    return channel;
  return channel < 3 ? 0 : channels == 2 ? 1 : -1;
}

Error refused(std::string_view spec, const PngImage &image, const PixelFormatInfo &format) {
  constexpr const char *kWhat[] = {"", "grey", "grey and alpha", "", "red, green, blue and alpha"};
  return Error::usage("pixel-format",
                      fmt::format("'{}': a picture of {} in {} bits does not fit {}", spec,
                                  kWhat[image.channels], scalarTypeInfo(image.type).bytes * 8, format.name),
                      "formats with as many channels and bits, floats, or no format at all");
}

} // namespace

Result<std::string> texelsOf(const PngImage &image, const PixelFormatInfo &format, std::string_view spec) {
  const uint32_t size = scalarTypeInfo(image.type).bytes,
                 most = image.type == ScalarType::UChar ? 0xff : 0xffff;
  const uint32_t width = scalarTypeInfo(format.storage()).bytes, count = format.channelCount();
  const bool known = isFraction(format) || format.kind == PixelKind::Float || format.kind == PixelKind::Uint;
  // Two channels, of the picture and of the format, are the same two.
  const bool asTheyAre = count == image.channels;
  const bool fits = asTheyAre || image.channels == 1 || count == 4;
  if (!known || !format.isArray() || !fits || (format.kind != PixelKind::Float && width < size))
    return refused(spec, image, format);
  std::string texels(uint64_t(image.width) * image.height * format.bytes, '\0');
  const char *from = image.numbers.data();
  for (char *to = texels.data(); to != texels.data() + texels.size();
       to += format.bytes, from += uint64_t(image.channels) * size)
    for (int channel = 0, n = 0; channel < 4; ++channel) {
      const PixelChannel &place = format.channels[channel];
      if (!place.bits)
        continue;
      const int source = asTheyAre && count < 3 ? n : sourceOf(channel, image.channels);
      ++n;
      const uint32_t number = source < 0 ? most : numberAt(from + source * size, size);
      const uint32_t bits = bitsOf(number, most, format);
      std::memcpy(to + place.first / 8, &bits, width);
    }
  return texels;
}

Result<void> checkPicture(const PixelFormatInfo &format) {
  const bool numbers =
      isFraction(format) || (format.kind == PixelKind::Uint && format.storage() != ScalarType::UInt);
  if (format.isArray() && (numbers || format.kind == PixelKind::Float))
    return {};
  return Error::usage("pixel-format", fmt::format("a PNG file has no numbers as those of {}", format.name),
                      "write FILE.npy");
}

Picture pictureOf(std::string_view texels, const PixelFormatInfo &format, uint32_t width, uint32_t height) {
  Picture picture;
  PngImage &image = picture.image;
  image.width = width;
  image.height = height;
  image.channels = format.channelCount();
  image.type = format.storage() == ScalarType::UShort ? ScalarType::UShort : ScalarType::UChar;
  picture.rounded = format.kind == PixelKind::Float;
  const uint32_t from = scalarTypeInfo(format.storage()).bytes, size = scalarTypeInfo(image.type).bytes;
  image.numbers.assign(image.rowBytes() * height, '\0');
  char *to = image.numbers.data();
  for (size_t at = 0; at < texels.size(); at += format.bytes)
    for (const PixelChannel &place : format.channels) {
      if (!place.bits)
        continue;
      uint32_t number = numberAt(texels.data() + at + place.first / 8, from);
      if (picture.rounded) {
        const float value = std::bit_cast<float>(from == 2 ? floatBitsFromHalf(uint16_t(number)) : number);
        number = value > 0 ? uint32_t(std::lround(std::min(value, 1.0f) * 255)) : 0; // NaN is 0
      }
      std::memcpy(to, &number, size);
      to += size;
    }
  return picture;
}

} // namespace assay::cli
