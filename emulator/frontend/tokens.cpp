// Clang's raw lexer as a token list.
#include "frontend/tokens.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <string>

namespace assay::frontend {

uint32_t lineAt(std::string_view source, size_t offset) {
  return uint32_t(std::ranges::count(source.substr(0, offset), '\n')) + 1;
}

// As Clang reads it: a line may also end in a carriage return, alone or before or after the line feed.
size_t spliceAt(std::string_view source, size_t at) {
  if (at >= source.size() || source[at] != '\\')
    return 0;
  size_t end = source.find_first_not_of(" \t\v\f", at + 1);
  if (end == source.npos || (source[end] != '\n' && source[end] != '\r'))
    return 0;
  const char first = source[end++];
  if (end < source.size() && source[end] == (first == '\n' ? '\r' : '\n'))
    ++end;
  return end - at;
}

bool opensGroup(const RawToken &token) {
  return token.is("(") || token.is("[") || token.is("{");
}
bool closesGroup(const RawToken &token) {
  return token.is(")") || token.is("]") || token.is("}");
}

std::vector<size_t> closersOf(const std::vector<RawToken> &tokens) {
  std::vector<size_t> closers(tokens.size(), kNone), program, directive;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const RawToken &t = tokens[i];
    if (t.startsLine)
      directive.clear();
    std::vector<size_t> &open = t.inDirective ? directive : program;
    if (opensGroup(t)) {
      open.push_back(i);
    } else if (closesGroup(t) && !open.empty()) {
      closers[open.back()] = i;
      open.pop_back();
    }
  }
  return closers;
}

size_t closingAngle(const std::vector<RawToken> &tokens, size_t open) {
  int groups = 0, angles = 0;
  for (size_t i = open; i < tokens.size() && groups >= 0; ++i) {
    const RawToken &t = tokens[i];
    groups += opensGroup(t) ? 1 : closesGroup(t) ? -1 : 0;
    if (groups != 0)
      continue;
    angles += t.is("<") ? 1 : t.is(">") ? -1 : t.is(">>") ? -2 : 0;
    if (angles <= 0)
      return i;
  }
  return kNone;
}

bool opensRecord(const std::vector<RawToken> &tokens, size_t brace) {
  if (!tokens[brace].is("{"))
    return false;
  for (size_t k = brace; k-- > 0;) {
    const RawToken &t = tokens[k];
    if (t.is("struct") || t.is("class") || t.is("union"))
      return k == 0 || !tokens[k - 1].is("enum");
    // A function's parameters or the end of what stands before; attributes and alignas have parentheses, too.
    if (t.is(";") || t.is("{") || t.is("}") || t.is("=") ||
        (t.is(")") && !tokens[k + 1].is("]") && k + 1 == brace))
      return false;
  }
  return false;
}

std::string spelledTokens(const std::vector<RawToken> &tokens, size_t first, size_t last) {
  std::string text;
  for (size_t i = first; i < last; ++i) {
    if (i > first && !tokens[i].joined)
      text += ' ';
    text += tokens[i].text;
  }
  for (size_t at = 0; (at = text.find('\\', at)) != std::string::npos;)
    if (const size_t splice = spliceAt(text, at))
      text.erase(at, splice);
    else
      ++at;
  return text;
}

namespace {

// A zero follows the text, as the lexer needs it. Tokens refer to `source`, which is the same text.
std::vector<RawToken> lex(const std::string &text, std::string_view source) {
  clang::LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 = true;
  options.LineComment = options.Digraphs = true;
  clang::Lexer lexer(clang::SourceLocation(), options, text.data(), text.data(), text.data() + text.size());

  constexpr size_t kUsualBytes = 4; // of a token, with the space after it
  std::vector<RawToken> tokens;
  tokens.reserve(text.size() / kUsualBytes);
  bool directive = false;
  clang::Token token;
  do {
    lexer.LexFromRawLexer(token);
    RawToken raw;
    raw.length = token.getLength();
    raw.offset = uint32_t(lexer.getBufferLocation() - text.data()) - raw.length;
    // For the lexer, a line splice right before a token is part of the token.
    for (size_t splice; (splice = spliceAt(source, raw.offset)) != 0 && splice < raw.length;) {
      raw.offset += uint32_t(splice);
      raw.length -= uint32_t(splice);
    }
    raw.text = source.substr(std::min<size_t>(raw.offset, source.size()), raw.length);
    raw.startsLine = token.isAtStartOfLine();
    raw.joined = !token.hasLeadingSpace() && !raw.startsLine;
    if (token.is(clang::tok::eof))
      raw.kind = TokenKind::End;
    else if (token.is(clang::tok::raw_identifier))
      raw.kind = TokenKind::Identifier;
    else if (token.isLiteral())
      raw.kind = TokenKind::Literal;
    else
      raw.kind = TokenKind::Punctuator;
    if (raw.startsLine)
      directive = raw.is("#");
    raw.inDirective = directive;
    tokens.push_back(raw);
  } while (token.isNot(clang::tok::eof));
  return tokens;
}

} // namespace

std::vector<RawToken> lexRaw(std::string_view source) {
  return lex(std::string(source), source);
}

std::shared_ptr<const LexedText> lexSource(std::string_view source) {
  thread_local std::shared_ptr<const LexedText> last;
  if (!last || last->text != source) {
    const auto made = std::make_shared<LexedText>();
    made->text = source;
    made->tokens = lex(made->text, made->text);
    last = made;
  }
  return last;
}

} // namespace assay::frontend
