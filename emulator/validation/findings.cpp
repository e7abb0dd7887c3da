// See findings.h.
#include "validation/findings.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace assay::validation {
namespace {

bool inTextOrder(const SourcePlace &first, const SourcePlace &second) {
  return std::tie(first.file, first.line, first.column) <= std::tie(second.file, second.line, second.column);
}

} // namespace

Findings::Key Findings::keyOf(CheckRule rule, const SourcePlace &where, const SourcePlace &other) {
  const bool forward = inTextOrder(other, where);
  const SourcePlace &a = forward ? other : where, &b = forward ? where : other;
  return {rule, a.file, a.line, a.column, b.file, b.line, b.column};
}

void Findings::word(Kept &kept, CheckRule rule, const SourcePlace &where, const SourcePlace &other,
                    bool inOrder, FindingText text) {
  kept.inOrder = inOrder;
  Diagnostic &warning = kept.finding.warning;
  warning.severity = Severity::Warning;
  warning.where = where;
  warning.message = std::move(text.message);
  warning.rule = checkRuleInfo(rule).name;
  warning.hint = std::move(text.hint);
  kept.finding.notes.clear();
  if (text.note.empty())
    return;
  Diagnostic &note = kept.finding.notes.emplace_back();
  note.severity = Severity::Note;
  note.where = other;
  note.message = std::move(text.note);
}

// A read that races may come before the write, and then nobody has written what it reads.
void Findings::dropUnwrittenByRaces() {
  const auto isRace = [](CheckRule rule) { return rule <= CheckRule::BarrierMemory; };
  std::erase_if(byKey_, [&](const auto &entry) {
    const CheckRule rule = std::get<0>(entry.first);
    const Finding &finding = entry.second.finding;
    if ((rule != CheckRule::UninitialisedThreadgroup && rule != CheckRule::UninitialisedDevice) ||
        finding.notes.empty())
      return false;
    const SourcePlace &read = finding.notes[0].where;
    return std::any_of(byKey_.begin(), byKey_.end(), [&](const auto &other) {
      const auto &[raced, file, line, column, otherFile, otherLine, otherColumn] = other.first;
      return isRace(raced) &&
             ((file == read.file && line == read.line) || (otherFile == read.file && otherLine == read.line));
    });
  });
}

void Findings::dropImplied() {
  static constexpr CheckRule kGravest[] = {CheckRule::RaceGrid, CheckRule::RaceDevice,
                                           CheckRule::RaceThreadgroup, CheckRule::RaceLanes};
  const auto rankOf = [](const Key &key) {
    return std::find(std::begin(kGravest), std::end(kGravest), std::get<0>(key)) - std::begin(kGravest);
  };
  const auto sameLines = [](const Key &a, const Key &b) {
    return std::get<1>(a) == std::get<1>(b) && std::get<2>(a) == std::get<2>(b) &&
           std::get<4>(a) == std::get<4>(b) && std::get<5>(a) == std::get<5>(b);
  };
  std::erase_if(byKey_, [&](const auto &entry) {
    if (rankOf(entry.first) == std::ssize(kGravest))
      return false;
    const auto graver = std::find_if(byKey_.begin(), byKey_.end(), [&](const auto &other) {
      return sameLines(other.first, entry.first) && rankOf(other.first) < rankOf(entry.first);
    });
    if (graver == byKey_.end())
      return false;
    graver->second.finding.count += entry.second.finding.count;
    return true;
  });
}

std::vector<Finding> Findings::take() {
  dropUnwrittenByRaces();
  dropImplied();
  std::vector<Finding> all;
  for (auto &[key, kept] : byKey_)
    all.push_back(std::move(kept.finding));
  byKey_.clear();
  const auto placeOf = [](const Finding &finding) {
    const SourcePlace &where = finding.warning.where;
    return std::tie(where.file, where.line, where.column);
  };
  // Equal places keep the order of rules and of the other places.
  std::stable_sort(all.begin(), all.end(),
                   [&](const Finding &a, const Finding &b) { return placeOf(a) < placeOf(b); });
  return all;
}

} // namespace assay::validation
