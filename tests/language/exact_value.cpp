// Exact arithmetic in the types of the language.
#include "exact_value.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::language {
namespace {

constexpr ScalarInfo kInfo[] = {
    {"bool", 1, false, false},  {"char", 8, true, false},     {"uchar", 8, false, false},
    {"short", 16, true, false}, {"ushort", 16, false, false}, {"int", 32, true, false},
    {"uint", 32, false, false}, {"long", 64, true, false},    {"ulong", 64, false, false},
    {"half", 16, true, true},   {"float", 32, true, true}};

// Eighths, small enough for the significand of the type with room for a sum.
bool holds(Scalar scalar, double value) {
  const double limit = scalar == Scalar::Half ? 200 : 100'000;
  return std::fabs(value) < limit && std::floor(value * 8) == value * 8;
}

// The value modulo the width of the type.
__int128 wrapped(Scalar scalar, unsigned __int128 value) {
  const ScalarInfo &info = infoOf(scalar);
  const unsigned __int128 one = 1;
  const unsigned __int128 low = value & ((one << info.bits) - 1);
  return info.isSigned && (low >> (info.bits - 1)) ? __int128(low) - __int128(one << info.bits)
                                                   : __int128(low);
}

Number convertOne(Scalar from, const Number &number, Scalar to, bool &exact) {
  const bool fromFloat = infoOf(from).floating, toFloat = infoOf(to).floating;
  if (to == Scalar::Bool)
    return {fromFloat ? number.f != 0 : number.i != 0, 0};
  if (toFloat) {
    const double value = fromFloat ? number.f : double(number.i);
    exact &= holds(to, value);
    return {0, value};
  }
  if (!fromFloat)
    return {wrapped(to, static_cast<unsigned __int128>(number.i)), 0};
  const __int128 whole = __int128(std::trunc(number.f));
  exact &= wrapped(to, static_cast<unsigned __int128>(whole)) == whole; // out of range is undefined
  return {whole, 0};
}

} // namespace

const ScalarInfo &infoOf(Scalar scalar) {
  return kInfo[size_t(scalar)];
}

std::string Type::name() const {
  return infoOf(scalar).name + (n == 1 ? "" : std::to_string(n));
}

std::string literal(const Value &value) {
  if (value.type.n > 1) {
    std::string text = value.type.name() + "(";
    for (size_t k = 0; k < value.v.size(); ++k)
      text += (k ? ", " : "") + literal({value.type.element(), {value.v[k]}, true});
    return text + ")";
  }
  const Scalar s = value.type.scalar;
  const Number &number = value.v[0];
  if (s == Scalar::Bool)
    return number.i ? "true" : "false";
  if (infoOf(s).floating) {
    std::string digits = std::to_string(std::fabs(number.f)); // eighths need three digits, it has six
    const std::string text = digits + (s == Scalar::Half ? "h" : "f");
    return std::signbit(number.f) ? "(-" + text + ")" : text;
  }
  const std::string digits = std::to_string(uint64_t(number.i < 0 ? -number.i : number.i));
  const std::string suffix = s == Scalar::Uint    ? "u"
                             : s == Scalar::Long  ? "l"
                             : s == Scalar::Ulong ? "ul"
                                                  : "";
  const std::string text = number.i < 0 ? "(-" + digits + suffix + ")" : digits + suffix;
  return infoOf(s).bits < 32 ? std::string(infoOf(s).name) + "(" + text + ")" : text;
}

Value convert(const Value &value, Type to) {
  Value result{to, {}, value.exact};
  for (unsigned k = 0; k < to.n; ++k)
    result.v.push_back(
        convertOne(value.type.scalar, value.v[value.type.n == 1 ? 0 : k], to.scalar, result.exact));
  return result;
}

Type typeOfBinary(Type a, Type b) {
  if (a.n > 1)
    return a;
  if (b.n > 1)
    return b;
  const Scalar larger = std::max(a.scalar, b.scalar); // the order of the enumeration is that of the ranks
  return {infoOf(larger).floating ? larger : std::max(larger, Scalar::Int), 1};
}

Value binary(char op, const Value &left, const Value &right) {
  const Type type = typeOfBinary(left.type, right.type);
  const Value a = convert(left, type), b = convert(right, type);
  Value result{type, {}, a.exact && b.exact};
  const ScalarInfo &info = infoOf(type.scalar);
  for (unsigned k = 0; k < type.n; ++k) {
    const Number &x = a.v[k], &y = b.v[k];
    Number z;
    if (info.floating) {
      z.f = op == '+' ? x.f + y.f : op == '-' ? x.f - y.f : x.f * y.f;
      result.exact &= holds(type.scalar, z.f);
    } else {
      using U = unsigned __int128;
      const U p = U(x.i), q = U(y.i);
      const U r = op == '+'   ? p + q
                  : op == '-' ? p - q
                  : op == '*' ? p * q
                  : op == '&' ? p & q
                  : op == '|' ? p | q
                              : p ^ q;
      z.i = wrapped(type.scalar, r);
      if (info.isSigned) // of 64-bit numbers at most 127 bits: no product is lost
        result.exact &= U(z.i) == r;
    }
    result.v.push_back(z);
  }
  return result;
}

Value less(const Value &left, const Value &right) {
  const Type type = typeOfBinary(left.type, right.type);
  const Value a = convert(left, type), b = convert(right, type);
  const bool is = infoOf(type.scalar).floating ? a.v[0].f < b.v[0].f : a.v[0].i < b.v[0].i;
  return {{Scalar::Bool, 1}, {{is, 0}}, a.exact && b.exact};
}

Value negate(const Value &a) {
  const Type type = a.type.n > 1 ? a.type : typeOfBinary(a.type, {a.type.scalar, 1});
  Value result = convert(a, type);
  for (Number &number : result.v) {
    number.f = -number.f;
    if (!infoOf(type.scalar).floating) {
      const unsigned __int128 negated = -static_cast<unsigned __int128>(number.i);
      number.i = wrapped(type.scalar, negated);
      if (infoOf(type.scalar).isSigned)
        result.exact &= static_cast<unsigned __int128>(number.i) == negated;
    }
  }
  return result;
}

uint32_t foldBits(Scalar scalar, const Number &number) {
  if (!infoOf(scalar).floating)
    return uint32_t(number.i);
  const float value = float(number.f);
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

} // namespace assay::language
