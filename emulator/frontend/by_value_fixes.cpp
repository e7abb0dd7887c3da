#include "frontend/by_value_fixes.h"

#include "frontend/class_conversions.h"
#include "frontend/tokens.h"
#include "frontend/vector_classes.h"

#include <clang/AST/Type.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::frontend {
namespace {

// Where a token is written: for a token from a macro, in the macro's body, not where the macro is used.
std::optional<std::pair<uint32_t, uint32_t>> writtenAt(const clang::SourceManager &sources,
                                                       clang::SourceLocation location,
                                                       const clang::LangOptions &options,
                                                       const ViewFileSystem &files, std::string &file) {
  location = sources.getSpellingLoc(location);
  file = sources.getFilename(location).str();
  const SourceView *view = files.view(file);
  if (!view)
    return std::nullopt;
  const uint32_t begin = sources.getFileOffset(location);
  return view->originalToken(begin, begin + clang::Lexer::MeasureTokenLength(location, sources, options));
}

// The operand's place in the file where a macro is used, if a whole expansion or a part of an argument is the
// operand: the macro's body is also that of other uses.
std::optional<std::pair<uint32_t, uint32_t>> usedAt(const clang::SourceManager &sources,
                                                    const clang::CharSourceRange &range,
                                                    const clang::LangOptions &options,
                                                    const ViewFileSystem &files, std::string &file) {
  const clang::CharSourceRange used = clang::Lexer::makeFileCharRange(range, sources, options);
  if (used.isInvalid())
    return std::nullopt;
  const auto first = writtenAt(sources, used.getBegin(), options, files, file);
  const SourceView *view = files.view(file);
  const uint32_t end = sources.getFileOffset(used.getEnd());
  if (!first || !view || end == 0)
    return std::nullopt;
  if (const auto last = view->originalToken(end - 1, end))
    return std::pair(first->first, last->second);
  return std::nullopt;
}

unsigned lengthOf(const clang::SourceManager &sources, clang::SourceLocation token,
                  const clang::LangOptions &options) {
  return clang::Lexer::MeasureTokenLength(sources.getSpellingLoc(token), sources, options);
}

// Where a token stands: in its expansion, in the expansion that gave it to another macro as an argument, and
// where the macro or its parameter is used, if it is the first token there (or the last).
std::vector<clang::SourceLocation> placesOf(const clang::SourceManager &sources, clang::SourceLocation token,
                                            bool isFirst, const clang::LangOptions &options) {
  std::vector<clang::SourceLocation> places{token};
  const auto add = [&](clang::SourceLocation place) {
    if (std::ranges::find(places, place) == places.end())
      places.push_back(place);
  };
  for (size_t i = 0; i < places.size(); ++i) { // it grows
    const clang::SourceLocation place = places[i];
    if (!place.isMacroID())
      continue;
    if (const clang::SourceLocation given = sources.getImmediateSpellingLoc(place); given.isMacroID())
      add(given);
    clang::SourceLocation outer;
    const int length = int(lengthOf(sources, place, options));
    if (isFirst ? sources.isAtStartOfImmediateMacroExpansion(place, &outer)
                : sources.isAtEndOfImmediateMacroExpansion(place.getLocWithOffset(length), &outer))
      add(outer);
  }
  return places;
}

// The innermost text that holds the whole operand, which may begin with a macro's parameter: `p[0]` in
// `#define PICK(c, p) ((c) ? p[0] : float4(1))`.
std::optional<std::pair<uint32_t, uint32_t>> heldAt(const clang::SourceManager &sources,
                                                    const clang::CharSourceRange &range,
                                                    const clang::LangOptions &options,
                                                    const ViewFileSystem &files, std::string &file) {
  if (!range.isTokenRange())
    return std::nullopt;
  const auto lasts = placesOf(sources, range.getEnd(), false, options);
  for (const clang::SourceLocation first : placesOf(sources, range.getBegin(), true, options))
    for (const clang::SourceLocation last : lasts) {
      if (sources.getFileID(first) != sources.getFileID(last))
        continue;
      const auto begin = writtenAt(sources, first, options, files, file);
      const auto end = writtenAt(sources, last, options, files, file);
      if (begin && end && begin->first < end->second)
        return std::pair(begin->first, end->second);
    }
  return std::nullopt;
}

// The parameter in a macro's body that the operand is, if the body uses it again: what is done with it there
// may need the operand itself, as is_function_constant_defined() does.
std::optional<std::pair<uint32_t, uint32_t>>
parameterUsedAgain(const clang::SourceManager &sources, const clang::CharSourceRange &range,
                   const clang::LangOptions &options, const ViewFileSystem &files, std::string &file) {
  clang::SourceLocation first, last;
  const unsigned length = lengthOf(sources, range.getEnd(), options);
  if (!range.isTokenRange() || !sources.isMacroArgExpansion(range.getBegin()) ||
      !sources.isAtStartOfImmediateMacroExpansion(range.getBegin(), &first) ||
      !sources.isAtEndOfImmediateMacroExpansion(range.getEnd().getLocWithOffset(int(length)), &last) ||
      first != last)
    return std::nullopt;
  const auto place = writtenAt(sources, first, options, files, file);
  const SourceView *view = files.view(file);
  if (!place || !view)
    return std::nullopt;
  const std::vector<RawToken> tokens = lexRaw(view->original());
  const auto parameter = std::ranges::find(tokens, place->first, &RawToken::offset);
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

// Whether an argument of a diagnostic is the type of an object in another memory than that of a thread.
bool isElsewhere(const clang::Diagnostic &info, unsigned argument) {
  return argument < info.getNumArgs() && info.getArgKind(argument) == clang::DiagnosticsEngine::ak_qualtype &&
         clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(argument)))
             .hasAddressSpace();
}

