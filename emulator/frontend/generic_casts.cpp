#include "frontend/generic_casts.h"

#include "frontend/written_token.h"

#include <clang/Basic/DiagnosticSema.h>

#include <optional>

namespace assay::frontend {

std::set<SourceFix> genericCastFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (info.getID() != clang::diag::err_bad_cxx_cast_generic &&
      info.getID() != clang::diag::err_bad_cxx_cast_unrelated_class && // of pointers to classes
      info.getID() != clang::diag::err_bad_cxx_cast_qualifiers_away)   // of pointers to void
    return {};
  const auto cast = writtenTokenAt(info.getSourceManager(), info.getLocation(), files);
  if (!cast || !cast->tokens[cast->at].is("static_cast"))
    return {};
  const std::vector<RawToken> &tokens = cast->tokens;
  const size_t close = closingAngle(tokens, cast->at + 1);
  if (close == kNone || !tokens[close + 1].is("("))
    return {};
  const size_t open = close + 1;
  int groups = 0;
  for (size_t i = open; tokens[i].kind != TokenKind::End; ++i) {
    groups += opensGroup(tokens[i]) ? 1 : closesGroup(tokens[i]) ? -1 : 0;
    if (groups == 0)
      return {{cast->file, tokens[open + 1].offset, tokens[i].offset, "metal::__assay::generic(", ")"}};
  }
  return {};
}

} // namespace assay::frontend
