#include "numerics_text.h"
#include "nearest.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

namespace assay {
namespace {

template <class List, class Name> std::vector<std::string> namesOf(const List &list, Name name) {
  std::vector<std::string> names;
  for (const auto &entry : list)
    names.emplace_back(name(entry));
  return names;
}

// The nearest name and the whole list, which is short.
std::string hint(std::string_view typed, const std::vector<std::string> &names, std::string_view what) {
  std::string all;
  for (const std::string &name : names)
    all += (all.empty() ? "" : ", ") + name;
  const std::string nearest = nearestName(typed, names);
  return fmt::format("{}{}: {}", nearest.empty() ? "" : fmt::format("did you mean '{}'? ", nearest), what,
                     all);
}

Error bad(std::string_view whole, std::string message, std::string hint) {
  return Error::usage("bad-numerics", fmt::format("numerics '{}': {}", whole, message), std::move(hint));
}

// Removes the part before the next comma, and the comma, from the text and returns the part.
std::string_view takePart(std::string_view &rest) {
  const size_t comma = rest.find(',');
  const std::string_view part = rest.substr(0, comma);
  rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  return part;
}

} // namespace

Result<NumericsProfile> parseNumerics(std::string_view text) {
  std::string_view rest = text;
  const std::string_view base = takePart(rest);
  const NumericsProfile *found = nullptr;
  for (const NumericsProfile *profile : kNumericsProfiles)
    if (profile->name == base)
      found = profile;
  if (!found)
    return bad(text, fmt::format("no profile '{}'", base),
               hint(base, namesOf(kNumericsProfiles, [](auto *p) { return p->name; }), "profiles"));

  NumericsProfile profile = *found;
  std::set<std::string_view> given;
  bool more = base.size() < text.size();
  while (more) {
    const bool last = rest.find(',') == rest.npos;
    const std::string_view part = takePart(rest);
    more = !last;
    const size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const auto fieldNames = [] { return namesOf(numericsFields(), [](auto &f) { return f.name; }); };
    if (equals == part.npos)
      return bad(text, fmt::format("'{}' should be FIELD=VALUE", part), hint(name, fieldNames(), "fields"));
    const NumericsField *field = nullptr;
    for (const NumericsField &candidate : numericsFields())
      if (candidate.name == name)
        field = &candidate;
    if (!field)
      return bad(text, fmt::format("no field '{}'", name), hint(name, fieldNames(), "fields"));
    if (!given.insert(field->name).second)
      return bad(text, fmt::format("'{}' is given twice", name), "give each field once");
    const std::string_view typed = part.substr(equals + 1);
    size_t value = 0;
    while (value < field->values.size() && field->values[value].text != typed)
      ++value;
    if (value == field->values.size())
      return bad(text, fmt::format("{} has no value '{}'", name, typed),
                 hint(typed, namesOf(field->values, [](auto &v) { return v.text; }),
                      fmt::format("values of {}", name)));
    field->set(profile, static_cast<uint8_t>(value));
  }
  return profile;
}

} // namespace assay
