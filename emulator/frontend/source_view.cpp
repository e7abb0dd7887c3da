// The text of a source view and its position map. The rules that make the edits are in view_edits.cpp.
#include "frontend/source_view.h"

#include "frontend/joined_edits.h"
#include "frontend/tokens.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace assay::frontend {
namespace {

std::vector<uint32_t> lineStarts(std::string_view text) {
  std::vector<uint32_t> starts{0};
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n')
      starts.push_back(uint32_t(i + 1));
  return starts;
}

// An insertion in the middle of what is replaced stays, and the original with it: Clang then says what is
// wrong there.
std::vector<Edit> disjoint(std::vector<Edit> sorted) {
  std::vector<Edit> result;
  for (Edit &edit : sorted) {
    const bool inside = !result.empty() && result.back().offset + result.back().length > edit.offset;
    if (inside && edit.length > 0)
      continue;
    if (inside)
      result.pop_back();
    result.push_back(std::move(edit));
  }
  return result;
}

// Expansions without an insertion inside, each with the line breaks of what it replaces.
std::vector<Edit> usableExpansions(std::string_view original, const std::vector<Edit> &expansions,
                                   std::initializer_list<const std::vector<Edit> *> insertions) {
  std::vector<Edit> usable;
  for (Edit edit : expansions) {
    const uint32_t end = edit.offset + edit.length;
    const bool divided = std::ranges::any_of(insertions, [&](const std::vector<Edit> *list) {
      return std::ranges::any_of(
          *list, [&](const Edit &added) { return added.offset > edit.offset && added.offset < end; });
    });
    if (divided || end > original.size())
      continue;
    const std::string_view old = original.substr(edit.offset, edit.length);
    std::ranges::replace(edit.text, '\n', ' '); // of a raw string
    edit.text.append(size_t(std::ranges::count(old, '\n')), '\n');
    usable.push_back(std::move(edit));
  }
  return usable;
}

} // namespace

SourceView::SourceView(std::string_view original, const SpaceAliases &aliases,
                       const std::vector<Edit> &insertions, const std::vector<Edit> &probes,
                       const std::vector<Edit> &expansions)
    : original_(original) {
  const std::vector<Edit> first = usableExpansions(original, expansions, {&insertions, &probes});
  const std::string expanded = applied(original, first);
  // Of insertions at one place: probes that are statements or begin there, then what mends the operand that
  // ends there, then probes that are the operand after it or end there.
  const auto isOperand = [](const Edit &edit) {
    return edit.text.starts_with(',') || edit.text.starts_with(')');
  };
  const auto add = [&](const std::vector<Edit> &added, auto wanted) {
    for (Edit edit : added)
      if (wanted(edit)) {
        edit.offset = expandedOffset(first, edit.offset);
        edits_.push_back(std::move(edit));
      }
  };
  add(probes, [&](const Edit &probe) { return !isOperand(probe); });
  add(insertions, [](const Edit &) { return true; });
  add(probes, isOperand);
  const std::vector<Edit> replacements = viewEdits(expanded, aliases);
  edits_.insert(edits_.end(), replacements.begin(), replacements.end());
  // An insertion at the beginning of a replaced token comes before the replacement.
  std::stable_sort(edits_.begin(), edits_.end(),
                   [](const Edit &a, const Edit &b) { return a.offset < b.offset; });
  edits_ = disjoint(std::move(edits_));
  if (!first.empty())
    edits_ = joinedEdits(first, expanded, edits_);
  finish();
}

SourceView SourceView::unchanged(std::string_view original) {
  SourceView view;
  view.original_ = original;
  view.finish();
  return view;
}

void SourceView::finish() {
  text_ = applied(original_, edits_);
  int64_t shift = 0; // view minus original
  for (const Edit &edit : edits_) {
    viewStarts_.push_back(uint32_t(edit.offset + shift));
    shift += int64_t(edit.text.size()) - edit.length;
  }
  viewLines_ = lineStarts(text_);
  originalLines_ = lineStarts(original_);
  lineNames_ = lineNamesOf(original_);
}

