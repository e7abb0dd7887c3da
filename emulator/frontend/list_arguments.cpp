#include "frontend/list_arguments.h"

#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>

#include <string>

namespace assay::frontend {
namespace {

// The first parenthesis from a function's name on: of its arguments or of its parameters.
std::optional<size_t> parenthesisAfter(const WrittenToken &written) {
  for (size_t i = written.at; i < written.tokens.size(); ++i)
    if (written.tokens[i].is("("))
      return i;
    else if (written.tokens[i].is(";") || written.tokens[i].is("{"))
      break;
  return std::nullopt;
}

// Calls `see(token, depth)` inside of a pair of parentheses; the depth of its own tokens is 1.
template <typename See> void inside(const WrittenToken &written, size_t open, See see) {
  int depth = 0;
  for (size_t i = open; i < written.tokens.size(); ++i) {
    if (closesGroup(written.tokens[i]) && --depth == 0)
      return;
    see(i, depth);
    depth += opensGroup(written.tokens[i]);
  }
}

// In a macro's body the space may be one of the macro's parameters.
bool mayHaveParameterOutsideOfThreadMemory(const WrittenToken &function) {
  if (function.tokens[function.at].inDirective)
    return true;
  const std::optional<size_t> open = parenthesisAfter(function);
  bool found = false;
  if (open)
    inside(function, *open,
           [&](size_t i, int) { found |= function.tokens[i].isAny({"device", "constant", "threadgroup"}); });
  return found;
}

// The first token of a function's name: of `S` in `S::op`.
size_t beginOfName(const WrittenToken &function) {
  size_t at = function.at;
  while (at >= 2 && function.tokens[at - 1].is("::") && function.tokens[at - 2].kind == TokenKind::Identifier)
    at -= 2;
  return at;
}

} // namespace

std::vector<Argument> argumentsOf(const WrittenToken &call) {
  std::vector<Argument> arguments;
  const std::optional<size_t> parenthesis = parenthesisAfter(call);
  if (!parenthesis)
    return {};
  size_t end = *parenthesis, first = end + 1;
  const auto finish = [&](size_t after) {
    if (first < after)
      arguments.push_back({first, after - 1});
    first = after + 1;
  };
  inside(call, *parenthesis, [&](size_t i, int depth) {
    if (depth == 1 && call.tokens[i].is(","))
      finish(i);
    end = i;
  });
  if (end + 1 >= call.tokens.size() || !call.tokens[end + 1].is(")"))
    return {};
  finish(end + 1);
  return arguments;
}

std::optional<WrittenToken> functionAround(WrittenToken inside) {
  int depth = 0;
  for (size_t i = inside.at; i-- > 1 && !inside.tokens[i].is(";");) {
    const RawToken &token = inside.tokens[i];
    if (closesGroup(token))
      ++depth;
    else if (opensGroup(token) && depth-- == 0) {
      inside.at = i - 1;
      const bool named = token.is("(") && inside.tokens[i - 1].kind == TokenKind::Identifier;
      return named ? std::optional(std::move(inside)) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<Argument> listsIn(const WrittenToken &call) {
  std::vector<Argument> lists = argumentsOf(call);
  std::erase_if(lists, [&](const Argument &argument) {
    return !call.tokens[argument.first].is("{") || !call.tokens[argument.last].is("}");
  });
  return lists;
}

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
    const std::optional<WrittenToken> place =
        call || binding ? writtenTokenAt(info.getSourceManager(), info.getLocation(), files) : std::nullopt;
    ambiguous_ = call && place && !listsIn(*place).empty();
    refused_ = binding && place && place->tokens[place->at].is("{");
    return {};
  }
  std::optional<WrittenToken> function = writtenTokenAt(info.getSourceManager(), info.getLocation(), files);
  if (function && parameter)
    function = functionAround(std::move(*function));
  if (!function || !mayHaveParameterOutsideOfThreadMemory(*function))
    return {};
  asked_ = true;
  const uint32_t name = function->tokens[beginOfName(*function)].offset;
  return {SourceFix{function->file, name, name, "__attribute__((enable_if(true, \"\"))) ", ""}};
}

} // namespace assay::frontend
