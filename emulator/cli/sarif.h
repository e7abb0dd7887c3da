// Writes findings of checkers as SARIF 2.1.0, the form in which code-hosting sites take them.
// source: OASIS, Static Analysis Results Interchange Format 2.1.0.
#pragma once

#include "json.h"

#include <vector>

namespace assay::cli {

/// One run of one tool, with all rules of checkers and a result for each finding.
Json sarifOf(const std::vector<Finding> &findings);

} // namespace assay::cli
