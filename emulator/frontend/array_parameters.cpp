#include "frontend/array_parameters.h"

#include "frontend/written_token.h"

#include <clang/Basic/DiagnosticSema.h>

namespace assay::frontend {
namespace {

// The first token of the parameter whose name stands at `name`; `name` itself if none is found.
size_t beginOfParameter(const std::vector<RawToken> &tokens, size_t name) {
  int angles = 0, brackets = 0;
  for (size_t i = name; i-- > 0;) {
    const RawToken &token = tokens[i];
    if (angles == 0 && brackets == 0 && (token.is("(") || token.is(",")))
      return i + 1;
    if (token.is(";") || token.is("{") || token.is("}"))
      return name;
    angles += token.is(">") ? 1 : token.is(">>") ? 2 : token.is("<") ? -1 : 0;
    brackets += token.is(")") ? 1 : token.is("(") ? -1 : 0;
  }
  return name;
}

} // namespace

std::set<SourceFix> arrayParameterFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (info.getID() != clang::diag::err_arg_with_address_space)
    return {};
  const auto place = writtenTokenAt(info.getSourceManager(), info.getLocation(), files);
  if (!place || place->at == 0 || place->tokens[place->at].kind != TokenKind::Identifier)
    return {};
  const size_t first = beginOfParameter(place->tokens, place->at);
  if (first == place->at)
    return {};
  const RawToken &last = place->tokens[place->at - 1];
  return {SourceFix{place->file, place->tokens[first].offset, last.offset + last.length,
                    "__assay_array_parameter<", ">"}};
}

} // namespace assay::frontend
