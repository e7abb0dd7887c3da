#include "frontend/global_declarations.h"

namespace assay::frontend {
namespace {

// `namespace a::b {`, `namespace {`, `extern "C" {`
bool opensNamespace(const std::vector<RawToken> &tokens, size_t brace) {
  size_t k = brace;
  while (k > 0 && !tokens[k - 1].is("namespace") &&
         (tokens[k - 1].is("::") || tokens[k - 1].kind == TokenKind::Identifier))
    --k;
  return k > 0 && (tokens[k - 1].is("namespace") || tokens[k - 1].kind == TokenKind::Literal);
}

// The first token of the declaration at `i`, if all brackets around it are those of namespaces.
size_t beginAtProgramScope(const std::vector<RawToken> &tokens, const std::vector<size_t> &openers,
                           size_t i) {
  size_t begin = kNone;
  for (size_t k = i; k-- > 0;) {
    const RawToken &t = tokens[k];
    if (begin == kNone && (t.is(";") || t.is("{") || t.is("}") || t.inDirective))
      begin = k + 1;
    if (t.inDirective)
      continue;
    if (openers[k] != kNone)
      k = openers[k];
    else if ((t.is("{") && !opensNamespace(tokens, k)) || t.is("(") || t.is("["))
      return kNone;
  }
  begin = begin == kNone ? 0 : begin;
  return begin < i ? begin : kNone;
}

} // namespace

std::optional<GlobalDeclaration> globalDeclaration(const std::vector<RawToken> &tokens,
                                                   const std::vector<size_t> &openers, size_t attribute,
                                                   const std::function<bool(std::string_view)> &isConstant) {
  GlobalDeclaration global;
  global.begin = beginAtProgramScope(tokens, openers, attribute);
  if (global.begin == kNone)
    return std::nullopt;
  for (size_t k = global.begin; k < attribute; ++k) {
    const std::string_view word = tokens[k].text;
    if (word == "static" || word == "using" || word == "typedef")
      return std::nullopt;
    global.isExtern |= word == "extern";
    global.isConst |= word == "const" || isConstant(word);
  }
  return global;
}

} // namespace assay::frontend
