#include "frontend/header_search.h"

namespace assay::frontend {

namespace fs = std::filesystem;

std::optional<fs::path> findUserHeader(const fs::path &from, std::string_view operand,
                                       const std::vector<std::string> &includePaths) {
  const char close = operand.empty() ? 0 : operand[0] == '"' ? '"' : operand[0] == '<' ? '>' : 0;
  const size_t end = close ? operand.find(close, 1) : std::string_view::npos;
  if (end == std::string_view::npos)
    return std::nullopt;
  const std::string_view name = operand.substr(1, end - 1);
  if (name.find('\0') != name.npos) // the system would read a shorter name
    return std::nullopt;
  std::error_code ignored;
  if (close == '"' && fs::is_regular_file(from.parent_path() / name, ignored))
    return from.parent_path() / name;
  for (const std::string &directory : includePaths)
    if (fs::is_regular_file(fs::path(directory) / name, ignored))
      return fs::path(directory) / name;
  return std::nullopt;
}

std::optional<fs::path> findFirstHeader(const std::string &name,
                                        const std::vector<std::string> &includePaths) {
  return findUserHeader({}, '"' + name + '"', includePaths);
}

} // namespace assay::frontend
