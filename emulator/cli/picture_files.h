// The names of the PNG files of one texture. A layered texture, a cube or a volume has several.
//
//   photo.png                 one
//   left.png,right.png        a list, in the order of layers, faces or depths
//   slice-###.png             one for each number from 0 on, here with three digits at least: slice-000.png
//
// Rejected. A pattern like printf's: a user's text would be a format. A star: shells replace it, and it has
//           no order.
#pragma once

#include "../support/text/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// The files that a text names, each with the ending .png. A comma divides two files only after .png.
std::vector<std::string> dividePictures(std::string_view text);

/// Whether a file's name has a place for a number.
bool isNumbered(std::string_view file);
/// "slice-###.png", 7: "slice-007.png".
std::string numberedFile(std::string_view file, uint64_t number);

/// The files to read: a numbered name stands for those that exist, from 0 to the first that does not, and at
/// least for 0. A file whose name really has a '#' is itself.
std::vector<std::string> picturesToRead(std::string_view text);

/// The files to write, one for each of `count` pictures.
///   errors   Usage "bad-option": more or fewer are named
Result<std::vector<std::string>> picturesToWrite(std::string_view text, uint64_t count);

} // namespace assay::cli
