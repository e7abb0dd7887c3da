// How writes to textures with floats of fewer bits round: Apple's option -ftexture-write-rounding-mode=.
// The runtime rounds to nearest, ties to even (runtime/texel.h): `rte`. `native` is whatever a GPU does, so
// it is that here. `rtz` rounds towards zero; nothing here does, so it is refused.
// source: MSL specification 4, section 1.6.7
#pragma once

#include "support/text/result.h"

#include <fmt/format.h>

#include <string_view>

namespace assay {

inline constexpr std::string_view kTextureWriteRounding = "-ftexture-write-rounding-mode=";

/// errors  Usage "bad-option"
inline Result<void> checkTextureWriteRounding(std::string_view mode) {
  if (mode == "native" || mode == "rte")
    return {};
  return Error::usage(
      "bad-option",
      fmt::format("{}{}: {}", kTextureWriteRounding, mode,
                  mode == "rtz" ? "writes to textures do not round towards zero here" : "no such mode"),
      "modes here: native, rte");
}

} // namespace assay
