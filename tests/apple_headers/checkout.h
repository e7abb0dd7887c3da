// The user's copy of Apple's Metal headers, and what it declares for a version of Metal.
//
// The headers are read where they are, at the time of the test; the project has no text of them.
// ASSAY_APPLE_HEADERS_DIR names the folder that has the file metal_stdlib. One published copy is
// reference/clang/32023.883/include/metal in a clone of kagurasumusun/metal.
#pragma once

#include "declarations.h"
#include "names.h"

#include "support/abi/language_version.h"

#include <span>
#include <string>

namespace assay::apple_headers {

/// Empty: the variable is not set.
std::string checkoutFolder();

/// What metal_stdlib of a folder declares for a program of this version, for macOS.
///   errors  std::runtime_error: the folder has no such file, or Clang does not preprocess it
Declarations readHeaders(const std::string &folder, LanguageVersion version);

/// The names that a program of this version has with metal_stdlib, and with metal_types, which Apple's
/// compiler gives to every program. errors: as above
Names readHeaderNames(const std::string &folder, LanguageVersion version);

/// The same headers as one text without preprocessor directives. errors: as above
std::string preprocessedHeaders(const std::string &folder, LanguageVersion version);

/// Throws std::runtime_error if these are fewer functions, without templates, than the headers of a version
/// can be believed to have, so that a test cannot pass because it found nothing.
void expectPlausible(size_t functions, LanguageVersion version);

/// Both of the above, for the user's folder. It is read once in a process.
const Declarations &declarationsOf(LanguageVersion version);

/// The versions with features of their own in the headers.
std::span<const LanguageVersionInfo> judgedVersions();

} // namespace assay::apple_headers
