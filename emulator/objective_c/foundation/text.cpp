// The characters of Foundation's strings: UTF-8 against UTF-16, encodings, case.
#include "objective_c/foundation/text.h"

#include <algorithm>
#include <cwctype>
#include <locale.h>
#include <utility>

namespace assay::foundation {

namespace {

constexpr char32_t kReplacement = 0xfffd;
bool isHigh(char32_t c) {
  return c >= 0xd800 && c < 0xdc00;
}
bool isLow(char32_t c) {
  return c >= 0xdc00 && c < 0xe000;
}

// The character at `at`, which moves past it. Texts are well formed except for lone surrogates. For any other
// malformed text of a client, each byte counts as one replacement character.
char32_t next(std::string_view text, size_t &at) {
  const auto byte = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned first = byte(at);
  const int more = first < 0x80                    ? 0
                   : first >= 0xf0 && first < 0xf5 ? 3
                   : first >= 0xe0                 ? 2
                   : first >= 0xc2                 ? 1
                                                   : -1;
  if (more <= 0) {
    ++at;
    return more == 0 ? first : kReplacement;
  }
  if (more == 2 && first > 0xef) {
    ++at;
    return kReplacement;
  }
  char32_t c = first & (0x3f >> more);
  for (int i = 1; i <= more; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) {
      ++at;
      return kReplacement;
    }
    c = c << 6 | (byte(at + i) & 0x3f);
  }
  at += more + 1;
  return c;
}

void put(std::string &text, char32_t c) {
  if (c < 0x80)
    text += char(c);
  else if (c < 0x800) {
    text += char(0xc0 | c >> 6);
    text += char(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    text += char(0xe0 | c >> 12);
    text += char(0x80 | (c >> 6 & 0x3f));
    text += char(0x80 | (c & 0x3f));
  } else {
    text += char(0xf0 | c >> 18);
    text += char(0x80 | (c >> 12 & 0x3f));
    text += char(0x80 | (c >> 6 & 0x3f));
    text += char(0x80 | (c & 0x3f));
  }
}

locale_t unicode() {
  static const locale_t locale = [] {
    locale_t c = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return c ? c : newlocale(LC_CTYPE_MASK, "C", nullptr);
  }();
  return locale;
}

template <class Map> std::string mapped(std::string_view text, Map map) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();)
    put(result, map(next(text, at)));
  return result;
}

enum Encoding : unsigned long {
  kAscii = 1,
  kUtf8 = 4,
  kLatin1 = 5,
  kUtf16 = 10,
  kUtf16Big = 0x90000100,
  kUtf16Little = 0x94000100,
  kUtf32 = 0x8c000100,
  kUtf32Big = 0x98000100,
  kUtf32Little = 0x9c000100
};

// Fixed-width units of a byte order; `marked` encodings start with a byte order mark or are little-endian.
struct Width {
  size_t bytes;
  bool big, marked;
};

std::optional<Width> widthOf(unsigned long encoding) {
  switch (encoding) {
  case kUtf16: return Width{2, false, true};
  case kUtf16Big: return Width{2, true, false};
  case kUtf16Little: return Width{2, false, false};
  case kUtf32: return Width{4, false, true};
  case kUtf32Big: return Width{4, true, false};
  case kUtf32Little: return Width{4, false, false};
  }
  return std::nullopt;
}

uint32_t unit(std::string_view bytes, size_t at, Width width) {
  uint32_t value = 0;
  for (size_t i = 0; i < width.bytes; ++i)
    value |= uint32_t(static_cast<unsigned char>(bytes[at + i])) << 8 * (width.big ? width.bytes - 1 - i : i);
  return value;
}

void putUnit(std::string &bytes, uint32_t value, Width width) {
  for (size_t i = 0; i < width.bytes; ++i)
    bytes += char(value >> 8 * (width.big ? width.bytes - 1 - i : i));
}

std::optional<std::string> decodeUnits(std::string_view bytes, Width width) {
  if (bytes.size() % width.bytes)
    return std::nullopt;
  size_t at = 0;
  if (width.marked && bytes.size() >= width.bytes) {
    const uint32_t mark = unit(bytes, 0, width);
    width.big = mark == (width.bytes == 2 ? 0xfffe : 0xfffe0000);
    at = width.big || mark == 0xfeff ? width.bytes : 0;
  }
  if (width.bytes == 2) {
    std::u16string units;
    for (; at < bytes.size(); at += 2)
      units += char16_t(unit(bytes, at, width));
    return fromUtf16(units);
  }
  std::string text;
  for (; at < bytes.size(); at += 4) {
    const uint32_t c = unit(bytes, at, width);
    if (c > 0x10ffff)
      return std::nullopt;
    put(text, c);
  }
  return text;
}

} // namespace

bool isAscii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c & 0x80; });
}

