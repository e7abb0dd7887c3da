#include "nearest.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay {

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearestName(std::string_view typed, const std::vector<std::string> &names) {
  std::string best;
  size_t bestDistance = SIZE_MAX;
  for (const std::string &name : names) {
    const size_t distance = editDistance(typed, name);
    const bool contained = typed.size() >= 3 && (name.find(typed) != std::string::npos ||
                                                 (name.size() >= 3 && typed.find(name) != typed.npos));
    if (distance < bestDistance && (contained || distance * 3 <= std::max(typed.size(), name.size()))) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

std::string nearestHint(std::string_view typed, const std::vector<std::string> &names,
                        std::string_view what) {
  if (std::string best = nearestName(typed, names); !best.empty())
    return fmt::format("did you mean '{}'?", best);
  if (names.empty())
    return fmt::format("there are no {}", what);
  constexpr size_t kShown = 8;
  std::vector<std::string> shown(names.begin(), names.begin() + std::min(names.size(), kShown));
  return fmt::format("{}: {}{}", what, fmt::join(shown, ", "),
                     names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "");
}

} // namespace assay
