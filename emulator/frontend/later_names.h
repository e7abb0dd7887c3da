// Says of a name that the library has for later versions of Metal only which version that is.
//
// Problem.  The shim declares what the version has that a program is compiled as, so that a program may give
//           the other names to functions of its own. Clang then says "use of undeclared identifier 'max3'",
//           as Apple's compiler does, and its user looks for a missing #include.
// Choice.   The shim's text is the table. What stands under `#if __ASSAY_LIBRARY_HAS(MAX3)` came with that
//           feature, and features.h has the feature's versions. It is read when such an error is reported.
// Rejected. A table of names and versions beside the shim: it states each fact a second time. Compiling the
//           program again as a later version: the error would wait for another precompiled shim.
#pragma once

#include "support/abi/language_version.h"

#include <optional>
#include <string>
#include <string_view>

namespace assay::frontend {

/// The version from which on the library has the name, if a feature decides that; on iOS or on macOS.
std::optional<LanguageVersion> firstVersionOf(std::string_view name, bool ios);

/// The message of an error, or what replaces it: "max3 needs Metal 2.1 or later".
std::string namingLaterVersion(std::string message, LanguageVersion asked, bool ios);

/// Whether a message has, in quotes, a name that the library has from this version on, or a later one.
bool namesOneSince(std::string_view message, LanguageVersion version);

/// As in messages: 2.1.
std::string versionText(LanguageVersion version);

} // namespace assay::frontend
