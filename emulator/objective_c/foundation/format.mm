// Format strings: printf's, and %@ for objects, %C and %S for UTF-16, and positions as in %2$@.
//
// The arguments of a va_list can only be taken in order and by type, so the format is read twice: first for
// the type of each argument, then to write. snprintf writes numbers, with the original conversion.
#include "objective_c/foundation/foundation.h"

#include <climits>
#include <cstdio>
#include <vector>

namespace assay::foundation {

namespace {

// Wider fields, and positions further on, are mistakes of a format that would take all memory. The second is
// C's own least limit (NL_ARGMAX of POSIX).
constexpr int kWidest = 1'000'000, kMostPositions = 4096;

bool isOneOf(char c, const char *set) { // strchr finds 0 in every set
  return c && strchr(set, c);
}

enum class Kind { kNone, kInt, kLong, kLongLong, kSize, kIntMax, kPtrDiff, kDouble, kLongDouble, kPointer };

union Value {
  int i;
  long l;
  long long ll;
  size_t z;
  intmax_t j;
  ptrdiff_t t;
  double d;
  long double ld;
  void *p;
};

struct Conversion {
  std::string before;                   // the text that stands before it
  std::string flags;                    // - + space 0 # '
  int width = -1, precision = -1;       // as written
  int widthFrom = 0, precisionFrom = 0; // the argument that gives it, from 1; 0 for none
  std::string length;                   // hh h l ll q L z t j
  char letter = 0;                      // 0 for text alone
  int argument = 0;                     // from 1
};

struct Parser {
  const std::string &format;
  size_t at = 0;
  int nextArgument = 1;

  int number() {
    long long value = 0;
    while (at < format.size() && isdigit((unsigned char)format[at]))
      value = std::min<long long>(INT_MAX, value * 10 + (format[at++] - '0'));
    return int(value);
  }
  // Parses "2$" at this place; returns 0, and reads nothing, if it is not there.
  int position() {
    const size_t start = at;
    const int value = number();
    if (value && at < format.size() && format[at] == '$') {
      ++at;
      if (value > kMostPositions)
        raise(NSInvalidArgumentException, @"the format '%s' has the position %d, more than %d",
              format.c_str(), value, kMostPositions);
      return value;
    }
    at = start;
    return 0;
  }
  int star() {
    ++at;
    const int from = position();
    return from ? from : nextArgument++;
  }

