// See rules.h.
#include "validation/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace assay {

CheckRules CheckRules::byDefault() {
  CheckRules rules;
  for (const CheckRuleInfo &info : kCheckRules)
    rules.set(info.rule, info.byDefault);
  return rules;
}

CheckRules CheckRules::all() {
  CheckRules rules;
  rules.rules_.set();
  return rules;
}

bool CheckRules::needMemory() const {
  return needs(CheckCost::Memory);
}

bool CheckRules::needValues() const {
  return needs(CheckCost::Values);
}

bool CheckRules::needs(CheckCost cost) const {
  return std::any_of(kCheckRules.begin(), kCheckRules.end(),
                     [&](const CheckRuleInfo &info) { return info.cost == cost && has(info.rule); });
}

Result<CheckRules> CheckRules::parse(std::string_view text) {
  if (text.empty())
    return byDefault();
  CheckRules rules = text.starts_with('-') ? byDefault() : CheckRules();
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string_view name = text.substr(begin, end - begin);
    begin = end + 1;
    if (name == "all" || name == "default") {
      const CheckRules more = name == "all" ? all() : byDefault();
      rules.rules_ |= more.rules_;
      continue;
    }
    const bool away = name.starts_with('-');
    if (away)
      name.remove_prefix(1);
    const auto found = std::find_if(kCheckRules.begin(), kCheckRules.end(),
                                    [&](const CheckRuleInfo &info) { return info.name == name; });
    if (found == kCheckRules.end()) {
      std::string names = "default, all";
      for (const CheckRuleInfo &info : kCheckRules)
        names += fmt::format(", {}", info.name);
      return Error::usage("bad-option", fmt::format("there is no check '{}'", name), "there are " + names);
    }
    rules.set(found->rule, !away);
  }
  return rules;
}

} // namespace assay
