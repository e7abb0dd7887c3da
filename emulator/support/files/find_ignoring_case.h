// Finds a file as a Mac's file system does. As it is formatted by default, it keeps the case of names and
// ignores it when it looks for one, so sources written on a Mac include "Common.h" as "common.h". On Linux
// these are two names.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace assay {

/// Whether two names are one name on a Mac. Only ASCII letters are compared without case; a Mac does so with
/// all of Unicode.
bool sameIgnoringCase(std::string_view a, std::string_view b);

/// The path of an existing file or folder: `path` itself if it exists, or else the path that differs from it
/// in case alone, in any of its parts. Of several such names in a folder the first in the order of bytes is
/// taken. None if there is none.
std::optional<std::filesystem::path> findIgnoringCase(const std::filesystem::path &path);

} // namespace assay