SourceView::LineName SourceView::nameOf(uint32_t line) const {
  auto after = std::upper_bound(lineNames_.begin(), lineNames_.end(), line,
                                [](uint32_t wanted, const auto &entry) { return wanted < entry.first; });
  if (after == lineNames_.begin())
    return {line, {}};
  const auto &[first, name] = *std::prev(after);
  return {name.line + (line - first), name.file};
}

std::vector<std::pair<uint32_t, SourceView::LineName>> lineNamesOf(std::string_view original) {
  std::vector<std::pair<uint32_t, SourceView::LineName>> names;
  if (original.find("line") == original.npos)
    return names;
  const auto lexed = lexSource(original);
  const std::vector<RawToken> &tokens = lexed->tokens;
  const std::vector<uint32_t> starts = lineStarts(original);
  std::string file; // #line without a name keeps the last
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].startsLine || !tokens[i].inDirective || !tokens[i + 1].is("line"))
      continue;
    uint32_t number = 0;
    const std::string_view digits = tokens[i + 2].text;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc())
      continue; // a macro: left to Clang
    const RawToken &quoted = tokens[i + 3 < tokens.size() ? i + 3 : i + 2];
    if (quoted.inDirective && !quoted.startsLine && quoted.text.starts_with('"') && quoted.text.size() >= 2) {
      file.clear();
      for (size_t at = 1; at + 1 < quoted.text.size(); ++at)
        file += quoted.text[at] == '\\' ? quoted.text[++at] : quoted.text[at];
    }
    const auto here = std::upper_bound(starts.begin(), starts.end(), tokens[i + 2].offset) - starts.begin();
    names.push_back({uint32_t(here) + 1, {number, file}});
  }
  return names;
}

SourceView::Near SourceView::nearest(uint32_t viewOffset) const {
  const auto after = std::upper_bound(viewStarts_.begin(), viewStarts_.end(), viewOffset);
  if (after == viewStarts_.begin())
    return {};
  const Edit &edit = edits_[size_t(after - viewStarts_.begin()) - 1];
  const uint32_t viewStart = after[-1], viewEnd = viewStart + uint32_t(edit.text.size());
  return {&edit, viewStart, viewEnd, int64_t(viewEnd) - edit.offset - edit.length};
}

uint32_t SourceView::originalColumn(uint32_t line, uint32_t viewColumn) const {
  if (line == 0 || line > viewLines_.size() || line > originalLines_.size() || viewColumn == 0)
    return viewColumn;
  const uint32_t viewOffset = viewLines_[line - 1] + viewColumn - 1;
  const Near near = nearest(viewOffset);
  if (near.edit && viewOffset < near.viewEnd) {
    const uint32_t start = std::max(near.edit->offset, originalLines_[line - 1]);
    return start - originalLines_[line - 1] + 1;
  }
  return uint32_t(viewOffset - near.shift) - originalLines_[line - 1] + 1;
}

std::optional<uint32_t> SourceView::originalOffset(uint32_t viewOffset) const {
  const Near near = nearest(viewOffset);
  if (near.edit && viewOffset < near.viewEnd)
    return std::nullopt;
  return uint32_t(viewOffset - near.shift);
}

std::optional<std::pair<uint32_t, uint32_t>> SourceView::originalToken(uint32_t begin, uint32_t end) const {
  const Near near = nearest(begin);
  if (near.edit && begin == near.viewStart && end == near.viewEnd && near.edit->length > 0)
    return std::pair(near.edit->offset, near.edit->offset + near.edit->length);
  if (near.edit && begin < near.viewEnd)
    return std::nullopt;
  return std::pair(uint32_t(begin - near.shift), uint32_t(end - near.shift));
}

std::string_view SourceView::originalLine(uint32_t line) const {
  if (line == 0 || line > originalLines_.size())
    return {};
  const size_t first = originalLines_[line - 1];
  size_t last = line < originalLines_.size() ? originalLines_[line] - 1 : original_.size();
  if (last > first && original_[last - 1] == '\r')
    --last;
  return std::string_view(original_).substr(first, last - first);
}

} // namespace assay::frontend
