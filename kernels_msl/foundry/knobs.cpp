#include "knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <vector>

namespace assay::kernels::foundry {
namespace {

using Choice = std::pair<std::string_view, int>;

constexpr int kNoLeast = std::numeric_limits<int>::min();

/// Listed words, or all numbers of a range if there are none.
struct Values {
  std::vector<Choice> words;
  int least = 0, most = 0;

  std::string text() const {
    if (words.empty())
      return least == kNoLeast ? fmt::format("at most {}", most) : fmt::format("{} to {}", least, most);
    std::string list;
    for (const Choice &word : words)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", word.first);
    return list;
  }
  std::optional<int> find(std::string_view text) const {
    for (const Choice &word : words)
      if (word.first == text)
        return word.second;
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::result_out_of_range && text.starts_with('-'))
      number = kNoLeast;
    else if (error != std::errc())
      return std::nullopt;
    const bool whole = end == text.data() + text.size();
    if (words.empty() && whole && number >= least && number <= most)
      return number;
    return std::nullopt;
  }
};

Values switchValues() {
  return {{{"0", 0}, {"1", 1}}};
}

void store(bool &member, int value) {
  member = value != 0;
}
void store(std::optional<int> &member, int value) {
  member = value;
}

template <class Member>
Result<void> readOne(const Environment &environment, std::string_view name, const Values &values,
                     Member &member) {
  const std::optional<std::string> given = environment(name);
  if (!given)
    return {};
  const std::optional<int> value = values.find(*given);
  if (!value)
    return Error::usage(Rule::own("knob"),
                        fmt::format("{} is '{}', it can be {}", name, *given, values.text()),
                        fmt::format("unset {} for the default", name));
  store(member, *value);
  return {};
}

} // namespace

Environment processEnvironment() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char *value = std::getenv(std::string(name).c_str());
    if (!value)
      return std::nullopt;
    return value;
  };
}

// The words of a CHOICE stand in one pair of parentheses, so that their commas do not part macro arguments.
#define FOUNDRY_BARE(...) __VA_ARGS__

Result<Knobs> Knobs::read(const Environment &environment) {
  Knobs knobs;
#define FOUNDRY_READ(member, name, values)                                                                   \
  if (Result<void> done = readOne(environment, name, values, knobs.member); !done)                           \
    return done.error();
#define FOUNDRY_SWITCH(member, name, meaning) FOUNDRY_READ(member, name, switchValues())
#define FOUNDRY_CHOICE(member, name, values, meaning)                                                        \
  FOUNDRY_READ(member, name, (Values{{FOUNDRY_BARE values}}))
#define FOUNDRY_COUNT(member, name, least, most, meaning)                                                    \
  FOUNDRY_READ(member, name, (Values{{}, least, most}))
#include "knobs.def"
#undef FOUNDRY_READ
  return knobs;
}

std::span<const KnobInfo> knobTable() {
  static const std::vector<KnobInfo> table = {
#define FOUNDRY_SWITCH(member, name, meaning) {name, meaning, switchValues().text()},
#define FOUNDRY_CHOICE(member, name, values, meaning) {name, meaning, Values{{FOUNDRY_BARE values}}.text()},
#define FOUNDRY_COUNT(member, name, least, most, meaning) {name, meaning, Values{{}, least, most}.text()},
#include "knobs.def"
  };
  return table;
}

} // namespace assay::kernels::foundry
