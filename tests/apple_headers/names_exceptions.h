// Names that differ from Apple's library on purpose, each with the reason.
#pragma once

#include "names.h"

#include "support/abi/language_version.h"

#include <span>

namespace assay::apple_headers {

struct NameException {
  const char *name;
  LanguageVersion since, last; ///< the versions that differ
  const char *reason;
};

std::span<const NameException> nameExceptions();

/// What the exceptions do not explain, a line for each difference: its name and what it is. So is each
/// exception for this version without a difference.
std::string unexplained(const std::vector<NameDifference> &differences,
                        std::span<const NameException> exceptions, LanguageVersion version);

} // namespace assay::apple_headers
