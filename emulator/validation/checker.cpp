// The words that checkers share.
#include "validation/checker.h"

#include <fmt/format.h>

namespace assay::validation {

std::string threadText(uint32_t thread) {
  return fmt::format("thread {} (lane {} of simdgroup {})", thread, thread % kSimdWidth, thread / kSimdWidth);
}

std::string groupText(const uint32_t (&position)[3]) {
  return fmt::format("threadgroup ({},{},{})", position[0], position[1], position[2]);
}

std::string lanesText(uint32_t mask) {
  constexpr int kNamed = 4;
  const int count = __builtin_popcount(mask);
  const uint32_t first = uint32_t(__builtin_ctz(mask));
  if (count == 1)
    return fmt::format("lane {}", first);
  const uint32_t last = 31 - uint32_t(__builtin_clz(mask));
  if (last - first + 1 == uint32_t(count))
    return fmt::format("lanes {} to {}", first, last);
  std::string text = "lanes ";
  int named = 0;
  for (uint32_t rest = mask; rest && named < kNamed; rest &= rest - 1, ++named)
    text += fmt::format("{}{}", named ? ", " : "", __builtin_ctz(rest));
  return count > kNamed ? text + fmt::format(" and {} more", count - kNamed) : text;
}

} // namespace assay::validation
