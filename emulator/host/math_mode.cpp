#include "math_mode.h"

#include <fmt/format.h>

namespace assay {

namespace {

constexpr struct {
  std::string_view name;
  MathMode mode;
} kModes[] = {{"fast", MathMode::Fast}, {"relaxed", MathMode::Relaxed}, {"safe", MathMode::Safe}};

} // namespace

std::string_view nameOf(MathMode mode) {
  for (const auto &known : kModes)
    if (known.mode == mode)
      return known.name;
  return {};
}

Result<MathMode> parseMathMode(std::string_view text, std::string_view option) {
  for (const auto &known : kModes)
    if (known.name == text)
      return known.mode;
  return Error::usage("bad-option", fmt::format("{}{}: no such mode", option, text),
                      "modes: fast, relaxed, safe");
}

} // namespace assay