  Conversion next() {
    Conversion result;
    while (at < format.size()) {
      if (format[at] != '%') {
        result.before += format[at++];
        continue;
      }
      if (at + 1 < format.size() && format[at + 1] == '%') {
        result.before += '%';
        at += 2;
        continue;
      }
      ++at;
      result.argument = position();
      while (at < format.size() && isOneOf(format[at], "-+ 0#'"))
        result.flags += format[at++];
      if (at < format.size() && format[at] == '*')
        result.widthFrom = star();
      else if (at < format.size() && isdigit((unsigned char)format[at]))
        result.width = number();
      if (at < format.size() && format[at] == '.') {
        ++at;
        if (at < format.size() && format[at] == '*')
          result.precisionFrom = star();
        else
          result.precision = number();
      }
      while (at < format.size() && isOneOf(format[at], "hlqLztj"))
        result.length += format[at++];
      if (at >= format.size() || !format[at])
        raise(NSInvalidArgumentException, @"the format '%s' ends in a conversion", format.c_str());
      result.letter = format[at++];
      if (!result.argument && result.letter != 'm')
        result.argument = nextArgument++;
      return result;
    }
    return result;
  }
};

Kind kindOf(const Conversion &conversion, const std::string &format) {
  const std::string &length = conversion.length;
  switch (conversion.letter) {
  case 'd':
  case 'i':
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    return length == "l"                                      ? Kind::kLong
           : length == "ll" || length == "q" || length == "L" ? Kind::kLongLong
           : length == "z"                                    ? Kind::kSize
           : length == "j"                                    ? Kind::kIntMax
           : length == "t"                                    ? Kind::kPtrDiff
                                                              : Kind::kInt;
  case 'D':
  case 'U':
  case 'O': return Kind::kLong;
  case 'c':
  case 'C': return Kind::kInt;
  case 'a':
  case 'A':
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G': return length == "L" ? Kind::kLongDouble : Kind::kDouble;
  case '@':
  case 's':
  case 'S':
  case 'p': return Kind::kPointer;
  case 'm': return Kind::kNone;
  }
  raise(NSInvalidArgumentException, @"the format '%s' has the unknown conversion '%c'", format.c_str(),
        conversion.letter);
}

// The length of what was taken: one that a conversion does not have must not reach snprintf, which would take
// more.
const char *lengthOf(Kind kind, const std::string &written) {
  switch (kind) {
  case Kind::kInt: return written == "hh" || written == "h" ? written.c_str() : "";
  case Kind::kLong: return "l";
  case Kind::kLongLong: return "ll";
  case Kind::kSize: return "z";
  case Kind::kIntMax: return "j";
  case Kind::kPtrDiff: return "t";
  case Kind::kLongDouble: return "L";
  default: return "";
  }
}

std::vector<Value> take(const std::vector<Kind> &kinds, va_list arguments) {
  std::vector<Value> values(kinds.size());
  va_list rest;
  va_copy(rest, arguments);
  for (size_t i = 0; i < kinds.size(); ++i)
    switch (kinds[i]) {
    case Kind::kNone: // a position that the format skips: the type is a guess
    case Kind::kInt: values[i].i = va_arg(rest, int); break;
    case Kind::kLong: values[i].l = va_arg(rest, long); break;
    case Kind::kLongLong: values[i].ll = va_arg(rest, long long); break;
    case Kind::kSize: values[i].z = va_arg(rest, size_t); break;
    case Kind::kIntMax: values[i].j = va_arg(rest, intmax_t); break;
    case Kind::kPtrDiff: values[i].t = va_arg(rest, ptrdiff_t); break;
    case Kind::kDouble: values[i].d = va_arg(rest, double); break;
    case Kind::kLongDouble: values[i].ld = va_arg(rest, long double); break;
    case Kind::kPointer: values[i].p = va_arg(rest, void *); break;
    }
  va_end(rest);
  return values;
}

template <class T> std::string printed(const std::string &specification, T value) {
  const int length = snprintf(nullptr, 0, specification.c_str(), value);
  if (length < 0)
    return {};
  std::string text(size_t(length) + 1, '\0');
  snprintf(text.data(), text.size(), specification.c_str(), value);
  text.pop_back();
  return text;
}

std::string padded(std::string text, int width, bool left) {
  const int missing = width - int(utf16Length(text));
  if (missing > 0)
    text.insert(left ? text.size() : 0, size_t(missing), ' ');
  return text;
}

std::string written(const Conversion &conversion, const std::vector<Value> &values,
                    const std::string &format) {
  int width = conversion.widthFrom ? values[conversion.widthFrom - 1].i : conversion.width;
  int precision = conversion.precisionFrom ? values[conversion.precisionFrom - 1].i : conversion.precision;
  std::string flags = conversion.flags;
  if (conversion.widthFrom && width < 0) {
    flags += '-';
    width = width < -kWidest ? kWidest + 1 : -width;
  }
  const bool isText = isOneOf(conversion.letter, "@sSm"); // whose precision is a limit
  if (width > kWidest || (!isText && precision > kWidest))
    raise(NSInvalidArgumentException, @"the format '%s' has a field wider than %d", format.c_str(), kWidest);
  const bool left = flags.find('-') != std::string::npos;
  const Value value = conversion.argument ? values[conversion.argument - 1] : Value{};
  const auto cut = [&](std::string text) {
    return padded(precision >= 0 && utf16Length(text) > size_t(precision) ? slice(text, 0, precision) : text,
                  width, left);
  };
  switch (conversion.letter) {
  case '@': return cut(value.p ? describe((id)value.p, 0) : "(null)");
  case 's':
    if (!value.p)
      return cut("(null)");
    // The precision limits the bytes that may be read.
    return padded(precision >= 0
                      ? std::string((const char *)value.p, strnlen((const char *)value.p, precision))
                      : std::string((const char *)value.p),
                  width, left);
  case 'S': {
    if (!value.p)
      return cut("(null)");
    const auto *units = (const char16_t *)value.p;
    size_t count = 0;
    while ((precision < 0 || count < size_t(precision)) && units[count])
      ++count;
    return padded(fromUtf16({units, count}), width, left);
  }
  case 'C': {
    const char16_t unit = char16_t(value.i);
    return padded(fromUtf16({&unit, 1}), width, left);
  }
  case 'm': return cut(strerror(errno));
  case 'p':
    if (!value.p) // glibc writes (nil)
      return padded("0x0", width, left);
  }
  std::string specification = "%" + flags;
  if (width >= 0)
    specification += std::to_string(width);
  if (precision >= 0)
    specification += "." + std::to_string(precision);
  const Kind kind = kindOf(conversion, format);
  if (conversion.letter != 'c' && conversion.letter != 'p')
    specification += lengthOf(kind, conversion.length);
  specification += isOneOf(conversion.letter, "DUO") ? char(tolower(conversion.letter)) : conversion.letter;
  switch (kind) {
  case Kind::kInt: return printed(specification, value.i);
  case Kind::kLong: return printed(specification, value.l);
  case Kind::kLongLong: return printed(specification, value.ll);
  case Kind::kSize: return printed(specification, value.z);
  case Kind::kIntMax: return printed(specification, value.j);
  case Kind::kPtrDiff: return printed(specification, value.t);
  case Kind::kDouble: return printed(specification, value.d);
  case Kind::kLongDouble: return printed(specification, value.ld);
  case Kind::kPointer: return printed(specification, value.p);
  case Kind::kNone: break;
  }
  return "";
}

} // namespace

std::string formatted(NSString *format, va_list arguments) {
  const std::string text = textOf(format);
  std::vector<Conversion> conversions;
  std::vector<Kind> kinds;
  // An argument that stands in several places is taken once, as the widest of them.
  const auto note = [&](int argument, Kind kind) {
    if (argument <= 0)
      return;
    if (kinds.size() < size_t(argument))
      kinds.resize(argument, Kind::kNone);
    Kind &known = kinds[argument - 1];
    const auto isReal = [](Kind k) { return k == Kind::kDouble || k == Kind::kLongDouble; };
    if (known != Kind::kNone && known != kind && (isReal(known) || isReal(kind)))
      raise(NSInvalidArgumentException, @"the format '%s' has argument %d in two types", text.c_str(),
            argument);
    if (known == Kind::kNone || known == Kind::kInt)
      known = kind;
  };
  Parser parser{text};
  while (true) {
    conversions.push_back(parser.next());
    const Conversion &last = conversions.back();
    if (!last.letter)
      break;
    note(last.widthFrom, Kind::kInt);
    note(last.precisionFrom, Kind::kInt);
    note(last.argument, kindOf(last, text));
  }
  const std::vector<Value> values = take(kinds, arguments);
  std::string result;
  for (const Conversion &conversion : conversions) {
    append(result, conversion.before);
    if (conversion.letter)
      append(result, written(conversion, values, text));
  }
  return result;
}

std::string formatted(NSString *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = formatted(format, arguments);
  va_end(arguments);
  return text;
}

} // namespace assay::foundation

void NSLogv(NSString *format, va_list arguments) {
  const std::string text = assay::foundation::formatted(format, arguments);
  fprintf(stderr, "%s%s", text.c_str(), text.ends_with('\n') ? "" : "\n");
}

void NSLog(NSString *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  NSLogv(format, arguments);
  va_end(arguments);
}
