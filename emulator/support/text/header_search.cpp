#include "support/text/header_search.h"

#include "support/files/find_ignoring_case.h"

namespace assay {

namespace fs = std::filesystem;

namespace {

std::optional<fs::path> fileAt(const fs::path &path) {
  std::error_code ignored;
  const std::optional<fs::path> found = findIgnoringCase(path);
  return found && fs::is_regular_file(*found, ignored) ? found : std::nullopt;
}

std::string quoted(const std::string &name) {
  return '"' + name + '"';
}

} // namespace

std::optional<HeaderOperand> parseHeaderOperand(std::string_view text) {
  const char close = text.empty() ? 0 : text[0] == '"' ? '"' : text[0] == '<' ? '>' : 0;
  const size_t end = close ? text.find(close, 1) : text.npos;
  if (end == text.npos)
    return std::nullopt;
  const HeaderOperand operand{text.substr(1, end - 1), close == '"', end + 1};
  return operand.name.find('\0') == operand.name.npos ? std::optional(operand) : std::nullopt;
}

std::optional<fs::path> findUserHeader(const fs::path &from, std::string_view operand,
                                       const std::vector<std::string> &includePaths) {
  const std::optional<HeaderOperand> header = parseHeaderOperand(operand);
  if (!header)
    return std::nullopt;
  if (header->quoted)
    if (auto found = fileAt(from.parent_path() / header->name))
      return found;
  for (const std::string &directory : includePaths)
    if (auto found = fileAt(fs::path(directory) / header->name))
      return found;
  return std::nullopt;
}

std::optional<fs::path> findFirstHeader(const std::string &name,
                                        const std::vector<std::string> &includePaths) {
  return findUserHeader({}, quoted(name), includePaths);
}

std::string firstInclude(const std::string &name) {
  return "#include " + quoted(name) + "\n";
}

} // namespace assay
