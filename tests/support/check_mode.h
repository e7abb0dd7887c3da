// Whole test programs run a second time under the checkers: ctest sets ASSAY_TEST_CHECK to a list of rules
// for those runs, and a finding fails the dispatch, unless the file ASSAY_TEST_SUPPRESS covers it.
#pragma once

#include "emulator/host/assay.h"

#include <cstdlib>

namespace assay::testing_support {

/// The rules of this run; none as a rule.
inline CheckRules rulesOfThisRun() {
  const char *value = std::getenv("ASSAY_TEST_CHECK");
  return value && *value ? *CheckRules::parse(value) : CheckRules();
}

/// What is left of a run's findings.
inline std::vector<Finding> notAccepted(std::vector<Finding> findings) {
  const char *file = std::getenv("ASSAY_TEST_SUPPRESS");
  if (!file || !*file)
    return findings;
  const Result<Suppressions> accepted = Suppressions::read(file);
  return accepted ? accepted->apply(std::move(findings)).findings : findings;
}

} // namespace assay::testing_support
