#include "tokens.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace assay::apple_headers {

namespace {

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

} // namespace

bool isWord(const std::string &token) {
  return isWordCharacter(token[0]) && !std::isdigit(token[0]);
}

Tokens tokensOf(const std::string &text) {
  Tokens tokens;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    size_t end = at + 1;
    if (std::isspace(static_cast<unsigned char>(c))) {
      at = end;
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (isWordCharacter(c)) {
      while (end < text.size() && (isWordCharacter(text[end]) || text[end] == '.'))
        ++end;
    } else if (c == '"' || c == '\'') {
      while (end < text.size() && text[end] != c)
        end += text[end] == '\\' ? 2 : 1;
      ++end;
    } else {
      for (const char *longer : {"...", "::", "&&", "->", ">=", "<=", "==", "!="})
        if (text.compare(at, std::char_traits<char>::length(longer), longer) == 0) {
          end = at + std::char_traits<char>::length(longer);
          break;
        }
    }
    tokens.push_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

std::string joined(Tokens::const_iterator first, Tokens::const_iterator last) {
  std::string text;
  for (; first != last; ++first)
    text += (text.empty() ? "" : " ") + *first;
  return text;
}

std::string someTokens(const Tokens &tokens, size_t at) {
  return joined(tokens.begin() + at, tokens.begin() + std::min(at + 12, tokens.size()));
}

size_t afterBrackets(const Tokens &tokens, size_t first) {
  const std::string &open = tokens[first];
  const std::string close = open == "(" ? ")" : open == "[" ? "]" : open == "{" ? "}" : ">";
  size_t at = first + 1;
  while (at < tokens.size() && tokens[at] != close) {
    const std::string &token = tokens[at];
    const bool opens = token == "(" || token == "[" || token == "{" || (open == "<" && token == "<");
    at = opens ? afterBrackets(tokens, at) : at + 1;
  }
  if (at >= tokens.size())
    throw std::runtime_error("no '" + close + "' for '" + someTokens(tokens, first) + "'");
  return at + 1;
}

void TokenReader::expectEnd() const {
  if (!ended())
    throw std::runtime_error("a closing brace too many, before '" + someTokens(tokens_, at_) + "'");
}

} // namespace assay::apple_headers
