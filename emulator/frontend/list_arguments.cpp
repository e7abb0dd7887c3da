#include "frontend/list_arguments.h"

#include "frontend/tokens.h"

#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace assay::frontend {
namespace {

// A token of a user's file, as it was written.
struct Written {
  std::string file;
  std::vector<RawToken> tokens;
  size_t at = 0;
};

std::optional<Written> writtenAt(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const clang::SourceManager &sources = info.getSourceManager();
  const clang::SourceLocation location = sources.getSpellingLoc(info.getLocation());
  if (location.isInvalid())
    return std::nullopt;
  Written written{sources.getFilename(location).str(), {}, 0};
  const SourceView *view = files.view(written.file);
  const std::optional<uint32_t> offset =
      view ? view->originalOffset(sources.getFileOffset(location)) : std::nullopt;
  if (!offset)
    return std::nullopt;
  written.tokens = lexRaw(view->original());
  const auto token = std::ranges::lower_bound(written.tokens, *offset, {}, &RawToken::offset);
  if (token == written.tokens.end() || token->offset != *offset)
    return std::nullopt;
  written.at = size_t(token - written.tokens.begin());
  return written;
}

constexpr std::array<std::string_view, 3> kOpeners = {"(", "[", "{"}, kClosers = {")", "]", "}"};

bool isOneOf(const RawToken &token, const std::array<std::string_view, 3> &words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return token.is(word); });
}

// The first parenthesis from a function's name on: of its arguments or of its parameters.
std::optional<size_t> parenthesisAfter(const Written &written) {
  for (size_t i = written.at; i < written.tokens.size(); ++i)
    if (written.tokens[i].is("("))
      return i;
    else if (written.tokens[i].is(";") || written.tokens[i].is("{"))
      break;
  return std::nullopt;
}

// Calls `see(token, depth)` inside of a pair of parentheses; the depth of its own tokens is 1.
template <typename See> void inside(const Written &written, size_t open, See see) {
  int depth = 0;
  for (size_t i = open; i < written.tokens.size(); ++i) {
    if (isOneOf(written.tokens[i], kClosers) && --depth == 0)
      return;
    see(i, depth);
    depth += isOneOf(written.tokens[i], kOpeners);
  }
}

bool hasListArgument(const Written &call) {
  const std::optional<size_t> open = parenthesisAfter(call);
  bool found = false;
  if (open)
    inside(call, *open, [&](size_t i, int depth) {
      found |= depth == 1 && call.tokens[i].is("{") && (i == *open + 1 || call.tokens[i - 1].is(","));
    });
  return found;
}

// In a macro's body the space may be one of the macro's parameters.
bool mayHaveParameterOutsideOfThreadMemory(const Written &function) {
  if (function.tokens[function.at].inDirective)
    return true;
  static constexpr std::array<std::string_view, 3> kSpaces = {"device", "constant", "threadgroup"};
  const std::optional<size_t> open = parenthesisAfter(function);
  bool found = false;
  if (open)
    inside(function, *open, [&](size_t i, int) { found |= isOneOf(function.tokens[i], kSpaces); });
  return found;
}

// The name of the function whose parameter this is.
std::optional<Written> functionOf(Written parameter) {
  int depth = 0;
  for (size_t i = parameter.at; i-- > 1;) {
    const RawToken &token = parameter.tokens[i];
    if (isOneOf(token, kClosers))
      ++depth;
    else if (isOneOf(token, kOpeners) && depth-- == 0) {
      parameter.at = i - 1;
      const bool named = token.is("(") && parameter.tokens[i - 1].kind == TokenKind::Identifier;
      return named ? std::optional(std::move(parameter)) : std::nullopt;
    }
  }
  return std::nullopt;
}

// The first token of a function's name: of `S` in `S::op`.
size_t beginOfName(const Written &function) {
  size_t at = function.at;
  while (at >= 2 && function.tokens[at - 1].is("::") && function.tokens[at - 2].kind == TokenKind::Identifier)
    at -= 2;
  return at;
}

} // namespace

std::set<SourceFix> ListArguments::consider(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const unsigned id = info.getID();
  // Definitions and specialisations of functions that have the attribute by now.
  const bool other = asked_ && (id == clang::diag::err_member_decl_does_not_match ||
                                id == clang::diag::err_function_template_spec_no_match);
  const bool candidate = ambiguous_ && id == clang::diag::note_ovl_candidate;
  const bool parameter =
      refused_ && (id == clang::diag::note_parameter_here || id == clang::diag::note_parameter_named_here);
  if (!candidate && !parameter && !other) {
    if (info.getLocation().isInvalid() || clang::DiagnosticIDs::isBuiltinNote(id))
      return {};
    const bool call = id == clang::diag::err_ovl_ambiguous_call;
    const bool binding = id == clang::diag::err_reference_bind_drops_quals;
    const std::optional<Written> place = call || binding ? writtenAt(info, files) : std::nullopt;
    ambiguous_ = call && place && hasListArgument(*place);
    refused_ = binding && place && place->tokens[place->at].is("{");
    return {};
  }
  std::optional<Written> function = writtenAt(info, files);
  if (function && parameter)
    function = functionOf(std::move(*function));
  if (!function || !mayHaveParameterOutsideOfThreadMemory(*function))
    return {};
  asked_ = true;
  const uint32_t name = function->tokens[beginOfName(*function)].offset;
  return {SourceFix{function->file, name, name, "__attribute__((enable_if(true, \"\"))) ", ""}};
}

} // namespace assay::frontend
