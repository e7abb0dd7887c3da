#include "png_file.h"

#include "../support/abi/limits.h"
#include "../support/files/npy.h"

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <fmt/format.h>
#include <png.h>

// libpng reports an error by a jump. The functions with a setjmp have no objects with destructors: what needs
// one lives in their callers.
namespace assay::cli {
namespace {

constexpr uint32_t kMostExtent = kMaxTextureExtent2D;
constexpr uint64_t kMostCompressed = 1032; // deflate makes at most so many bytes of one

struct File {
  std::string_view bytes;
  size_t at = 0;
  char message[256] = {};
};

void keepMessage(png_structp png, png_const_charp message) {
  auto *file = static_cast<File *>(png_get_error_ptr(png));
  std::strncpy(file->message, message, sizeof file->message - 1);
  png_longjmp(png, 1);
}
void ignoreWarning(png_structp, png_const_charp) {}

void take(png_structp png, png_bytep to, size_t count) {
  auto *file = static_cast<File *>(png_get_io_ptr(png));
  if (count > file->bytes.size() - file->at)
    png_error(png, "it is cut off");
  std::memcpy(to, file->bytes.data() + file->at, count);
  file->at += count;
}

void put(png_structp png, png_bytep from, size_t count) {
  static_cast<std::string *>(png_get_io_ptr(png))->append(reinterpret_cast<const char *>(from), count);
}
void flushNothing(png_structp) {}

struct Reading {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~Reading() { png_destroy_read_struct(&png, &info, nullptr); }
};
struct Writing {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~Writing() { png_destroy_write_struct(&png, &info); }
};

// Everything before the rows. False: the file has a message.
bool readHeader(const Reading &reading, File &file, PngImage &image) {
  if (setjmp(png_jmpbuf(reading.png)))
    return false;
  png_set_read_fn(reading.png, &file, take);
  png_set_user_limits(reading.png, kMostExtent, kMostExtent);
  // Only texels and transparency are needed. libpng takes memory for any other chunk by the length that the
  // chunk claims, before it knows whether the file is that long.
  png_set_keep_unknown_chunks(reading.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(reading.png, reading.info);
  const int color = png_get_color_type(reading.png, reading.info);
  const bool sixteen = png_get_bit_depth(reading.png, reading.info) == 16;
  const bool colored = color & PNG_COLOR_MASK_COLOR;
  const bool clear = png_get_valid(reading.png, reading.info, PNG_INFO_tRNS);
  if (color == PNG_COLOR_TYPE_PALETTE)
    png_set_palette_to_rgb(reading.png);
  if (color == PNG_COLOR_TYPE_GRAY)
    png_set_expand_gray_1_2_4_to_8(reading.png);
  if (clear)
    png_set_tRNS_to_alpha(reading.png);
  else if (colored && !(color & PNG_COLOR_MASK_ALPHA))
    png_set_add_alpha(reading.png, 0xffff, PNG_FILLER_AFTER);
  if (sixteen)
    png_set_swap(reading.png);
  (void)png_set_interlace_handling(reading.png);
  png_read_update_info(reading.png, reading.info);
  image.width = png_get_image_width(reading.png, reading.info);
  image.height = png_get_image_height(reading.png, reading.info);
  image.channels = png_get_channels(reading.png, reading.info);
  image.type = sixteen ? ScalarType::UShort : ScalarType::UChar;
  if (png_get_rowbytes(reading.png, reading.info) != image.rowBytes())
    png_error(reading.png, "its rows are of another size than its header says");
  return true;
}

bool readRows(const Reading &reading, char *to, uint64_t rowBytes, uint32_t height) {
  if (setjmp(png_jmpbuf(reading.png)))
    return false;
  // Of an interlaced file, each pass adds texels to all rows.
  const int passes = png_get_interlace_type(reading.png, reading.info) == PNG_INTERLACE_NONE
                         ? 1
                         : PNG_INTERLACE_ADAM7_PASSES;
  for (int pass = 0; pass < passes; ++pass)
    for (uint32_t y = 0; y < height; ++y)
      png_read_row(reading.png, reinterpret_cast<png_bytep>(to) + y * rowBytes, nullptr);
  png_read_end(reading.png, nullptr);
  return true;
}

Error broken(const std::string &name, const File &file) {
  const std::string_view message = file.message;
  return Error::usage(
      "png", fmt::format("'{}' cannot be read as PNG{}{}", name, message.empty() ? "" : ": ", message));
}

} // namespace

Result<PngImage> parsePng(std::string_view bytes, const std::string &name) {
  File file{bytes};
  Reading reading;
  reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &file, keepMessage, ignoreWarning);
  reading.info = reading.png ? png_create_info_struct(reading.png) : nullptr;
  PngImage image;
  if (!reading.info || !readHeader(reading, file, image))
    return broken(name, file);
  const uint64_t size = image.rowBytes() * image.height;
  if (size / kMostCompressed > bytes.size()) {
    std::strcpy(file.message, "it is cut off");
    return broken(name, file);
  }
  image.numbers.assign(size, '\0');
  if (!readRows(reading, image.numbers.data(), image.rowBytes(), image.height))
    return broken(name, file);
  return image;
}

Result<PngImage> readPng(const std::string &path) {
  const Result<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  return parsePng(*bytes, path);
}

namespace {

bool writeAll(const Writing &writing, std::string &bytes, const PngImage &image) {
  if (setjmp(png_jmpbuf(writing.png)))
    return false;
  const int color = image.channels == 1   ? PNG_COLOR_TYPE_GRAY
                    : image.channels == 2 ? PNG_COLOR_TYPE_GRAY_ALPHA
                                          : PNG_COLOR_TYPE_RGB_ALPHA;
  png_set_write_fn(writing.png, &bytes, put, flushNothing);
  png_set_user_limits(writing.png, kMostExtent, kMostExtent);
  png_set_IHDR(writing.png, writing.info, image.width, image.height, scalarTypeInfo(image.type).bytes * 8,
               color, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writing.png, writing.info);
  if (image.type == ScalarType::UShort)
    png_set_swap(writing.png);
  for (uint32_t y = 0; y < image.height; ++y)
    png_write_row(writing.png,
                  reinterpret_cast<png_const_bytep>(image.numbers.data()) + y * image.rowBytes());
  png_write_end(writing.png, nullptr);
  return true;
}

} // namespace

std::string pngBytes(const PngImage &image) {
  File file;
  Writing writing;
  std::string bytes;
  writing.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &file, keepMessage, ignoreWarning);
  writing.info = writing.png ? png_create_info_struct(writing.png) : nullptr;
  if (!writing.info || !writeAll(writing, bytes, image))
    throw std::bad_alloc(); // of an image as above, nothing else fails
  return bytes;
}

} // namespace assay::cli
