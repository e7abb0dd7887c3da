#include "scalar_text.h"

#include "../support/numbers/float_bits.h"

#include <bit>
#include <cctype>
#include <cfenv>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace assay::cli {
namespace {

// Decimal to a double that is rounded to odd: rounding its 53 bits again to 24 or fewer gives the same result
// as rounding the decimal number once.
double parseRoundedToOdd(const char *text, char **end) {
  std::fenv_t environment;
  std::feholdexcept(&environment);
  std::fesetround(FE_TOWARDZERO);
  double value = std::strtod(text, end);
  if (std::fetestexcept(FE_INEXACT) && std::isfinite(value))
    value = std::bit_cast<double>(std::bit_cast<uint64_t>(value) | 1);
  std::fesetenv(&environment);
  return value;
}

uint64_t roundTo(double value, ScalarType type) {
  if (type == ScalarType::Half)
    return halfFromDouble(value);
  if (type == ScalarType::BFloat)
    return bfloatFromDouble(value);
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}

Error badValue(std::string_view text, ScalarType type, std::string reason) {
  return Error::usage("bad-value",
                      fmt::format("'{}' {} {}", text, reason, std::string(scalarTypeInfo(type).shortName)));
}

Result<uint64_t> parseInteger(std::string_view text, ScalarType type) {
  const ScalarTypeInfo &info = scalarTypeInfo(type);
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+'))
    digits.remove_prefix(1);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  }
  uint64_t magnitude = 0;
  const char *end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, magnitude, base);
  if (stop != end || digits.empty() || error == std::errc::invalid_argument)
    return badValue(text, type, "is not a value of type");
  const unsigned bits = info.bytes * 8;
  const bool isSigned = info.cls == ScalarClass::Signed;
  const uint64_t most = ~uint64_t(0) >> (64 - bits + isSigned);
  const uint64_t least = isSigned ? most + 1 : 0; // magnitude of the smallest value
  if (error == std::errc::result_out_of_range || magnitude > (negative ? least : most))
    return badValue(text, type,
                    fmt::format("is not in {}{}..{}, the range of", least ? "-" : "", least, most));
  const uint64_t value = negative ? 0 - magnitude : magnitude;
  return value & (~uint64_t(0) >> (64 - bits));
}

Result<uint64_t> parseFloat(std::string_view text, ScalarType type) {
  const std::string copy(text); // strtod needs a terminator
  const bool blank = text.empty() || std::isspace(static_cast<unsigned char>(text.front()));
  char *end = nullptr;
  const double value = parseRoundedToOdd(copy.c_str(), &end);
  if (blank || end != copy.c_str() + copy.size())
    return badValue(text, type, "is not a value of type");
  return roundTo(value, type);
}

} // namespace

std::optional<uint64_t> parseCount(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::string lowerCase(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

Result<uint64_t> parseScalar(std::string_view text, ScalarType type) {
  if (type == ScalarType::Bool) {
    if (text == "true" || text == "1")
      return uint64_t(1);
    if (text == "false" || text == "0")
      return uint64_t(0);
    return badValue(text, type, "is not true, false, 1 or 0, the values of");
  }
  return scalarTypeInfo(type).cls == ScalarClass::Float ? parseFloat(text, type) : parseInteger(text, type);
}

double floatValue(const void *value, ScalarType type) {
  if (type == ScalarType::Float) {
    float f;
    std::memcpy(&f, value, sizeof f);
    return f;
  }
  uint16_t bits;
  std::memcpy(&bits, value, sizeof bits);
  return type == ScalarType::Half ? floatFromHalf(bits) : floatFromBfloat(bits);
}

std::string formatScalar(const void *value, ScalarType type) {
  const ScalarTypeInfo &info = scalarTypeInfo(type);
  if (info.cls == ScalarClass::Float) {
    const double v = floatValue(value, type);
    if (std::isnan(v))
      return "nan";
    // 16-bit values: as few digits as identify them (5 for half, 4 for bfloat).
    if (type == ScalarType::Float)
      return fmt::format("{}", static_cast<float>(v));
    return fmt::format("{:.{}g}", v, type == ScalarType::Half ? 5 : 4);
  }
  uint64_t bits = 0;
  std::memcpy(&bits, value, info.bytes);
  if (info.cls == ScalarClass::Bool)
    return bits ? "true" : "false";
  if (info.cls == ScalarClass::Signed) {
    const unsigned shift = 64 - info.bytes * 8;
    return fmt::format("{}", static_cast<int64_t>(bits << shift) >> shift);
  }
  return fmt::format("{}", bits);
}

} // namespace assay::cli
