// Finds the file of a user's #include, by the text alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A header's name as an #include has it: in quotes or in angle brackets.
struct HeaderOperand {
  std::string_view name; ///< without its marks
  bool quoted = false;
  size_t end = 0; ///< in the text, after the closing mark
};

/// The name at the beginning of `text`. None if no closed name stands there, or if it has a byte 0, at which
/// the system would end it.
std::optional<HeaderOperand> parseHeaderOperand(std::string_view text);

/// The file that `operand`, a header's name in quotes or angle brackets, means in the file `from`. A name in
/// quotes is searched beside that file first, then every name in the include paths, each as a Mac finds it
/// (support/files/find_ignoring_case.h). None if it is not a user's file.
std::optional<std::filesystem::path> findUserHeader(const std::filesystem::path &from,
                                                    std::string_view operand,
                                                    const std::vector<std::string> &includePaths);

/// The file of a header before the first line (-include), which is searched in the current
/// folder first, not beside the source. None if it is not a user's file.
std::optional<std::filesystem::path> findFirstHeader(const std::string &name,
                                                     const std::vector<std::string> &includePaths);

/// The line that includes a header before the first line.
std::string firstInclude(const std::string &name);

} // namespace assay
