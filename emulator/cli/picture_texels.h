// Converts the numbers of a picture to texels of a texture (`FILE.png[:FORMAT]` of --texture), and texels to
// a picture (`FILE.png` of --texture-out).
//
// In:  channels go where the format has them (bgra8unorm has blue first). Grey goes into red, green and blue
//      alike. A format with fewer channels than the picture is refused. A number n of at most m stands for
//      the fraction n/m. Formats of 8 and 16 bits hold it exactly (8 bits become 16 by n * 257), and floats
//      round it once. Integer formats get n itself.
// Out: 8 and 16 bits are written as they are. Floats are limited to 0..1 and rounded to 8 bits, because PNG
//      has no floats; the caller is told, so that it can say so.
#pragma once

#include "png_file.h"

#include "../support/abi/pixel_format.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::cli {

/// The texels of a format whose channels are numbers one after the other (PixelFormatInfo::isArray).
///   spec     for messages
///   errors   Usage "pixel-format": the format does not hold what the picture has
Result<std::string> texelsOf(const PngImage &image, const PixelFormatInfo &format, std::string_view spec);

struct Picture {
  PngImage image;
  bool rounded = false; ///< floats are no longer what they were
};
/// errors   Usage "pixel-format": signed numbers, 32-bit integers, formats that pack channels into a word
Result<void> checkPicture(const PixelFormatInfo &format);
/// texels   of a format that checkPicture accepts, rows without gaps
Picture pictureOf(std::string_view texels, const PixelFormatInfo &format, uint32_t width, uint32_t height);

} // namespace assay::cli
