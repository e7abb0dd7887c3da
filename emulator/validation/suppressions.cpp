// See suppressions.h.
#include "validation/suppressions.h"

#include "rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace assay {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// The next word, and what is left after it.
std::string_view takeWord(std::string_view &rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  return word;
}

std::string_view withoutBlanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// "a/tiles.metal" ends "src/a/tiles.metal", but "les.metal" does not.
bool endsPath(std::string_view path, std::string_view end) {
  return path.ends_with(end) && (path.size() == end.size() || path[path.size() - end.size() - 1] == '/');
}

Result<Suppression> parseLine(std::string_view line) {
  Suppression made;
  made.rule = takeWord(line);
  std::string_view place = takeWord(line);
  made.reason = withoutBlanks(line);
  const auto bad = [](std::string message, std::string hint = "a line is RULE FILE[:LINE] REASON") {
    return Error::usage("bad-suppression", std::move(message), std::move(hint));
  };
  if (std::none_of(std::begin(kCheckRules), std::end(kCheckRules),
                   [&](const CheckRuleInfo &info) { return info.name == made.rule; }))
    return bad(fmt::format("there is no check '{}'", made.rule), "assay run --help lists the rules");
  if (const size_t colon = place.rfind(':'); colon != std::string_view::npos) {
    const std::string_view number = place.substr(colon + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), made.line);
    if (error != std::errc() || end != number.data() + number.size() || !made.line)
      return bad(fmt::format("'{}' is not a line number", number));
    place = place.substr(0, colon);
  }
  made.file = place;
  if (made.file.empty())
    return bad("there is no file");
  if (made.reason.empty())
    return bad("there is no reason");
  return made;
}

} // namespace

bool Suppression::covers(const Finding &finding) const {
  if (finding.warning.rule != rule)
    return false;
  const auto isHere = [&](const Diagnostic &place) {
    return endsPath(place.where.file, file) && (!line || place.where.line == line);
  };
  return isHere(finding.warning) || std::any_of(finding.notes.begin(), finding.notes.end(), isHere);
}

Result<Suppressions> Suppressions::parse(std::string_view text, std::string_view name) {
  Suppressions made;
  made.name_ = name;
  uint32_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    line = withoutBlanks(line.substr(0, line.find('#')));
    if (line.empty())
      continue;
    Result<Suppression> one = parseLine(line);
    if (!one) {
      Error error = one.error();
      error.diagnostics.front().where = {std::string(name), number, 1};
      return error;
    }
    one->from = number;
    made.suppressions_.push_back(std::move(*one));
  }
  return made;
}

Result<Suppressions> Suppressions::read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    return Error::usage("no-such-file", fmt::format("cannot read '{}'", path));
  return parse(text.str(), path);
}

Suppressions::Applied Suppressions::apply(std::vector<Finding> findings) const {
  Applied applied;
  for (Finding &finding : findings) {
    bool covered = false;
    for (const Suppression &one : suppressions_)
      if (one.covers(finding)) {
        covered = true;
        if (std::find(applied.used.begin(), applied.used.end(), &one) == applied.used.end())
          applied.used.push_back(&one);
      }
    if (covered)
      ++applied.suppressed;
    else
      applied.findings.push_back(std::move(finding));
  }
  return applied;
}

std::vector<Diagnostic> Suppressions::unused(const std::vector<const Suppression *> &used) const {
  std::vector<Diagnostic> warnings;
  for (const Suppression &one : suppressions_)
    if (std::find(used.begin(), used.end(), &one) == used.end()) {
      Diagnostic warning;
      warning.severity = Severity::Warning;
      warning.where = {name_, one.from, 1};
      warning.message = fmt::format("no finding of {} is in {}", one.rule, one.file) +
                        (one.line ? fmt::format(" at line {}", one.line) : "");
      warning.rule = Rule("unused-suppression").text();
      warning.hint = "take it out if it belongs to this kernel";
      warnings.push_back(std::move(warning));
    }
  return warnings;
}

} // namespace assay
