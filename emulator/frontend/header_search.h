// Finds the file of a user's #include, by the text alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::frontend {

/// The file that `operand`, a header's name in quotes or angle brackets, means in the file `from`. A name in
/// quotes is searched beside that file first, then every name in the include paths. None if it is not a
/// user's file.
std::optional<std::filesystem::path> findUserHeader(const std::filesystem::path &from,
                                                    std::string_view operand,
                                                    const std::vector<std::string> &includePaths);

/// The file of a header before the first line (SourceRequest::headers), which is searched in the current
/// folder first, not beside the source. None if it is not a user's file.
std::optional<std::filesystem::path> findFirstHeader(const std::string &name,
                                                     const std::vector<std::string> &includePaths);

} // namespace assay::frontend
