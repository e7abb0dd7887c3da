#include "frontend/tensor_subscripts.h"

#include "frontend/written_token.h"

#include <clang/Basic/DiagnosticSema.h>

#include <optional>

namespace assay::frontend {
namespace {

using Tokens = std::vector<RawToken>;

struct Brackets {
  size_t close = 0;
  bool commas = false; ///< between the brackets, and not in others within
};

// What follows an opening bracket.
std::optional<Brackets> bracketsFrom(const Tokens &tokens, size_t open) {
  Brackets found;
  int depth = 0;
  for (size_t i = open + 1; i < tokens.size(); ++i) {
    if (depth == 0 && closesGroup(tokens[i])) {
      found.close = i;
      return found;
    }
    found.commas |= depth == 0 && tokens[i].is(",");
    depth += opensGroup(tokens[i]) ? 1 : closesGroup(tokens[i]) ? -1 : 0;
  }
  return std::nullopt;
}

// Of names, members, calls and subscripts that follow one another from a token on: the first subscript with
// several indices.
std::optional<size_t> subscriptFrom(const Tokens &tokens, size_t begin) {
  for (size_t i = begin; i < tokens.size(); ++i) {
    const RawToken &token = tokens[i];
    if (token.kind == TokenKind::Identifier || token.is(".") || token.is("->") || token.is("::"))
      continue;
    if (!token.is("[") && !token.is("("))
      break;
    const std::optional<Brackets> brackets = bracketsFrom(tokens, i);
    if (!brackets)
      break;
    if (token.is("[") && brackets->commas)
      return i;
    i = brackets->close;
  }
  return std::nullopt;
}

} // namespace

std::set<SourceFix> tensorSubscriptFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (info.getID() != clang::diag::err_diagnose_if_succeeded)
    return {};
  const auto place = writtenTokenAt(info.getSourceManager(), info.getLocation(), files);
  if (!place)
    return {};
  // In the instantiation of a template Clang tells where the whole expression begins.
  const std::optional<size_t> open = subscriptFrom(place->tokens, place->at);
  if (!open)
    return {};
  const uint32_t first = place->tokens[*open + 1].offset;
  const uint32_t close = place->tokens[bracketsFrom(place->tokens, *open)->close].offset;
  return {SourceFix{place->file, first, close, "__assay_tensor_indices(", ")"}};
}

} // namespace assay::frontend
