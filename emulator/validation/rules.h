// The rules of the checkers as an enumeration, and the sets of rules that a user may ask for.
#pragma once

#include "../support/text/result.h"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

enum class CheckRule : uint8_t {
#define ASSAY_CHECK_RULE(Name, name, byDefault, cost, words) Name,
#include "rules.def"
#undef ASSAY_CHECK_RULE
};

enum class CheckCost : uint8_t { None, Memory, Values };

struct CheckRuleInfo {
  CheckRule rule;
  std::string_view name;
  bool byDefault;
  CheckCost cost;
  std::string_view words;
};

inline constexpr std::array kCheckRules = {
#define ASSAY_CHECK_RULE(Name, name, byDefault, cost, words)                                                 \
  CheckRuleInfo{CheckRule::Name, name, byDefault, CheckCost::cost, words},
#include "rules.def"
#undef ASSAY_CHECK_RULE
};

constexpr const CheckRuleInfo &checkRuleInfo(CheckRule rule) {
  return kCheckRules[static_cast<size_t>(rule)];
}

class CheckRules {
public:
  /// Makes the empty set.
  CheckRules() = default;
  static CheckRules byDefault();
  static CheckRules all();
  /// Names with commas between them. `default` and `all` are sets; `-NAME` takes one away; if the list begins
  /// with it, from the default rules. An empty list means the default rules.
  ///   errors  Usage "bad-option": names the nearest or all
  static Result<CheckRules> parse(std::string_view text);

  bool has(CheckRule rule) const { return rules_[static_cast<size_t>(rule)]; }
  bool any() const { return rules_.any(); }
  bool needMemory() const; ///< some rule looks at each access
  bool needValues() const; ///< some rule tracks values
  void set(CheckRule rule, bool on) { rules_[static_cast<size_t>(rule)] = on; }
  bool operator==(const CheckRules &) const = default;

private:
  bool needs(CheckCost cost) const;
  std::bitset<kCheckRules.size()> rules_;
};

} // namespace assay
