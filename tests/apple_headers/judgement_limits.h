// Where the compiled headers have no judgement, and which differences from it are meant to be.
#pragma once

#include "probes.h"

#include <span>
#include <string>
#include <vector>

namespace assay::apple_headers {

/// Why an error of stock Clang in Apple's headers says nothing about Metal; null: it says that Metal refuses
/// this probe, too.
const char *limitOf(const Probe &probe, const std::string &message);

/// Differences that are meant to be, or that no compiler but Apple's can decide.
struct DifferenceException {
  const char *pattern; ///< a regular expression, found in the text of a difference
  const char *reason;
};

std::span<const DifferenceException> memberExceptions();
std::span<const DifferenceException> memberNameExceptions();
std::span<const DifferenceException> expressionExceptions(); ///< none is known

/// The differences that no exception explains, a line for each, and each exception that explains none.
std::string unexplained(const std::vector<std::string> &differences,
                        std::span<const DifferenceException> exceptions);

} // namespace assay::apple_headers
