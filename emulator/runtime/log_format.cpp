// printf with arguments that know their types; see log.h.
//
// C's own snprintf prints each element, always in the C locale. It sees only conversions that have been
// parsed and checked here.
#include "runtime/log.h"

#include "support/abi/scalar_type.h"
#include "support/numbers/float_bits.h"

#include "msl_shim/detail/log_record.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <locale.h>
#include <optional>
#include <string_view>

namespace assay::runtime {
namespace {

// Wider fields are a mistake, and would fill memory.
constexpr int kWidest = 1024;

/// %[flags][width][.precision][vN][length]conversion
struct Conversion {
  std::string_view text; ///< all of it, for messages
  std::string flags;
  std::optional<int> width, precision;
  bool widthIsArgument = false, precisionIsArgument = false;
  uint32_t elements = 1; ///< N
  std::string_view length;
  char letter = 0; ///< 0: the format ends before
};

class Parser {
public:
  explicit Parser(std::string_view rest) : rest_(rest) {}

  /// The conversion that the rest begins with.
  Conversion conversion() {
    const std::string_view start = rest_;
    Conversion c;
    take(1);
    while (!rest_.empty() && rest_[0] && std::strchr("-+ #0", rest_[0]))
      c.flags += take(1);
    c.widthIsArgument = accept("*");
    if (!c.widthIsArgument)
      c.width = number();
    if (accept(".")) {
      c.precisionIsArgument = accept("*");
      if (!c.precisionIsArgument)
        c.precision = number().value_or(0);
    }
    if (accept("v"))
      c.elements = uint32_t(number().value_or(0));
    for (std::string_view length : {"hh", "hl", "h", "ll", "l", "j", "z", "t", "L"})
      if (rest_.starts_with(length)) {
        c.length = take(length.size());
        break;
      }
    if (!rest_.empty())
      c.letter = take(1)[0];
    c.text = start.substr(0, start.size() - rest_.size());
    return c;
  }

