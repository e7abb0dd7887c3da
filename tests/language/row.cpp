// Reads tables of rules.
#include "row.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace assay::language {
namespace {

std::string trimmed(const std::string &text) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

const std::map<std::string, unsigned> kScalarBytes = {
    {"bool", 1}, {"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},
    {"uint", 4}, {"long", 8}, {"ulong", 8}, {"half", 2},  {"bfloat", 2}, {"float", 4}};

bool isFloating(const std::string &scalar) {
  return scalar == "half" || scalar == "bfloat" || scalar == "float";
}

// The bits of a value that a format with `fraction` stored bits and exponents from `least` holds exactly.
uint64_t narrowBits(double value, int fraction, int exponentBits, const std::string &text) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  const uint64_t sign = std::signbit(value) ? uint64_t(1) << (fraction + exponentBits) : 0;
  const uint64_t top = ((uint64_t(1) << exponentBits) - 1) << fraction;
  if (std::isnan(value))
    return top | uint64_t(1) << (fraction - 1);
  if (std::isinf(value))
    return sign | top;
  if (value == 0)
    return sign;
  int exponent = 0;
  std::frexp(value, &exponent); // value = m * 2^exponent, m in [0.5, 1)
  const int stored = std::max(exponent - 1 + bias, 1);
  const double scaled = std::ldexp(std::fabs(value), fraction - (stored - bias));
  if (scaled != std::floor(scaled) || stored > 2 * bias)
    throw std::runtime_error("not a value of the type: " + text);
  const uint64_t whole = uint64_t(scaled); // with the leading one, if it is a normal number
  const bool normal = whole >> fraction != 0;
  return sign | (normal ? uint64_t(stored) << fraction | (whole - (uint64_t(1) << fraction)) : whole);
}

uint64_t bitsOf(const std::string &scalar, const std::string &text) {
  char *end = nullptr;
  if (scalar == "bool") {
    if (text != "true" && text != "false")
      throw std::runtime_error("a bool is true or false, not " + text);
    return text == "true";
  }
  if (isFloating(scalar)) {
    if (scalar == "float") {
      const float value = text == "nan" ? std::nanf("") : std::strtof(text.c_str(), &end);
      if (end && *end)
        throw std::runtime_error("not a number: " + text);
      uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      return bits;
    }
    const double value = text == "nan" ? std::nan("") : std::strtod(text.c_str(), &end);
    if (end && *end)
      throw std::runtime_error("not a number: " + text);
    return scalar == "half" ? narrowBits(value, 10, 5, text) : narrowBits(value, 7, 8, text);
  }
  const bool negative = text[0] == '-';
  const uint64_t magnitude = std::strtoull(text.c_str() + negative, &end, 0);
  if (*end || text.size() == negative)
    throw std::runtime_error("not an integer: " + text);
  const unsigned width = 8 * kScalarBytes.at(scalar);
  const bool isSigned = scalar[0] != 'u';
  const uint64_t most = isSigned      ? (uint64_t(1) << (width - 1)) - (negative ? 0 : 1)
                        : width == 64 ? ~uint64_t(0)
                                      : (uint64_t(1) << width) - 1;
  if (magnitude > most || (negative && !isSigned))
    throw std::runtime_error("not a value of " + scalar + ": " + text);
  const uint64_t bits = negative ? -magnitude : magnitude;
  return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

ValueType typeNamed(const std::string &name) {
  std::string base = name.rfind("packed_", 0) == 0 ? name.substr(7) : name;
  ValueType type{name, base, 1, 1, false};
  const size_t digit = base.find_first_of("0123456789");
  if (digit != std::string::npos) {
    type.scalar = base.substr(0, digit);
    const std::string shape = base.substr(digit);
    if (shape.size() == 1)
      type.components = unsigned(shape[0] - '0');
    else if (shape.size() == 3 && shape[1] == 'x')
      type.columns = unsigned(shape[0] - '0'), type.components = unsigned(shape[2] - '0');
    else
      throw std::runtime_error("no such type: " + name);
  } else {
    type.isScalar = true;
  }
  if (!kScalarBytes.count(type.scalar))
    throw std::runtime_error("no such type: " + name);
  return type;
}

} // namespace

unsigned ValueType::scalarBytes() const {
  return kScalarBytes.at(scalar);
}

std::string chosen(const std::string &text, bool wrong) {
  const size_t open = text.find("[~");
  if (open == std::string::npos)
    return text;
  const size_t middle = text.find('~', open + 2), close = text.find("~]", middle + 1);
  if (middle == std::string::npos || close == std::string::npos)
    throw std::runtime_error("no [~wrong~right~] in: " + text);
  return text.substr(0, open) +
         (wrong ? text.substr(open + 2, middle - open - 2) : text.substr(middle + 1, close - middle - 1)) +
         text.substr(close + 2);
}

Expectation readExpectation(const std::string &text) {
  std::istringstream words(text);
  std::string word;
  words >> word;
  Expectation expectation{typeNamed(word), {}};
  while (words >> word)
    expectation.bits.push_back(bitsOf(expectation.type.scalar, word));
  if (expectation.bits.size() != expectation.type.count())
    throw std::runtime_error("wrong number of values: " + text);
  return expectation;
}

std::string valuesText(const ValueType &type, const std::vector<uint64_t> &bits) {
  std::ostringstream text;
  text << type.name;
  for (uint64_t b : bits) {
    if (type.scalar == "float") {
      float value = 0;
      const uint32_t narrow = uint32_t(b);
      std::memcpy(&value, &narrow, sizeof value);
      text << ' ' << value << " (0x" << std::hex << b << std::dec << ')';
    } else if (isFloating(type.scalar)) {
      text << " 0x" << std::hex << b << std::dec;
    } else if (type.scalar[0] == 'u' || type.scalar == "bool") {
      text << ' ' << b;
    } else {
      const unsigned unused = 64 - 8 * type.scalarBytes();
      text << ' ' << (int64_t(b << unused) >> unused);
    }
  }
  return text.str();
}

Table readTable(const std::string &path) {
  Table table;
  table.name = std::filesystem::path(path).stem();
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error("no table " + path);
  std::set<std::string> names;
  std::vector<std::string> given;
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    const std::string where = table.name + ".rows:" + std::to_string(number);
    const std::string text = trimmed(line);
    if (text.empty() || text[0] == '#')
      continue;
    if (text == "! alone") {
      table.alone = true;
      continue;
    }
    if (text[0] == ':') {
      given.push_back(text.size() > 1 && text[1] == ' ' ? text.substr(2) : text.substr(1));
      continue;
    }
    Row row;
    const size_t space = text.find(' '), colon = text.find(": ", space);
    if (space == std::string::npos || colon == std::string::npos)
      throw std::runtime_error(where + ": not `section name: code -> expected`");
    row.section = text.substr(0, space);
    row.name = table.name + "." + trimmed(text.substr(space, colon - space));
    row.where = where;
    row.given = std::exchange(given, {});
    row.code = trimmed(text.substr(colon + 2));
    size_t marks = row.code.find("[~") != std::string::npos;
    for (const std::string &declared : row.given)
      marks += declared.find("[~") != std::string::npos;
    row.refused = marks != 0;
    if (!row.refused) {
      const size_t arrow = row.code.rfind(" -> ");
      if (arrow == std::string::npos)
        throw std::runtime_error(where + ": neither `-> expected` nor [~wrong~right~]");
      row.expected = trimmed(row.code.substr(arrow + 4));
      row.code = trimmed(row.code.substr(0, arrow));
      if (row.expected != "ok")
        try {
          readExpectation(row.expected);
        } catch (const std::exception &e) {
          throw std::runtime_error(where + ": " + e.what());
        }
    }
    if (marks > 1)
      throw std::runtime_error(where + ": more than one [~wrong~right~]");
    if (!names.insert(row.name).second)
      throw std::runtime_error(where + ": the name " + row.name + " is taken");
    table.rows.push_back(std::move(row));
  }
  if (!given.empty())
    throw std::runtime_error(table.name + ": declarations without a row at the end");
  return table;
}

} // namespace assay::language
