// The name of a diagnostic's rule, from the table in rules.def. A name that is not in the table does not
// compile, so messages, tests, scripts and documents mean the same rules.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

struct RuleInfo {
  std::string_view name, words;
};

/// In alphabetical order.
inline constexpr std::array kRules = {
#define ASSAY_RULE(name, words) RuleInfo{name, words},
#include "rules.def"
#undef ASSAY_RULE
};

class Rule {
public:
  template <size_t kSize> consteval Rule(const char (&name)[kSize]) : name_(name, kSize - 1) {
    bool known = false;
    for (const RuleInfo &info : kRules)
      known |= info.name == name_;
    if (!known)
      rulesDefDoesNotHaveIt();
  }

  /// A rule of a program that uses Assay, such as a system of kernels with arguments of its own. It lives as
  /// long as the text.
  static constexpr Rule own(std::string_view name) { return Rule(name, Unlisted()); }

  constexpr operator std::string_view() const { return name_; }
  std::string text() const { return std::string(name_); }

private:
  struct Unlisted {};
  constexpr Rule(std::string_view name, Unlisted) : name_(name) {}
  static void rulesDefDoesNotHaveIt(); // never defined: the constructor is not constant where it is called
  std::string_view name_;
};

} // namespace assay
