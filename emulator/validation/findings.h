// The findings of one dispatch. Findings with the same rule and the same places are folded into one, with a
// count.
//
// The schedule decides which of two racing threads comes first. Also, one missing barrier leads to two
// findings: a read after the write, and the next write after the read. So the order of the places does not
// matter. The text is that of a finding in the order of the program, if there is one. A race of lanes at
// lines where simdgroups also race is the same defect. So is a read of unwritten memory that races.
#pragma once

#include "rules.h"

#include "../support/abi/kernel_code.h"
#include "../support/text/finding.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace assay::validation {

/// The words of a finding. They are made only for the first of equal findings.
struct FindingText {
  std::string message;
  std::string note; ///< at the other place
  std::string hint;
};

class Findings {
public:
  explicit Findings(CheckRules rules) : rules_(rules) {}

  bool wants(CheckRule rule) const { return rules_.has(rule); }

  /// other     the place that came first; unknown if there is one place only
  /// inOrder   it comes first in the program, too
  /// text      makes the FindingText
  template <class Text>
  void add(CheckRule rule, const SourcePlace &where, const SourcePlace &other, bool inOrder, Text text) {
    if (!wants(rule))
      return;
    Kept &kept = byKey_[keyOf(rule, where, other)];
    if (!kept.finding.count++ || (inOrder && !kept.inOrder))
      word(kept, rule, where, other, inOrder, text());
  }
  template <class Text> void add(CheckRule rule, const SourcePlace &where, Text text) {
    add(rule, where, {}, true, text);
  }

  /// The findings in the order of their places, because the order in the run depends on the schedule.
  std::vector<Finding> take();

private:
  using Key = std::tuple<CheckRule, std::string, uint32_t, uint32_t, std::string, uint32_t, uint32_t>;
  static Key keyOf(CheckRule rule, const SourcePlace &where, const SourcePlace &other);
  struct Kept {
    Finding finding = {{}, {}, 0};
    bool inOrder = false;
  };
  static void word(Kept &kept, CheckRule rule, const SourcePlace &where, const SourcePlace &other,
                   bool inOrder, FindingText text);
  /// Where simdgroups or threadgroups race, lanes do as well.
  void dropImplied();
  void dropUnwrittenByRaces();

  CheckRules rules_;
  std::map<Key, Kept> byKey_;
};

} // namespace assay::validation
