#include "frontend/operand_places.h"

#include "frontend/tokens.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <string_view>

namespace assay::frontend {

// For a token from a macro, in the macro's body, not where the macro is used.
std::optional<OperandPlace> OperandPlaces::writtenAt(clang::SourceLocation token) const {
  token = sources_.getSpellingLoc(token);
  const std::string file = sources_.getFilename(token).str();
  const SourceView *view = files_.view(file);
  if (!view)
    return std::nullopt;
  const uint32_t begin = sources_.getFileOffset(token);
  const auto written =
      view->originalToken(begin, begin + clang::Lexer::MeasureTokenLength(token, sources_, options_));
  return written ? std::optional(OperandPlace{file, written->first, written->second}) : std::nullopt;
}

std::optional<OperandPlace> OperandPlaces::used(const clang::CharSourceRange &range) const {
  const clang::CharSourceRange used = clang::Lexer::makeFileCharRange(range, sources_, options_);
  if (used.isInvalid())
    return std::nullopt;
  const auto first = writtenAt(used.getBegin());
  const SourceView *view = first ? files_.view(first->file) : nullptr;
  const uint32_t end = sources_.getFileOffset(used.getEnd());
  if (!view || end == 0)
    return std::nullopt;
  if (const auto last = view->originalToken(end - 1, end))
    return OperandPlace{first->file, first->begin, last->second};
  return std::nullopt;
}

unsigned OperandPlaces::lengthOf(clang::SourceLocation token) const {
  return clang::Lexer::MeasureTokenLength(sources_.getSpellingLoc(token), sources_, options_);
}

// Where a token stands: in its expansion, in the expansion that gave it to another macro as an argument, and
// where the macro or its parameter is used, if it is the first token there (or the last).
std::vector<clang::SourceLocation> OperandPlaces::placesOf(clang::SourceLocation token, bool isFirst) const {
  std::vector<clang::SourceLocation> places{token};
  const auto add = [&](clang::SourceLocation place) {
    if (std::ranges::find(places, place) == places.end())
      places.push_back(place);
  };
  for (size_t i = 0; i < places.size(); ++i) { // it grows
    const clang::SourceLocation place = places[i];
    if (!place.isMacroID())
      continue;
    if (const clang::SourceLocation given = sources_.getImmediateSpellingLoc(place); given.isMacroID())
      add(given);
    clang::SourceLocation outer;
    const int length = int(lengthOf(place));
    if (isFirst ? sources_.isAtStartOfImmediateMacroExpansion(place, &outer)
                : sources_.isAtEndOfImmediateMacroExpansion(place.getLocWithOffset(length), &outer))
      add(outer);
  }
  return places;
}

std::optional<OperandPlace> OperandPlaces::held(const clang::CharSourceRange &range) const {
  if (!range.isTokenRange())
    return std::nullopt;
  const auto lasts = placesOf(range.getEnd(), false);
  for (const clang::SourceLocation first : placesOf(range.getBegin(), true))
    for (const clang::SourceLocation last : lasts) {
      if (sources_.getFileID(first) != sources_.getFileID(last))
        continue;
      const auto begin = writtenAt(first), end = writtenAt(last);
      if (begin && end && begin->begin < end->end)
        return OperandPlace{end->file, begin->begin, end->end};
    }
  return std::nullopt;
}

std::optional<OperandPlace> OperandPlaces::parameterUsedAgain(const clang::CharSourceRange &range) const {
  clang::SourceLocation first, last;
  const unsigned length = lengthOf(range.getEnd());
  if (!range.isTokenRange() || !sources_.isMacroArgExpansion(range.getBegin()) ||
      !sources_.isAtStartOfImmediateMacroExpansion(range.getBegin(), &first) ||
      !sources_.isAtEndOfImmediateMacroExpansion(range.getEnd().getLocWithOffset(int(length)), &last) ||
      first != last)
    return std::nullopt;
  const auto place = writtenAt(first);
  if (!place)
    return std::nullopt;
  const std::vector<RawToken> tokens = lexRaw(files_.view(place->file)->original());
  const auto parameter = std::ranges::find(tokens, place->begin, &RawToken::offset);
  if (parameter == tokens.end() || !parameter->inDirective)
    return std::nullopt;
  auto begin = parameter, end = parameter;
  while (!begin->startsLine)
    --begin;
  while (end != tokens.end() && end->inDirective && (end == parameter || !end->startsLine))
    ++end;
  constexpr ptrdiff_t kOnce = 2; // in the list of parameters and in the body
  const auto uses =
      std::count_if(begin, end, [&](const RawToken &token) { return token.is(parameter->text); });
  return uses > kOnce ? place : std::nullopt;
}

// If one text of a file holds the range.
std::optional<OperandPlace> OperandPlaces::spelled(const clang::CharSourceRange &range) const {
  const auto first = writtenAt(range.getBegin()), last = writtenAt(range.getEnd());
  if (!first || !last || first->file != last->file || last->begin < first->begin)
    return std::nullopt;
  return OperandPlace{first->file, first->begin, range.isTokenRange() ? last->end : last->begin};
}

std::optional<OperandPlace> OperandPlaces::operand(const clang::CharSourceRange &range) const {
  const auto place = used(range);
  return place ? place : spelled(range);
}

std::string OperandPlaces::textOf(const clang::CharSourceRange &range) const {
  const clang::CharSourceRange written(
      clang::SourceRange(sources_.getSpellingLoc(range.getBegin()), sources_.getSpellingLoc(range.getEnd())),
      range.isTokenRange());
  std::string text = clang::Lexer::getSourceText(written, sources_, options_).str();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string OperandPlaces::textOf(clang::SourceLocation token) const {
  return textOf(clang::CharSourceRange::getTokenRange(token, token));
}

bool OperandPlaces::isArithmeticAssignment(clang::SourceLocation token) const {
  const std::string_view assignments[] = {"+=", "-=", "*=", "/="};
  return std::ranges::count(assignments, textOf(token)) != 0;
}

} // namespace assay::frontend