// Whether two arguments of a diagnostic are a half and a bfloat, in either order.
bool areBothHalves(const clang::Diagnostic &info, unsigned first) {
  bool half = false, bfloat = false;
  for (unsigned i : {first, first + 1}) {
    if (i >= info.getNumArgs() || info.getArgKind(i) != clang::DiagnosticsEngine::ak_qualtype)
      return false;
    const auto type = clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(i)));
    const auto *builtin = type->getAs<clang::BuiltinType>();
    half |= builtin && builtin->getKind() == clang::BuiltinType::Float16;
    bfloat |= builtin && builtin->getKind() == clang::BuiltinType::BFloat16;
  }
  return half && bfloat;
}

// Which operand of an operator, 0 or 1, is an enumerator beside a half or a bfloat; 2 if none is.
size_t enumeratorBesideHalf(const clang::Diagnostic &info) {
  if (info.getID() != clang::diag::err_ovl_ambiguous_oper_binary || info.getNumArgs() < 3 ||
      info.getRanges().size() < 2)
    return 2;
  size_t enumerator = 2, halves = 0;
  for (unsigned i : {0u, 1u}) {
    const auto type = clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(i + 1)));
    if (type->isUnscopedEnumerationType())
      enumerator = i;
    halves += type->isFloat16Type() || type->isBFloat16Type();
  }
  return halves == 1 ? enumerator : 2;
}

// Which operand of an operator, 0 or 1, is a scalar beside a vector that it converts to; 2 if none is.
size_t scalarBesideVector(const clang::Diagnostic &info) {
  if (info.getID() != clang::diag::err_ovl_ambiguous_oper_binary || info.getNumArgs() < 3 ||
      info.getRanges().size() < 2)
    return 2;
  clang::QualType types[2];
  for (unsigned i : {0u, 1u})
    types[i] = clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(i + 1)));
  for (size_t i : {size_t(0), size_t(1)}) {
    const auto vector = vectorClass(types[1 - i]->getAsCXXRecordDecl());
    if (vector && (types[i]->isIntegralOrUnscopedEnumerationType() ||
                   (types[i]->isFloatingType() && vector->element->isFloatingType())))
      return i;
  }
  return 2;
}

// Whether two arguments of a diagnostic are a vector and a packed one of the same elements, in either order.
bool areVectorAndPacked(const clang::Diagnostic &info) {
  std::optional<MetalVector> types[2];
  for (unsigned i : {0u, 1u})
    if (i < info.getNumArgs() && info.getArgKind(i) == clang::DiagnosticsEngine::ak_qualtype)
      types[i] = vectorClass(clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(i)))
                                 ->getAsCXXRecordDecl());
  return types[0] && types[1] && types[0]->packed != types[1]->packed;
}

