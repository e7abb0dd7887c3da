#include "frontend/functional_casts.h"

#include "frontend/written_token.h"

#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/SourceManager.h>

namespace assay::frontend {
namespace {

using Tokens = std::vector<RawToken>;

// The first token of the condition or of the statement that a token is in; kNone outside of both.
size_t beginOfExpression(const Tokens &tokens, size_t at) {
  int depth = 0;
  for (size_t i = at; i-- > 1;) {
    const RawToken &token = tokens[i];
    if (depth == 0 && token.isAny({";", "{", "}", ":", "else", "do"}))
      return i + 1;
    if (closesGroup(token))
      ++depth;
    else if (opensGroup(token) && depth > 0)
      --depth;
    else if (token.is("(") && tokens[i - 1].isAny({"if", "while", "switch", "constexpr"}))
      return i + 1;
  }
  return kNone;
}

// Whether a type and parentheses begin here, and a name after them: of an address space, or of a macro.
bool isCastOfCast(const Tokens &tokens, size_t at) {
  while (at + 1 < tokens.size() && tokens[at].kind == TokenKind::Identifier) {
    ++at;
    if (tokens[at].is("<")) {
      const size_t close = closingAngle(tokens, at);
      if (close == kNone)
        return false;
      at = close + 1;
    }
    if (!tokens[at].is("::"))
      break;
    ++at;
  }
  if (!tokens[at].is("("))
    return false;
  while (tokens[at].isAny({"(", "*", "&"}))
    ++at;
  return tokens[at].kind == TokenKind::Identifier;
}

} // namespace

std::set<SourceFix> functionalCastFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (info.getID() != clang::diag::err_expected_unqualified_id && info.getID() != clang::diag::err_expected)
    return {};
  const clang::SourceManager &sources = info.getSourceManager();
  // The cast may come from a macro, and the condition from where the macro is used, or from the macro, too.
  const auto use = writtenTokenAt(sources, sources.getExpansionLoc(info.getLocation()), files);
  for (clang::SourceLocation place = info.getLocation(); place.isValid();
       place = place.isMacroID() ? sources.getImmediateMacroCallerLoc(place) : clang::SourceLocation()) {
    const auto error = writtenTokenAt(sources, place, files);
    const size_t begin = error ? beginOfExpression(error->tokens, error->at) : kNone;
    if (begin == kNone || !isCastOfCast(error->tokens, begin))
      continue;
    const uint32_t offset = error->tokens[begin].offset;
    // The statement is a macro, which is no type.
    if (use && use->file == error->file && use->tokens[use->at].offset == offset)
      continue;
    return {SourceFix{error->file, offset, offset, "(void)0, ", ""}};
  }
  return {};
}

} // namespace assay::frontend
