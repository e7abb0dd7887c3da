// Matchers for what checkers found:
//
//   EXPECT_THAT(kernel.check(1, 256), NoFindings());
//   EXPECT_THAT(kernel.check(1, 256), HasFinding("race-threadgroup", 14, 11));
#pragma once

#include "../support/text/finding.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// GoogleTest prints a finding as the command line does.
inline void PrintTo(const Finding &finding, std::ostream *os) {
  *os << "\n" << renderDiagnostics(diagnosticsOf(finding));
}

namespace testing {

/// Nothing was found.
inline auto NoFindings() {
  return ::testing::IsEmpty();
}

/// There is a finding of this rule.
///   line        of its place; 0: any
///   otherLine   of its other place; 0: any, or none
inline auto HasFinding(std::string rule, uint32_t line = 0, uint32_t otherLine = 0) {
  const auto fits = [=](const Finding &finding) {
    return finding.warning.rule == rule && (!line || finding.warning.where.line == line) &&
           (!otherLine || std::any_of(finding.notes.begin(), finding.notes.end(),
                                      [&](const Diagnostic &note) { return note.where.line == otherLine; }));
  };
  return ::testing::ResultOf(
      "findings of " + rule + (line ? " at line " + std::to_string(line) : "") +
          (otherLine ? " with line " + std::to_string(otherLine) : ""),
      [fits](const std::vector<Finding> &findings) {
        return std::count_if(findings.begin(), findings.end(), fits);
      },
      ::testing::Gt(0));
}

} // namespace testing
} // namespace assay
