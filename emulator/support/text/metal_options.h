// Options of Apple's compiler that builds pass, and that Assay's commands and its stand-in of `metal` take.
#pragma once

#include "support/abi/language_version.h"
#include "support/text/result.h"

#include <string_view>

namespace assay {

/// Whether an option of Apple's compiler has no meaning here: how code is generated, for which system, and
/// which warnings are wanted. None of them changes what a kernel computes. -Werror is none of them.
bool isWithoutEffect(std::string_view option);

/// The oldest macOS that a program runs on, after -mmacosx-version-min=: its language is the default. Before
/// Metal 4, a source without a version is one that may be any of the older versions.
///   errors  Usage "bad-option"
Result<LanguageVersion> defaultLanguageOfMac(std::string_view version);

} // namespace assay
