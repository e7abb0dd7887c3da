// Where an #include of the user's leads, by the text alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::frontend {

/// The file that `operand`, a header's name in quotes or angle brackets, names in the file `from`: beside that file
/// for quotes, then in the include paths. None if it is not among the user's files.
std::optional<std::filesystem::path> findUserHeader(const std::filesystem::path &from, std::string_view operand,
                                                    const std::vector<std::string> &includePaths);

} // namespace assay::frontend
