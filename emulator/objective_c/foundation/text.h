// Text as Foundation's strings keep it: UTF-8, in which a surrogate without its other half is written as
// three bytes, like any other code unit. So every sequence of UTF-16 units has one spelling, and splitting a
// pair loses nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::foundation {

bool isAscii(std::string_view text);
size_t utf16Length(std::string_view text);
std::u16string toUtf16(std::string_view text);
std::string fromUtf16(std::u16string_view units);
bool isWellFormed(std::string_view bytes); // UTF-8 proper: no overlong forms, no surrogates

// Appends; where a high and a low surrogate meet, they become one character.
void append(std::string &text, std::string_view more);

// The units [from, from + count) of a text. Indices must lie in it.
std::string slice(std::string_view text, size_t from, size_t count);

// The index in UTF-16 units of a byte that starts a character.
size_t unitAt(std::string_view text, size_t byte);

// Folds case, character by character, for comparisons that ignore case.
std::string foldCase(std::string_view text);
std::string toUpper(std::string_view text);
std::string toLower(std::string_view text);

// Convert from and to the encodings of NSStringEncoding. They return nothing if the encoding is unknown or
// cannot hold the text.
std::optional<std::string> decode(std::string_view bytes, unsigned long encoding);
std::optional<std::string> encode(std::string_view text, unsigned long encoding);
bool isKnownEncoding(unsigned long encoding);

uint32_t hash(std::string_view text);

} // namespace assay::foundation
