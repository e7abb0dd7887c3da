// A Metal source as raw tokens: no preprocessing, so directives and both sides of every #if are there.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::frontend {

enum class TokenKind : uint8_t { Identifier, Punctuator, Literal, End };

struct RawToken {
  TokenKind kind = TokenKind::End;
  uint32_t offset = 0;
  uint32_t length = 0;
  std::string_view text;    ///< as in the file, line splices included
  bool startsLine = false;  ///< first on its line, splices taken out
  bool inDirective = false; ///< on a line that begins with #
  bool joined = false;      ///< no space before it
  bool is(std::string_view s) const { return text == s; }
};

/// Comments and white space are not tokens. Ends with one token of kind End.
std::vector<RawToken> lexRaw(std::string_view source);

} // namespace assay::frontend
