#include "frontend/local_spaces.h"

#include "frontend/tokens.h"

#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace assay::frontend {
namespace {

bool beginsStatement(const RawToken &word) {
  constexpr std::string_view kWords[] = {"if", "for", "while", "switch", "else", "do", "return"};
  return std::ranges::find(kWords, word.text) != std::end(kWords);
}

// The bracket that the one at `close` closes; kNone if there is none.
size_t openerOf(const std::vector<RawToken> &tokens, size_t close) {
  int depth = 0;
  for (size_t k = close + 1; k-- > 0;) {
    const RawToken &t = tokens[k];
    if (t.inDirective)
      continue;
    depth += (t.is(")") || t.is("]") || t.is("}")) - (t.is("(") || t.is("[") || t.is("{"));
    if (depth == 0)
      return k;
  }
  return kNone;
}

// The `?` of the `:` at a token, if the declaration has it; kNone for the colon of a label.
size_t questionOf(const std::vector<RawToken> &tokens, size_t colon) {
  for (size_t k = colon; k-- > 0;) {
    const RawToken &t = tokens[k];
    if (t.is("?"))
      return k;
    if (t.is(";") || t.is("{") || t.is("}"))
      return kNone;
  }
  return kNone;
}

// After `[[..]]` and `alignas(..)`, which stand before `static`.
size_t afterAttributes(const std::vector<RawToken> &tokens, size_t begin) {
  for (;;) {
    const bool aligned = tokens[begin].is("alignas") && tokens[begin + 1].is("(");
    if (!aligned && !(tokens[begin].is("[") && tokens[begin + 1].is("[")))
      return begin;
    int depth = 0;
    size_t k = begin + aligned;
    do {
      if (k + 1 >= tokens.size())
        return begin;
      depth += (tokens[k].is("(") || tokens[k].is("[")) - (tokens[k].is(")") || tokens[k].is("]"));
      ++k;
    } while (depth > 0);
    begin = k;
  }
}

// The first token of the declaration of the name at a token; kNone if it is part of another statement. A
// bracket that opens before the name may be one of a macro's argument, or of a declarator.
size_t beginOfDeclaration(const std::vector<RawToken> &tokens, size_t name) {
  size_t begin = name;
  for (size_t k = name; k-- > 0;) {
    const RawToken &t = tokens[k];
    if (t.inDirective)
      continue;
    if (t.is(";") || t.is("{") || (t.is("}") && !tokens[k + 1].is(",")))
      break;
    if (beginsStatement(t))
      return kNone;
    if (t.is(":")) {
      const size_t question = questionOf(tokens, k);
      if (question == kNone)
        break;
      k = question;
    } else if (t.is(")") || t.is("]") || t.is("}")) {
      k = openerOf(tokens, k);
      if (k == kNone)
        return kNone;
    }
    begin = k;
  }
  return afterAttributes(tokens, begin);
}

// The tokens of the macro's body that a token lies in, as if they were the program's.
std::vector<RawToken> bodyAround(const std::vector<RawToken> &tokens, size_t token) {
  size_t begin = token, end = token;
  while (begin > 0 && !tokens[begin].startsLine)
    --begin;
  do
    ++end;
  while (tokens[end].inDirective && !tokens[end].startsLine);
  begin += 3; // #define NAME
  if (tokens[begin].is("(") && tokens[begin].joined)
    while (begin < token && !tokens[begin++].is(")"))
      ;
  std::vector<RawToken> body(tokens.begin() + ptrdiff_t(std::min(begin, token)),
                             tokens.begin() + ptrdiff_t(end));
  for (RawToken &each : body)
    each.inDirective = false;
  body.push_back({});
  return body;
}

// A fix where the declaration of the name at a place in a user's file begins; none if it begins before the
// macro's body that the place may lie in.
std::optional<SourceFix> fixAt(const clang::SourceManager &sources, clang::SourceLocation where,
                               const ViewFileSystem &files) {
  where = sources.getSpellingLoc(where);
  const std::string file = sources.getFilename(where).str();
  const SourceView *view = files.view(file);
  const auto place = view ? view->originalOffset(sources.getFileOffset(where)) : std::nullopt;
  if (!place)
    return std::nullopt;
  std::vector<RawToken> tokens = lexRaw(view->original());
  auto name = std::ranges::find(tokens, *place, &RawToken::offset);
  if (name == tokens.end())
    return std::nullopt;
  const bool inMacro = name->inDirective;
  if (inMacro) {
    tokens = bodyAround(tokens, size_t(name - tokens.begin()));
    name = std::ranges::find(tokens, *place, &RawToken::offset);
  }
  const size_t begin = beginOfDeclaration(tokens, size_t(name - tokens.begin()));
  if (begin == kNone || (inMacro && begin == 0))
    return std::nullopt;
  const uint32_t offset = tokens[begin].offset;
  return SourceFix{file, offset, offset, "static ", ""};
}

} // namespace

std::set<SourceFix> localSpaceFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (info.getID() != clang::diag::err_as_qualified_auto_decl || !info.hasSourceManager())
    return {};
  const clang::SourceManager &sources = info.getSourceManager();
  clang::SourceLocation where = info.getLocation();
  for (; where.isMacroID(); where = sources.getImmediateExpansionRange(where).getBegin())
    if (!sources.isMacroArgExpansion(where))
      if (auto fix = fixAt(sources, where, files))
        return {*std::move(fix)};
  if (auto fix = fixAt(sources, where, files))
    return {*std::move(fix)};
  return {};
}

} // namespace assay::frontend
