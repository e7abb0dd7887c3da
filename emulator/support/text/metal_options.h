// Options of Apple's compiler that builds pass. Assay's commands and its stand-in of `metal` both take them:
// each walks its own command line and asks the one table here what a word is.
#pragma once

#include "support/abi/language_version.h"
#include "support/text/result.h"

#include <optional>
#include <string_view>

namespace assay {

enum class MetalOption {
  Language,       ///< -std=VERSION
  OldestMac,      ///< -mmacosx-version-min=VERSION, -mmacos-version-min=VERSION
  MathMode,       ///< -fmetal-math-mode=MODE; -ffast-math and -fno-fast-math have the value "fast" and "safe"
  WriteRounding,  ///< -ftexture-write-rounding-mode=MODE
  FirstHeader,    ///< -include FILE
  Folder,         ///< -I DIR, -isystem DIR, -iquote DIR: all are searched alike
  Define,         ///< -D NAME[=VALUE]
  Undefine,       ///< -U NAME
  SourceLanguage, ///< -x LANGUAGE, of which metal is compiled
  System,         ///< -target TRIPLE, -arch NAME: without effect, as all kernels run on this processor
  WarningsAreErrors, ///< -Werror
  WithoutEffect      ///< how code is generated, for which system, which warnings are wanted
};

struct MetalOptionUse {
  MetalOption option;
  std::optional<std::string_view> value; ///< none: the next word, but for the last two, which have no value
};

/// The value of -x for sources that are compiled here.
inline constexpr std::string_view kMetalLanguage = "metal";

/// What a word of a command line is, if it is one of these options.
std::optional<MetalOptionUse> findMetalOption(std::string_view word);

/// The oldest macOS that a program runs on, after -mmacosx-version-min=: its language is the default. Before
/// Metal 4, a source without a version is one that may be any of the older versions.
///   errors  Usage "bad-option"
Result<LanguageVersion> defaultLanguageOfMac(std::string_view version);

} // namespace assay