// The text of a range in the view, on one line.
std::string textOf(const clang::SourceManager &sources, const clang::CharSourceRange &range,
                   const clang::LangOptions &options) {
  const clang::CharSourceRange spelled(
      clang::SourceRange(sources.getSpellingLoc(range.getBegin()), sources.getSpellingLoc(range.getEnd())),
      range.isTokenRange());
  std::string text = clang::Lexer::getSourceText(spelled, sources, options).str();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// Where a range of the view is written, if one text of a file holds it.
std::optional<std::pair<uint32_t, uint32_t>> spelledAt(const clang::SourceManager &sources,
                                                       const clang::CharSourceRange &range,
                                                       const clang::LangOptions &options,
                                                       const ViewFileSystem &files, std::string &file) {
  std::string endFile;
  const auto first = writtenAt(sources, range.getBegin(), options, files, file);
  const auto last = writtenAt(sources, range.getEnd(), options, files, endFile);
  if (!first || !last || file != endFile || last->first < first->first)
    return std::nullopt;
  return std::pair(first->first, range.isTokenRange() ? last->second : last->first);
}

// Where an operand is used, or else where it is written.
std::optional<std::pair<uint32_t, uint32_t>> operandAt(const clang::SourceManager &sources,
                                                       const clang::CharSourceRange &range,
                                                       const clang::LangOptions &options,
                                                       const ViewFileSystem &files, std::string &file) {
  const auto used = usedAt(sources, range, options, files, file);
  return used ? used : spelledAt(sources, range, options, files, file);
}

// Whether Clang has this operator for vectors that are operands of it by a conversion. Most others it has for
// integers alone.
bool takesConverted(std::string_view operation, size_t operands) {
  const std::string_view unary[] = {"+", "-", "~"};
  const std::string_view binary[] = {"+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">="};
  return operands == 1 ? std::ranges::count(unary, operation) != 0
                       : std::ranges::count(binary, operation) != 0;
}

// Fixes for an operator whose operands are vectors, or objects of classes that convert to a vector and to
// nothing else.
std::set<SourceFix> objectFixes(const clang::Diagnostic &info, const std::vector<clang::QualType> &types,
                                const ViewFileSystem &files) {
  const clang::SourceManager &sources = info.getSourceManager();
  clang::LangOptions options;
  options.CPlusPlus = true;
  const clang::SourceLocation where = sources.getSpellingLoc(info.getLocation());
  const std::string operation = textOf(sources, clang::CharSourceRange::getTokenRange(where, where), options);
  if (!takesConverted(operation, types.size()) || std::ranges::any_of(types, [](clang::QualType type) {
        return !vectorClass(type->getAsCXXRecordDecl()) && vectorOf(type).empty();
      }))
    return {};
  std::set<SourceFix> fixes;
  for (size_t i = 0; i < std::min<size_t>(types.size(), info.getRanges().size()); ++i) {
    const std::string vector = vectorOf(types[i]);
    std::string file;
    const clang::CharSourceRange &range = info.getRanges()[i];
    const auto place = operandAt(sources, range, options, files, file);
    if (vector.empty() || !place)
      continue;
    const std::string to = fmt::format("static_cast<__assay_vector_of<{}, decltype(({}))>>(", vector,
                                       textOf(sources, range, options));
    fixes.insert({file, place->first, place->second, to, ")"});
  }
  return fixes;
}

} // namespace

std::set<SourceFix> splatFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  // An operator's error has the ranges of both operands, a conversion's that of the value.
  const bool operands = info.getID() == clang::diag::err_typecheck_invalid_operands;
  const bool unary = info.getID() == clang::diag::err_typecheck_unary_expr;
  if ((!operands && !unary && info.getID() != clang::diag::err_typecheck_nonviable_condition) ||
      info.getRanges().size() < (operands ? 2 : 1))
    return {};
  std::vector<clang::QualType> types;
  for (unsigned i = 0; i < info.getNumArgs(); ++i)
    if (info.getArgKind(i) == clang::DiagnosticsEngine::ak_qualtype)
      types.push_back(clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(i))));
  if (unary)
    return objectFixes(info, types, files);
  if (types.size() != 2)
    return {};
  const std::string number = operands ? "" : numberOf(types[0]);
  const size_t value = operands && !types[0]->isArithmeticType() ? 1 : 0;
  std::string helper;
  if (const std::string vector = vectorThatMakes(types[1 - value]);
      !vector.empty() && types[value]->isArithmeticType())
    helper = "__assay_splat<" + vector + ">(";
  else if (!number.empty() && vectorClass(types[1]->getAsCXXRecordDecl()))
    helper = "static_cast<" + number + ">(";
  else
    return operands ? objectFixes(info, types, files) : std::set<SourceFix>();
  clang::LangOptions options;
  options.CPlusPlus = true;
  std::string file;
  const clang::CharSourceRange &range = info.getRanges()[operands ? value : 0];
  const auto place = operandAt(info.getSourceManager(), range, options, files, file);
  if (!place)
    return {};
  return {{file, place->first, place->second, helper, ")"}};
}

