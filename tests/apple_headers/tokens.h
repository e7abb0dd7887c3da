// Tokens of a preprocessed Metal header, and the brackets in them.
#pragma once

#include <string>
#include <vector>

namespace assay::apple_headers {

using Tokens = std::vector<std::string>;

bool isWord(const std::string &token);

/// Lines with # are left out. `>>` is two tokens, as it mostly ends two lists.
Tokens tokensOf(const std::string &text);

/// The tokens with one space between two of them.
std::string joined(Tokens::const_iterator first, Tokens::const_iterator last);

/// The place after the closing bracket for the opening one at `at`. In angle brackets, > within other
/// brackets is an operator. Throws std::runtime_error if there is none.
size_t afterBrackets(const Tokens &tokens, size_t at);

/// Some tokens from this place on, for messages.
std::string someTokens(const Tokens &tokens, size_t at);

/// A place among the tokens of a header, for what reads its declarations.
class TokenReader {
protected:
  explicit TokenReader(const std::string &text) : tokens_(tokensOf(text)) {}

  bool ended() const { return at_ >= tokens_.size(); }
  bool see(const char *token) const { return !ended() && tokens_[at_] == token; }
  void skipBrackets() { at_ = afterBrackets(tokens_, at_); }
  /// After all that was understood. Throws std::runtime_error unless the tokens have ended.
  void expectEnd() const;

  Tokens tokens_;
  size_t at_ = 0;
};

} // namespace assay::apple_headers
