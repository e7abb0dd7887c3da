// The names that the library declares, as the front end compiles it.
#pragma once

#include "names.h"

#include "support/abi/language_version.h"

namespace assay::apple_headers {

/// What a program declares, and what every program is given, for this version of Metal. Names that a
/// namespace has by `using` are its own, too.
/// Throws std::runtime_error if the front end's Clang refuses the program.
Names declaredNames(const std::string &program, LanguageVersion version);

} // namespace assay::apple_headers
