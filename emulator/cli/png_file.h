// PNG files as arrays of numbers, in and out, by libpng.
//
// The numbers are the file's: nothing is converted by gamma or colour space. A palette becomes its colours,
// 1, 2 and 4 bits become 8, and colours get an alpha of 1, since Metal has no format of three channels.
//
// Rejected. A decoder of our own: libpng is small, old and kept well. Its simplified interface: it converts
// 16 bits by gamma.
// source: Portable Network Graphics Specification, third edition; libpng's manual
#pragma once

#include "../support/abi/scalar_type.h"
#include "../support/text/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::cli {

struct PngImage {
  uint32_t width = 0, height = 0;
  uint32_t channels = 1;               ///< 1 grey, 2 grey and alpha, 4 red, green, blue, alpha
  ScalarType type = ScalarType::UChar; ///< or UShort
  std::string numbers;                 ///< rows from the top without gaps, little-endian

  uint64_t rowBytes() const { return uint64_t(width) * channels * scalarTypeInfo(type).bytes; }
};

/// name   what messages call it
/// errors Usage "png": no PNG file, a broken one, or one of more than 16,384 by 16,384 texels
Result<PngImage> parsePng(std::string_view bytes, const std::string &name);
/// errors as above; Usage "no-such-file", "unreadable-file"
Result<PngImage> readPng(const std::string &path);

/// The file's bytes. The image has the numbers of its extents.
std::string pngBytes(const PngImage &image);

} // namespace assay::cli