std::set<SourceFix> byValueFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const unsigned id = info.getID();
  const bool cast = id == clang::diag::err_bad_cxx_cast_generic && areBothHalves(info, 1);
  const bool mixed = (id == clang::diag::err_typecheck_invalid_operands ||
                      id == clang::diag::err_typecheck_cond_incompatible_operands) &&
                     areBothHalves(info, 0) && info.getRanges().size() >= 2;
  const bool conditional = id == clang::diag::err_typecheck_cond_incompatible_operands && !mixed;
  const bool packed = id == clang::diag::err_conditional_ambiguous && info.getRanges().size() >= 2 &&
                      areVectorAndPacked(info);
  const size_t enumerator = enumeratorBesideHalf(info), scalar = scalarBesideVector(info);
  std::set<SourceFix> fixes;
  if (!conditional && !cast && !mixed && !packed && enumerator == 2 && scalar == 2)
    return fixes;
  const clang::SourceManager &sources = info.getSourceManager();
  clang::LangOptions options;
  options.CPlusPlus = true;
  // The last range of a cast is its operand; in h += b, only b is a value.
  const auto ranges = cast ? info.getRanges().take_back() : info.getRanges();
  const std::string_view assignments[] = {"+=", "-=", "*=", "/="};
  const clang::SourceLocation where = sources.getSpellingLoc(info.getLocation());
  const std::string operation = textOf(sources, clang::CharSourceRange::getTokenRange(where, where), options);
  const bool assigns = mixed && std::count(std::begin(assignments), std::end(assignments), operation) != 0;
  for (size_t i = assigns ? 1 : 0; i < ranges.size(); ++i) {
    if ((enumerator < 2 && i != enumerator) || (scalar < 2 && i != scalar))
      continue;
    // One value suffices for a value; what is one needs no copy.
    if (conditional && isElsewhere(info, 1 - unsigned(i)) && !isElsewhere(info, unsigned(i)))
      continue;
    const clang::CharSourceRange &range = ranges[i];
    std::string file;
    std::optional<std::pair<uint32_t, uint32_t>> place;
    if (conditional)
      place = parameterUsedAgain(sources, range, options, files, file);
    if (!place)
      place = usedAt(sources, range, options, files, file);
    if (!place && conditional)
      place = heldAt(sources, range, options, files, file);
    if (!place && !conditional)
      place = spelledAt(sources, range, options, files, file);
    if (!place)
      continue;
    std::string helper = cast             ? "__assay_between_halves"
                         : enumerator < 2 ? "__assay_promoted"
                                          : "__assay_by_value";
    if (scalar < 2)
      helper = fmt::format("__assay_splat<decltype({})>", textOf(sources, ranges[1 - scalar], options));
    if (packed && i == 1)
      helper = fmt::format("__assay_like<decltype({})>", textOf(sources, ranges[0], options));
    if (mixed)
      helper = fmt::format("__assay_beside<decltype({})>",
                           textOf(sources, ranges[1 - std::min<size_t>(i, 1)], options));
    fixes.insert({file, place->first, place->second, helper + "(", ")"});
  }
  return fixes;
}

} // namespace assay::frontend
