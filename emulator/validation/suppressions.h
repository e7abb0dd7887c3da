// Reads a file of findings that somebody has examined and accepted:
//
//   # rule          place               reason
//   race-lanes      tiles.metal:430     both lanes store the same value
//   race-grid       histogram.metal     counted again on the host
//
// Each line is a suppression: the name of a rule, a file (its last path components are enough) with or
// without a line, and a reason, which is required. A finding is suppressed if it has the same rule and one of
// its places is in the file, and at the line if there is one. `#` begins a comment.
//
// Rejected. Comments in the kernel's source: it should run unchanged, and often belongs to somebody else.
//           Suppressing a rule everywhere: --check=-RULE does that.
#pragma once

#include "../support/text/finding.h"
#include "../support/text/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct Suppression {
  std::string rule, file, reason;
  uint32_t line = 0; ///< 0: any
  uint32_t from = 0; ///< the line of the suppressions' own file

  bool covers(const Finding &finding) const;
};

class Suppressions {
public:
  /// name     of the file, for messages
  /// errors   Usage "bad-suppression": the line, and what it lacks
  static Result<Suppressions> parse(std::string_view text, std::string_view name);
  /// errors   those of parse; "no-such-file"
  static Result<Suppressions> read(const std::string &path);

  const std::vector<Suppression> &all() const { return suppressions_; }
  const std::string &name() const { return name_; }

  struct Applied {
    std::vector<Finding> findings;         ///< those that are left
    size_t suppressed = 0;                 ///< findings taken away
    std::vector<const Suppression *> used; ///< that took one away, of this object
  };
  Applied apply(std::vector<Finding> findings) const;
  /// A warning for each that is not among `used`: the list should only shrink.
  std::vector<Diagnostic> unused(const std::vector<const Suppression *> &used) const;

private:
  std::string name_;
  std::vector<Suppression> suppressions_;
};

} // namespace assay
