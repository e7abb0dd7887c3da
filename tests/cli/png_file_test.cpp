// PNG files in and out. The files in hexadecimal are written out by hand after the specification.
#include "cli/png_file.h"

#include <gmock/gmock.h>

namespace assay::cli {
namespace {

std::string bytesOf(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += char(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

// 2 bits, a palette of red, green, blue and white, of which green is half clear: texels 0, 1, 2 and 3.
const std::string kPalette =
    bytesOf("89504e470d0a1a0a0000000d49484452000000040000000102030000008452e75e0000000c504c5445ff0000"
            "00ff000000fffffffffb0060f60000000274524e53ff80080fb36a0000000d494441547801010200fdff001b"
            "001d001c1d4923d50000000049454e44ae426082");
// 1 bit: 1, 0, 1 and 1.
const std::string kOneBit =
    bytesOf("89504e470d0a1a0a0000000d4948445200000004000000010100000000d14732600000000d49444154780101"
            "0200fdff00b000b200b160fd485a0000000049454e44ae426082");
// A texel of red 0x0102, green 0x0304 and blue 0x0506.
const std::string kColors =
    bytesOf("89504e470d0a1a0a0000000d4948445200000001000000011002000000c0e78f9d0000001249444154780101"
            "0700f8ff00010203040506003f001668415f8d0000000049454e44ae426082");
// Two rows of 10, 20 and 30, 40 in the passes of Adam7.
const std::string kInterlaced =
    bytesOf("89504e470d0a1a0a0000000d494844520000000200000002080000000120da626e0000001249444154780101"
            "0700f8ff000a0014001e2800f700657d36149e0000000049454e44ae426082");
// What a camera or an editor adds: a gamma of 1 and an empty eXIf.
const std::string kExtra = bytesOf("0000000467414d41000186a031e8965f00000004655849664d4d002a19b1588a"
                                   "");

std::string numbers(const PngImage &image) {
  std::string text;
  for (unsigned char byte : image.numbers)
    text += std::to_string(byte) + " ";
  return text;
}

} // namespace

TEST(PngFile, IsReadAsItWasWritten) {
  for (const ScalarType type : {ScalarType::UChar, ScalarType::UShort})
    for (const uint32_t channels : {1, 2, 4}) {
      PngImage image{.width = 3, .height = 2, .channels = channels, .type = type, .numbers = {}};
      for (uint64_t i = 0; i < image.rowBytes() * image.height; ++i)
        image.numbers += char(37 * i + 5);
      const Result<PngImage> again = parsePng(pngBytes(image), "a.png");
      ASSERT_TRUE(again) << channels;
      EXPECT_EQ(again->width, 3u);
      EXPECT_EQ(again->height, 2u);
      EXPECT_EQ(again->channels, channels);
      EXPECT_EQ(again->type, type);
      EXPECT_EQ(again->numbers, image.numbers);
    }
}

TEST(PngFile, OfAnyKindBecomesWholeNumbers) {
  const auto read = [](const std::string &bytes) { return *parsePng(bytes, "a.png"); };
  EXPECT_EQ(read(kPalette).channels, 4u);
  EXPECT_EQ(numbers(read(kPalette)), "255 0 0 255 0 255 0 128 0 0 255 255 255 255 255 255 ");
  EXPECT_EQ(read(kOneBit).channels, 1u);
  EXPECT_EQ(numbers(read(kOneBit)), "255 0 255 255 ");
  EXPECT_EQ(read(kColors).type, ScalarType::UShort);
  EXPECT_EQ(numbers(read(kColors)), "2 1 4 3 6 5 255 255 ");
  EXPECT_EQ(numbers(read(kInterlaced)), "10 20 30 40 ");
}

TEST(PngFile, IsReadByItsTexelsAlone) {
  constexpr size_t kHeaderBytes = 8 + 25; // the signature and IHDR
  std::string extended = kInterlaced;
  extended.insert(kHeaderBytes, kExtra);
  const Result<PngImage> image = parsePng(extended, "a.png");
  ASSERT_TRUE(image);
  EXPECT_EQ(numbers(*image), "10 20 30 40 ");

  // An eXIf that claims to be 1.9 GB long. The fuzzer finds it if memory is taken for that.
  extended.insert(kHeaderBytes, bytesOf("7373677465584966"));
  EXPECT_EQ(parsePng(extended, "a.png").error().message(), "'a.png' cannot be read as PNG: it is cut off");
}

TEST(PngFile, ThatIsBrokenSaysHow) {
  const PngImage image{
      .width = 64, .height = 64, .channels = 1, .type = ScalarType::UChar, .numbers = std::string(4096, 7)};
  const std::string whole = pngBytes(image);
  const auto message = [](const std::string &bytes) {
    const Result<PngImage> read = parsePng(bytes, "a.png");
    return read ? "" : read.error().message();
  };
  EXPECT_EQ(message(""), "'a.png' cannot be read as PNG: it is cut off");
  EXPECT_EQ(message("\x93NUMPY and more"), "'a.png' cannot be read as PNG: Not a PNG file");
  EXPECT_EQ(message(whole.substr(0, whole.size() / 2)), "'a.png' cannot be read as PNG: it is cut off");
  std::string damaged = whole;
  damaged[whole.size() - 20] ^= 0x10;
  EXPECT_THAT(message(damaged), testing::StartsWith("'a.png' cannot be read as PNG: "));
  EXPECT_TRUE(parsePng(damaged, "a.png").error().is("png"));
}

} // namespace assay::cli
