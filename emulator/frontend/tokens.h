// A Metal source as raw tokens, without preprocessing: directives and all branches of every #if are included.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace assay::frontend {

enum class TokenKind : uint8_t { Identifier, Punctuator, Literal, End };

struct RawToken {
  TokenKind kind = TokenKind::End;
  uint32_t offset = 0;
  uint32_t length = 0;
  std::string_view text;    ///< as in the file, with line splices
  bool startsLine = false;  ///< first on its line after splices are removed
  bool inDirective = false; ///< on a line that begins with #
  bool joined = false;      ///< no space before it
  bool is(std::string_view s) const { return text == s; }
  bool isAny(std::initializer_list<std::string_view> words) const {
    return std::ranges::any_of(words, [&](std::string_view word) { return is(word); });
  }
};

/// In place of the index of a token: there is none.
inline constexpr size_t kNone = size_t(-1);

/// Length of the line splice (a backslash, white space and a line's end) at this place; 0 if there is none.
size_t spliceAt(std::string_view source, size_t at);

/// Whether this is a parenthesis, a bracket or a brace that opens.
bool opensGroup(const RawToken &token);
/// The same of one that closes.
bool closesGroup(const RawToken &token);

/// For each opening bracket the one that closes it, of whatever kind; kNone if there is none. A directive's
/// brackets are closed in it, or not at all, and do not count for the program around it.
std::vector<size_t> closersOf(const std::vector<RawToken> &tokens);

/// The `>` that closes a template's bracket, or the `>>` that does; kNone if there is none.
///   open   a `<`
size_t closingAngle(const std::vector<RawToken> &tokens, size_t open);

/// Whether this brace opens a struct, a class or a union.
bool opensRecord(const std::vector<RawToken> &tokens, size_t brace);

/// The text of tokens [first, last) as one line.
std::string spelledTokens(const std::vector<RawToken> &tokens, size_t first, size_t last);

/// The line of a byte of the source, from 1.
uint32_t lineAt(std::string_view source, size_t offset);

/// Comments and white space are not tokens. Ends with one token of kind End.
std::vector<RawToken> lexRaw(std::string_view source);

/// A text with its tokens, which refer to this copy of it.
struct LexedText {
  std::string text;
  std::vector<RawToken> tokens;
};

/// The same for a whole source. A compilation asks for it several times, so each thread keeps the last one.
std::shared_ptr<const LexedText> lexSource(std::string_view source);

} // namespace assay::frontend
