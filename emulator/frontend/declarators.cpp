#include "frontend/declarators.h"

#include <algorithm>

namespace assay::frontend {
namespace {

bool beginsPointer(const RawToken &token) {
  return token.is("*") || token.is("&") || token.is("&&") || token.is("(");
}

bool isTypesBracket(const RawToken &before) {
  return before.is("decltype") || before.is("alignas") || before.is("__attribute__") ||
         before.is("__typeof__");
}

bool endsName(const RawToken &token) {
  return token.is("[") || token.is("=") || token.is(",") || token.is(";") || token.is("{");
}

// The first token of the first declarator; kNone if this does not look like a declaration of variables.
size_t firstDeclarator(const std::vector<RawToken> &tokens, const std::vector<size_t> &closers, size_t k) {
  int angles = 0;
  size_t name = kNone;
  for (; k < tokens.size() && tokens[k].kind != TokenKind::End; ++k) {
    const RawToken &t = tokens[k];
    if (t.inDirective)
      return kNone;
    angles += t.is("<") - t.is(">") - 2 * t.is(">>");
    if (angles > 0 || t.is(">") || t.is(">>"))
      continue;
    if (t.is("(") && isTypesBracket(tokens[k - 1])) {
      k = closers[k];
      if (k == kNone)
        return kNone;
      continue;
    }
    if (t.is("(") && !beginsPointer(tokens[k + 1])) { // a macro's arguments, if the declarator is to come
      k = closers[k];
      if (k == kNone || (tokens[k + 1].kind != TokenKind::Identifier && !beginsPointer(tokens[k + 1])))
        return kNone;
      continue;
    }
    if (beginsPointer(t))
      return k;
    if (endsName(t))
      return name;
    if (t.kind == TokenKind::Identifier)
      name = k;
    else if (!t.is("::"))
      return kNone;
  }
  return kNone;
}

} // namespace

bool declaresObject(const std::vector<RawToken> &tokens, const std::vector<size_t> &closers, size_t space) {
  int angles = 0;
  bool named = false;
  for (size_t k = space + 1; k < tokens.size(); ++k) {
    const RawToken &t = tokens[k];
    if (t.kind == TokenKind::End || (tokens[space].inDirective && t.startsLine))
      return named && tokens[space].inDirective; // a macro's body may lack the semicolon
    if (t.inDirective && !tokens[space].inDirective)
      continue; // `threadgroup` and then #if: the first branch says what is declared
    if (t.is("<"))
      ++angles;
    else if (t.is(">"))
      angles = std::max(0, angles - 1);
    else if (t.is(">>"))
      angles = std::max(0, angles - 2);
    else if (t.is("[")) {
      k = closers[k];
      if (k == kNone)
        return false;
      named = true;
    } else if (t.is("(")) {
      const size_t close = closers[k];
      if (close == kNone)
        return false;
      if (isTypesBracket(tokens[k - 1]) || angles > 0) {
        k = close;
        continue;
      }
      return false; // a function, `T (&x)[N]`, `T (*x)[N]`
    } else if (angles == 0) {
      if (t.is("*") || t.is("&") || t.is("&&"))
        return false;
      if (t.is(";") || t.is("=") || t.is(",") || t.is("{") || t.is(":") || t.is(")") || t.is("}"))
        return named;
      if (t.kind == TokenKind::Identifier)
        named = true;
    }
  }
  return false;
}

MixedDeclaration mixedDeclaration(const std::vector<RawToken> &tokens, const std::vector<size_t> &closers,
                                  size_t space) {
  MixedDeclaration result;
  size_t k = firstDeclarator(tokens, closers, space + 1);
  if (k == kNone || k == space + 1)
    return result;
  result.specifiersEnd = k;
  bool isObject = !beginsPointer(tokens[k]);
  for (; k < tokens.size() && !tokens[k].is(";"); ++k) {
    const RawToken &t = tokens[k];
    if (t.kind == TokenKind::End || t.inDirective || t.is("}") || t.is(")"))
      return {};
    if (t.is("(") || t.is("[") || t.is("{")) {
      k = closers[k];
      if (k == kNone)
        return {};
    } else if (t.is("<") && tokens[k - 1].kind == TokenKind::Identifier) {
      return {};
    } else if (t.is(",") && !beginsPointer(tokens[k + 1]) != isObject) {
      isObject = !isObject;
      result.cuts.push_back({k, isObject});
    }
  }
  return result;
}

bool isType(const std::vector<RawToken> &tokens, size_t word, size_t space) {
  const auto is = [&](size_t i, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, tokens[i].text) != words.end();
  };
  if (is(word - 1, {"::"}) ||
      is(word, {"bool", "char", "short", "int", "long", "float", "half", "signed", "unsigned"}))
    return true;
  for (size_t k = word - 1; k > space; --k)
    if (!is(k, {"const", "volatile", "struct", "class", "union", "enum", "typename"}))
      return false;
  size_t before = space;
  while (before > 0 && is(before - 1, {"const", "volatile"}))
    --before;
  return before > 0 && is(before - 1, {"(", ",", "<"});
}

bool inParameterList(const std::vector<RawToken> &tokens, size_t space) {
  int brackets = 0, angles = 0;
  for (size_t k = space; k-- > 0;) {
    const RawToken &t = tokens[k];
    brackets += int(t.is(")") || t.is("]") || t.is("}")) - int(t.is("(") || t.is("[") || t.is("{"));
    if (brackets == 0)
      angles += t.is("<") - t.is(">") - 2 * t.is(">>");
    if (brackets >= 0 && angles <= 0)
      continue;
    if (angles > 0 || !t.is("(") || k == 0)
      return false;
    const RawToken &callee = tokens[k - 1];
    constexpr std::string_view kOthers[] = {"sizeof",        "alignof",  "_Alignof", "__alignof__",
                                            "__alignof",     "alignas",  "decltype", "typeof",
                                            "__typeof__",    "noexcept", "return",   "if",
                                            "static_assert", "while",    "for",      "switch"};
    if (callee.kind == TokenKind::Identifier)
      return std::ranges::find(kOthers, callee.text) == std::end(kOthers);
    return callee.is(">") || callee.is(")") || callee.is("]");
  }
  return false;
}

} // namespace assay::frontend
