#include "support/files/find_ignoring_case.h"

#include <algorithm>
#include <string>

namespace assay {

namespace fs = std::filesystem;

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

bool sameIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::optional<fs::path> findIgnoringCase(const fs::path &path) {
  std::error_code error;
  if (path.empty() || fs::exists(path, error))
    return path.empty() ? std::nullopt : std::optional(path);
  const fs::path parent = path.parent_path();
  const std::string name = path.filename().string();
  const std::optional<fs::path> folder = parent.empty() ? fs::path(".") : findIgnoringCase(parent);
  if (!folder)
    return std::nullopt;
  if (name.empty() || name == "." || name == ".." || fs::exists(*folder / name, error))
    return *folder / name;
  std::optional<std::string> best;
  fs::directory_iterator it(*folder, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error))
    if (std::string other = it->path().filename().string();
        sameIgnoringCase(name, other) && (!best || other < *best))
      best = std::move(other);
  if (!best)
    return std::nullopt;
  return parent.empty() ? fs::path(*best) : *folder / *best;
}

} // namespace assay