size_t utf16Length(std::string_view text) {
  size_t units = 0;
  for (size_t at = 0; at < text.size();)
    units += next(text, at) > 0xffff ? 2 : 1;
  return units;
}

std::u16string toUtf16(std::string_view text) {
  std::u16string units;
  units.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next(text, at);
    if (c > 0xffff) {
      units += char16_t(0xd800 + ((c - 0x10000) >> 10));
      units += char16_t(0xdc00 + ((c - 0x10000) & 0x3ff));
    } else
      units += char16_t(c);
  }
  return units;
}

std::string fromUtf16(std::u16string_view units) {
  std::string text;
  text.reserve(units.size());
  for (size_t i = 0; i < units.size(); ++i)
    if (isHigh(units[i]) && i + 1 < units.size() && isLow(units[i + 1])) {
      put(text, 0x10000 + ((units[i] - 0xd800u) << 10) + (units[i + 1] - 0xdc00u));
      ++i;
    } else
      put(text, units[i]);
  return text;
}

bool isWellFormed(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const size_t start = at;
    const char32_t c = next(bytes, at);
    const size_t shortest = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (at - start != shortest || isHigh(c) || isLow(c) || c > 0x10ffff)
      return false;
  }
  return true;
}

void append(std::string &text, std::string_view more) {
  const auto surrogate = [](std::string_view three, unsigned from) {
    return three.size() == 3 && three[0] == '\xed' && static_cast<unsigned char>(three[1]) >= from &&
           static_cast<unsigned char>(three[1]) < from + 16;
  };
  if (text.size() >= 3 && surrogate(std::string_view(text).substr(text.size() - 3), 0xa0) &&
      surrogate(more.substr(0, 3), 0xb0)) {
    std::u16string pair =
        toUtf16(std::string_view(text).substr(text.size() - 3)) + toUtf16(more.substr(0, 3));
    text.resize(text.size() - 3);
    text += fromUtf16(pair);
    more.remove_prefix(3);
  }
  text += more;
}

std::string slice(std::string_view text, size_t from, size_t count) {
  if (isAscii(text))
    return std::string(text.substr(from, count));
  return fromUtf16(std::u16string_view(toUtf16(text)).substr(from, count));
}

size_t unitAt(std::string_view text, size_t byte) {
  return utf16Length(text.substr(0, byte));
}

std::string foldCase(std::string_view text) {
  return toLower(toUpper(text));
}

std::string toUpper(std::string_view text) {
  return mapped(text, [](char32_t c) { return char32_t(towupper_l(wint_t(c), unicode())); });
}

std::string toLower(std::string_view text) {
  return mapped(text, [](char32_t c) { return char32_t(towlower_l(wint_t(c), unicode())); });
}

bool isKnownEncoding(unsigned long encoding) {
  return encoding == kAscii || encoding == kUtf8 || encoding == kLatin1 || widthOf(encoding);
}

std::optional<std::string> decode(std::string_view bytes, unsigned long encoding) {
  if (encoding == kUtf8)
    return isWellFormed(bytes) ? std::optional(std::string(bytes)) : std::nullopt;
  // Bytes above 127 are no ASCII, but a Mac lets them pass: MLX hands over sources with a copyright sign in
  // UTF-8 so. Which characters they become is a choice of ours.
  if (encoding == kLatin1 || encoding == kAscii) {
    if (isAscii(bytes))
      return std::string(bytes);
    std::string text;
    for (char c : bytes)
      put(text, static_cast<unsigned char>(c));
    return text;
  }
  if (auto width = widthOf(encoding))
    return decodeUnits(bytes, *width);
  return std::nullopt;
}

std::optional<std::string> encode(std::string_view text, unsigned long encoding) {
  if (encoding == kAscii)
    return isAscii(text) ? std::optional(std::string(text)) : std::nullopt;
  if (encoding == kUtf8)
    return isWellFormed(text) ? std::optional(std::string(text)) : std::nullopt;
  std::string bytes;
  if (encoding == kLatin1) {
    for (size_t at = 0; at < text.size();) {
      const char32_t c = next(text, at);
      if (c > 0xff)
        return std::nullopt;
      bytes += char(c);
    }
    return bytes;
  }
  const auto width = widthOf(encoding);
  if (!width)
    return std::nullopt;
  if (width->marked)
    putUnit(bytes, 0xfeff, *width);
  if (width->bytes == 2)
    for (char16_t c : toUtf16(text))
      putUnit(bytes, c, *width);
  else
    for (size_t at = 0; at < text.size();)
      putUnit(bytes, next(text, at), *width);
  return bytes;
}

// FNV-1a.
uint32_t hash(std::string_view text) {
  uint32_t value = 2166136261u;
  for (char c : text)
    value = (value ^ static_cast<unsigned char>(c)) * 16777619u;
  return value;
}

} // namespace assay::foundation