  bool atEnd() const { return rest_.empty(); }
  /// Up to the next '%' or the end.
  std::string_view plain() { return take(std::min(rest_.find('%'), rest_.size())); }

private:
  std::string_view take(size_t n) {
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  bool accept(std::string_view text) {
    if (!rest_.starts_with(text))
      return false;
    take(text.size());
    return true;
  }
  std::optional<int> number() {
    std::optional<int> value;
    while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9')
      value = std::min(value.value_or(0) * 10 + (take(1)[0] - '0'), kWidest + 1);
    return value;
  }

  std::string_view rest_;
};

// ---- arguments ----

bool isScalarType(const LogArgument &argument) {
  return argument.type < kScalarTypes.size();
}
const ScalarTypeInfo &typeOf(const LogArgument &argument) {
  return kScalarTypes[argument.type];
}

uint64_t bitsOf(const LogArgument &argument, uint32_t element) {
  const uint32_t bytes = isScalarType(argument) ? typeOf(argument).bytes : 8;
  uint64_t bits = 0;
  std::memcpy(&bits, argument.bits + element * bytes, bytes);
  return bits;
}

int64_t signedValue(const LogArgument &argument, uint32_t element) {
  const ScalarTypeInfo &type = typeOf(argument);
  const uint64_t bits = bitsOf(argument, element);
  const int unused = 64 - type.bytes * 8;
  return type.cls == ScalarClass::Signed ? int64_t(bits << unused) >> unused : int64_t(bits);
}

double floatValue(const LogArgument &argument, uint32_t element) {
  const uint64_t bits = bitsOf(argument, element);
  switch (typeOf(argument).type) {
  case ScalarType::Half: return floatFromHalf(uint16_t(bits));
  case ScalarType::BFloat: return floatFromBfloat(uint16_t(bits));
  default: return std::bit_cast<float>(uint32_t(bits));
  }
}

std::string typeName(const LogArgument &argument) {
  if (argument.type == __assay_log_string)
    return "a text";
  if (!isScalarType(argument))
    return "a pointer";
  return fmt::format("{}{}", typeOf(argument).metalName,
                     argument.count > 1 ? std::to_string(argument.count) : std::string());
}

// What an argument is, for the message that a conversion does not fit it.
std::string valueText(const LogArgument &argument) {
  if (argument.type == __assay_log_string)
    return fmt::format("\"{}\"", argument.text);
  if (!isScalarType(argument))
    return fmt::format("{:#x}", bitsOf(argument, 0));
  std::string text;
  for (uint32_t i = 0; i < argument.count; ++i) {
    text += i ? "," : "";
    switch (typeOf(argument).cls) {
    case ScalarClass::Float: text += fmt::format("{}", floatValue(argument, i)); break;
    case ScalarClass::Unsigned: text += fmt::format("{}", bitsOf(argument, i)); break;
    default: text += fmt::format("{}", signedValue(argument, i));
    }
  }
  return text;
}

// ---- conversions ----

bool isOneOf(char letter, std::string_view letters) {
  return letter && letters.find(letter) != letters.npos;
}

/// Bytes of the integer that a length stands for; 0: no such length for integers.
uint32_t lengthBytes(std::string_view length) {
  if (length.empty() || length == "hl")
    return 4;
  if (length == "hh")
    return 1;
  return length == "h" ? 2 : length == "L" ? 0 : 8;
}

bool fits(const Conversion &c, const LogArgument &argument) {
  if (c.letter == 's')
    return argument.type == __assay_log_string && c.length.empty() && c.elements == 1;
  if (c.letter == 'p')
    return !isScalarType(argument) && c.length.empty() && c.elements == 1;
  if (!isScalarType(argument) || argument.count != c.elements)
    return false;
  const ScalarTypeInfo &type = typeOf(argument);
  const bool vector = c.elements > 1;
  if (isOneOf(c.letter, "fFeEgGaA")) {
    if (type.cls != ScalarClass::Float)
      return false;
    // A scalar is promoted, so `l` says nothing. The elements of a vector are as wide as the length says.
    return vector ? c.length.empty() || lengthBytes(c.length) == type.bytes
                  : c.length.empty() || c.length == "l" || c.length == "h" || c.length == "hl";
  }
  if (type.cls == ScalarClass::Float || !isOneOf(c.letter, "diouxXc"))
    return false;
  if (vector)
    return c.length.empty() || lengthBytes(c.length) == type.bytes;
  if (c.letter == 'c')
    return c.length.empty() && type.bytes <= 4;
  // Narrow integers are promoted to int, and `h` and `hh` narrow them again: C's rules.
  const uint32_t bytes = lengthBytes(c.length);
  return bytes && (bytes == 8) == (type.bytes == 8);
}

template <class T> std::string printed(const std::string &format, T value) {
  const int length = std::snprintf(nullptr, 0, format.c_str(), value);
  std::string text(size_t(std::max(length, 0)) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}

std::string element(const Conversion &c, const LogArgument &argument, uint32_t index) {
  std::string format = fmt::format("%{}", c.flags);
  if (c.width)
    format += fmt::format("{}", *c.width);
  if (c.precision)
    format += fmt::format(".{}", *c.precision);
  if (c.letter == 's')
    return printed(format + "s", argument.text.c_str());
  if (c.letter == 'p')
    return printed(format + "p", reinterpret_cast<const void *>(bitsOf(argument, index)));
  if (c.letter == 'c')
    return printed(format + "c", int(bitsOf(argument, index)));
  if (isOneOf(c.letter, "fFeEgGaA"))
    return printed(format + c.letter, floatValue(argument, index));
  // Without a length an element of a vector is as wide as it is; a scalar is an int.
  const uint32_t bytes = c.elements > 1 ? typeOf(argument).bytes : lengthBytes(c.length);
  const int unused = 64 - int(bytes) * 8;
  const uint64_t bits = uint64_t(signedValue(argument, index)) << unused;
  if (isOneOf(c.letter, "di"))
    return printed(format + "lld", static_cast<long long>(int64_t(bits) >> unused));
  return printed(format + "ll" + c.letter, static_cast<unsigned long long>(bits >> unused));
}

// While it lives, this thread formats numbers as in the C locale.
class CLocale {
public:
  CLocale() {
    static const locale_t c = newlocale(LC_ALL_MASK, "C", locale_t());
    before_ = uselocale(c);
  }
  ~CLocale() { uselocale(before_); }

private:
  locale_t before_;
};

class Formatter {
public:
  explicit Formatter(const std::vector<LogArgument> &arguments) : arguments_(arguments) {}

  std::string print(std::string_view format) {
    Parser parser(format);
    std::string text;
    while (!parser.atEnd()) {
      text += parser.plain();
      if (!parser.atEnd())
        text += convert(parser.conversion());
    }
    return text;
  }

private:
  std::string convert(Conversion c) {
    if (c.letter == '%')
      return "%";
    if (!isOneOf(c.letter, "diouxXfFeEgGaAcsp") || c.elements == 0 || c.elements > 4)
      return fmt::format("<{}: no such conversion>", c.text);
    if (c.widthIsArgument && !takeInt(c.width))
      return fmt::format("<{}: the width is not an int>", c.text);
    if (c.precisionIsArgument && !takeInt(c.precision))
      return fmt::format("<{}: the precision is not an int>", c.text);
    if (c.width && *c.width < 0) { // as in C
      c.flags += '-';
      c.width = -*c.width;
    }
    if (c.precision && *c.precision < 0)
      c.precision.reset();
    if (c.width.value_or(0) > kWidest || c.precision.value_or(0) > kWidest)
      return fmt::format("<{}: wider than {}>", c.text, kWidest);
    if (next_ == arguments_.size())
      return fmt::format("<{}: no argument>", c.text);
    const LogArgument &argument = arguments_[next_++];
    if (!fits(c, argument))
      return fmt::format("<{} does not fit {}: {}>", c.text, typeName(argument), valueText(argument));
    std::string text;
    for (uint32_t i = 0; i < c.elements; ++i) {
      text += i ? "," : "";
      text += element(c, argument, i);
    }
    return text;
  }

  bool takeInt(std::optional<int> &value) {
    if (next_ == arguments_.size())
      return false;
    const LogArgument &argument = arguments_[next_++];
    if (!isScalarType(argument) || argument.count != 1 || typeOf(argument).cls == ScalarClass::Float ||
        typeOf(argument).bytes > 4)
      return false;
    value = int(std::clamp<int64_t>(int32_t(signedValue(argument, 0)), -kWidest - 1, kWidest + 1));
    return true;
  }

  const std::vector<LogArgument> &arguments_;
  size_t next_ = 0;
};

} // namespace

std::string formatLog(const std::string &format, const std::vector<LogArgument> &arguments) {
  CLocale locale;
  return Formatter(arguments).print(format);
}

} // namespace assay::runtime
