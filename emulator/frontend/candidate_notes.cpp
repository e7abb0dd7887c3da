#include "frontend/candidate_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace assay::frontend {
namespace {

// What stands between `before` and the next `after`; empty if it is not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t found = text.find(before), begin = found + before.size();
  const size_t end = found == std::string_view::npos ? found : text.find(after, begin);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin);
}

bool isCandidate(const Diagnostic &note) {
  return note.message.starts_with("candidate ") && isShims(note);
}

// `float3`, of a `const device float3`. A pointer's are those of what it points to.
std::string_view valueType(std::string_view type) {
  static constexpr std::string_view kQualifiers[] = {"const ", "volatile ", "device ", "constant ",
                                                     "threadgroup "};
  if (!type.ends_with('*') && !type.ends_with(']'))
    for (const std::string_view qualifier : kQualifiers)
      if (type.starts_with(qualifier))
        return valueType(type.substr(qualifier.size()));
  return type;
}

// "no known conversion from 'uint2' to 'float2' for 2nd argument"
struct Conversion {
  std::string_view from, to;
};
std::optional<Conversion> conversionIn(const Diagnostic &note) {
  Conversion found = {between(note.message, "no known conversion from '", "'"),
                      between(note.message, " to '", "'")};
  if (!isCandidate(note) || found.from.empty() || found.to.empty())
    return std::nullopt;
  return Conversion{valueType(found.from), valueType(found.to)};
}

// Of `a[i]` and of `v += w`.
std::string ofOperator(const std::string &message, const std::optional<Conversion> &conversion) {
  if (message.starts_with("no viable overloaded operator[] for type ")) {
    const std::string_view type = std::string_view(message).substr(0, message.find_last_not_of(")'") + 1);
    return conversion || type.ends_with('*') || type.ends_with(']') ? "array subscript is not an integer"
                                                                    : message;
  }
  if (!message.starts_with("no viable overloaded '") || !conversion)
    return message;
  if (!message.starts_with("no viable overloaded '='"))
    return fmt::format("{}: '{}' does not convert to '{}'", message, conversion->from, conversion->to);
  if (conversion->to.starts_with("atomic<") || conversion->to.starts_with("_atomic<"))
    return "an atomic object has no operator '=': use atomic_store_explicit";
  return fmt::format("assigning to '{}' from incompatible type '{}'", conversion->to, conversion->from);
}

// `as_type` in metal_types, whose note names both types and sizes.
std::string ofSizes(const std::string &note) {
  const std::string_view to = between(note, "_To = ", ", _From = "),
                         from = between(note, ", _From = ", ", _ToSize = "),
                         toSize = between(note, ", _ToSize = ", ", "),
                         fromSize = between(note, ", _FromSize = ", "]");
  return to.empty() || fromSize.empty()
             ? ""
             : fmt::format(
                   "invalid reinterpretation: sizes of '{}' ({} bytes) and '{}' ({} bytes) must match", to,
                   toSize, from, fromSize);
}

// `if (a == b)`
bool asksForOneBool(std::string_view message) {
  const bool ofVector = std::ranges::any_of("234", [&](char length) {
    return length && message.find(fmt::format("'bool{}'", length)) != std::string_view::npos;
  });
  return ofVector && message.find("'bool'") != std::string_view::npos &&
         (message.starts_with("value of type '") || message.starts_with("no viable conversion from ") ||
          message.starts_with("assigning to 'bool' from incompatible type '"));
}

// "could not match 'volatile device atomic<_T>' against 'device uint'"
std::string ofAtomic(const std::string &note) {
  const std::string_view type = between(note, "atomic<_T>' against '", "'");
  if (const std::string_view value = between(note, "atomic<_T> *' against '", "'"); !value.empty())
    return fmt::format("'{}' is no pointer to an atomic object", value);
  if (type.empty())
    return note.find("atomic' against '") == std::string::npos ? note : "the object is not atomic";
  const size_t space = type.rfind(' '), name = space == std::string_view::npos ? 0 : space + 1;
  static constexpr std::string_view kElements[] = {"int", "uint", "bool", "float", "ulong"};
  const bool possible = std::ranges::find(kElements, type.substr(name)) != std::end(kElements);
  return fmt::format("'{}' is not atomic", type) +
         (possible ? fmt::format(": declare it '{}atomic_{}'", type.substr(0, name), type.substr(name)) : "");
}

// `max(x, 0)`: the functions that Clang hesitates between are the library's.
bool asksForOneType(const std::vector<Diagnostic> &group) {
  return group[0].message.starts_with("call to '") && group[0].message.ends_with("' is ambiguous") &&
         group.size() > 1 && std::all_of(group.begin() + 1, group.end(), isCandidate);
}

// One that says less than a conversion that is not there.
bool tellsLess(const Diagnostic &note) {
  return isCandidate(note) && (note.message.starts_with("candidate template ignored") ||
                               note.message.find(" not viable: requires ") != std::string::npos);
}

} // namespace

bool isShims(const Diagnostic &diagnostic) {
  return diagnostic.where.file.starts_with("msl_shim/");
}

void tellOfCandidates(std::vector<Diagnostic> &group) {
  Diagnostic &error = group[0];
  if (isShims(error))
    return;
  if (asksForOneBool(error.message))
    error.message += ": use all() or any()";
  if (asksForOneType(group))
    error.message += ": the arguments convert to the types of several functions; give them one type, such as "
                     "0.0f for 0";
  const auto first =
      std::ranges::find_if(group, [](const Diagnostic &note) { return conversionIn(note).has_value(); });
  const std::optional<Conversion> conversion = first == group.end() ? std::nullopt : conversionIn(*first);
  std::string told = ofOperator(error.message, conversion);
  if (error.message == "no matching function for call to 'as_type'")
    for (const Diagnostic &note : group)
      if (std::string sizes = ofSizes(note.message); !sizes.empty())
        told = std::move(sizes);
  const bool changed = told != error.message;
  std::vector<Diagnostic> kept;
  std::set<std::string> said;
  for (Diagnostic &note : group) {
    if (isCandidate(note) && (changed || (conversion && tellsLess(note))))
      continue;
    if (isShims(note) && !note.where.file.starts_with(kInternals)) {
      std::string message = ofAtomic(note.message);
      if (message != note.message || note.sourceLine.find("__") != std::string::npos) {
        if (!isCandidate(note) || !said.insert(message).second) // "parameter 'c' here"
          continue;
        note = Diagnostic{note.severity, {}, std::move(message), {}, {}, {}, {}};
      }
    }
    kept.push_back(std::move(note));
  }
  kept[0].message = std::move(told);
  group = std::move(kept);
}

} // namespace assay::frontend
