#include "support/text/header_search.h"

namespace assay {

namespace fs = std::filesystem;

namespace {

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
  std::error_code ignored;
  if (header->quoted && fs::is_regular_file(from.parent_path() / header->name, ignored))
    return from.parent_path() / header->name;
  for (const std::string &directory : includePaths)
    if (fs::is_regular_file(fs::path(directory) / header->name, ignored))
      return fs::path(directory) / header->name;
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
