#include "frontend/deduced_class_fixes.h"

#include "frontend/component_fixes.h"
#include "frontend/written_token.h"

#include <clang/Basic/DiagnosticSema.h>

namespace assay::frontend {
namespace {

using Tokens = std::vector<RawToken>;

// The first token of the list of arguments after the name of a class or of a variable, without its bracket;
// of `P p = v.xy`, the first of the value.
size_t argumentsAfter(const Tokens &tokens, size_t name) {
  for (size_t i = name; i < tokens.size() && !tokens[i].is(";"); ++i) {
    if (tokens[i].is("(") || tokens[i].is("{"))
      return i + 1;
    if (tokens[i].is("="))
      return i + 1 < tokens.size() && tokens[i + 1].is("{") ? i + 2 : i + 1;
  }
  return tokens.size();
}

// Where the expression begins that ends with the name of a member: before the names, calls and subscripts
// that lead to it.
size_t beginningOf(const Tokens &tokens, size_t member) {
  size_t at = member;
  while (at >= 2 && (tokens[at - 1].is(".") || tokens[at - 1].is("->") || tokens[at - 1].is("::"))) {
    at -= 2;
    while (closesGroup(tokens[at])) {
      int depth = 0;
      do {
        depth += closesGroup(tokens[at]) ? 1 : opensGroup(tokens[at]) ? -1 : 0;
      } while (depth != 0 && at-- > 0);
      const bool follows =
          at > 0 && (closesGroup(tokens[at - 1]) || tokens[at - 1].kind == TokenKind::Identifier);
      if (depth != 0 || !follows)
        return depth == 0 ? at : member;
      --at;
    }
  }
  return at;
}

} // namespace

std::set<SourceFix> deducedClassFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  std::set<SourceFix> fixes;
  if (info.getID() != clang::diag::err_deduced_class_template_ctor_no_viable &&
      info.getID() != clang::diag::err_deduced_class_template_ctor_ambiguous)
    return fixes;
  const auto place = writtenTokenAt(info.getSourceManager(), info.getLocation(), files);
  if (!place)
    return fixes;
  const Tokens &tokens = place->tokens;
  size_t first = argumentsAfter(tokens, place->at);
  int depth = 0;
  for (size_t i = first; i < tokens.size() && depth >= 0; ++i) {
    const bool ends = depth == 0 && (tokens[i].is(",") || tokens[i].is(";") || closesGroup(tokens[i]));
    if (ends && i >= first + 3 && isSwizzle(tokens[i - 1].text) && beginningOf(tokens, i - 1) == first) {
      const RawToken &last = tokens[i - 1];
      fixes.insert({place->file, tokens[first].offset, last.offset + last.length, "__assay_by_value(", ")"});
    }
    if (ends)
      first = i + 1;
    if (tokens[i].is(";"))
      break;
    depth += opensGroup(tokens[i]) ? 1 : closesGroup(tokens[i]) ? -1 : 0;
  }
  return fixes;
}

} // namespace assay::frontend
