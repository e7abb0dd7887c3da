// Writes the findings of checkers in one dispatch as JUnit's XML, the form in which test runners and build
// servers take results.
//
// There is no standard: Ant wrote such files first, and other programs read them. This file uses only what
// all readers accept: a <testsuite> in <testsuites>, and in each <testcase> at most one <failure> or <error>.
// A dispatch is a suite, and each rule that was checked is a case. So a rule without findings counts as
// passed, and a rule that nobody asked for as not run.
#pragma once

#include "../host/assay.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// One dispatch.
struct JUnitSuite {
  std::string file, kernel;
  std::optional<double> seconds;
  CheckRules rules;              ///< that were asked for
  std::vector<Finding> findings; ///< without those that are suppressed
  std::optional<Error> error;    ///< the kernel did not end, with what was found before
  /// Cases beside the rules: a name, and what failed or nothing.
  struct Case {
    std::string name, failure;
  };
  std::vector<Case> others;
};

/// A document in UTF-8. Findings of a rule are one <failure> of its case, with the text that `assay run`
/// prints; the error is the <error> of the case `dispatch`, which is there in any case.
std::string junitOf(const JUnitSuite &suite);

/// Text for content and for attributes in double quotes. What XML 1.0 has no way to write (control
/// characters, bytes that are not UTF-8) becomes U+FFFD.
std::string xmlText(std::string_view text);

} // namespace assay::cli
