// Reads TOML tables with known keys and with expressions as values. Each error has its line and column.
// All of it is in this header, so that only mapping.cpp includes toml++.
#pragma once

#include "expression.h"

#include "../../host/nearest.h"
#include "../../support/limits.h"
#include "../../support/result.h"

#define TOML_EXCEPTIONS 0
// toml++ fails assertions on malformed keys; without assertions it reports them as errors.
#ifndef TOML_ASSERT
#define TOML_ASSERT(expression) static_cast<void>(0)
#endif
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::cli::diff {

/// Names with their values: the sizes, or the sizes and the axes of a tensor.
struct Scope {
  std::vector<std::string> names;
  std::vector<double> values;
};

/// Thrown and caught inside mapping.cpp, where otherwise every second line would have to pass an error on.
struct Mistake {
  Error error;
};

class TomlReader {
public:
  TomlReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  toml::table parse() const {
    toml::parse_result result = toml::parse(text_, file_);
    if (!result)
      fail(result.error().source().begin, "mapping", std::string(result.error().description()));
    return std::move(result).table();
  }

  [[noreturn]] void fail(toml::source_position at, std::string rule, std::string message,
                         std::string hint = {}) const {
    Error error = Error::usage(std::move(rule), std::move(message), std::move(hint));
    Diagnostic &diagnostic = error.diagnostics.front();
    diagnostic.where = {file_, at.line, at.column};
    std::string_view rest = text_;
    for (uint32_t line = 1; line < at.line && rest.find('\n') != rest.npos; ++line)
      rest.remove_prefix(rest.find('\n') + 1);
    diagnostic.sourceLine = rest.substr(0, rest.find('\n'));
    throw Mistake{std::move(error)};
  }
  [[noreturn]] void fail(const toml::node &node, std::string rule, std::string message,
                         std::string hint = {}) const {
    fail(node.source().begin, std::move(rule), std::move(message), std::move(hint));
  }

  void allow(const toml::table &table, std::string_view what,
             std::initializer_list<std::string_view> keys) const {
    const std::vector<std::string> known(keys.begin(), keys.end());
    for (const auto &[key, node] : table)
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        fail(key.source().begin, "unknown-key", fmt::format("{} has no '{}'", what, key.str()),
             nearestHint(key.str(), known, "keys"));
  }
  const toml::node &need(const toml::table &table, std::string_view key, std::string_view what) const {
    if (const toml::node *node = table.get(key))
      return *node;
    fail(table.source().begin, "mapping", fmt::format("{} needs '{}'", what, key));
  }
  const toml::table &tableOf(const toml::node &node, std::string_view what) const {
    if (const toml::table *table = node.as_table())
      return *table;
    fail(node, "mapping", fmt::format("{} should be a table", what));
  }
  const toml::array &arrayOf(const toml::node &node, std::string_view what) const {
    if (const toml::array *array = node.as_array())
      return *array;
    fail(node, "mapping", fmt::format("{} should be an array", what));
  }
  /// Null if there is none.
  const toml::table *subtable(const toml::table &table, std::string_view key) const {
    const toml::node *node = table.get(key);
    return node ? &tableOf(*node, fmt::format("'{}'", key)) : nullptr;
  }
  std::string textOf(const toml::node &node, std::string_view what) const {
    if (const toml::value<std::string> *value = node.as_string())
      return value->get();
    fail(node, "mapping", fmt::format("{} should be a string", what));
  }
  std::string textOr(const toml::table &table, std::string_view key, std::string fallback = {}) const {
    const toml::node *node = table.get(key);
    return node ? textOf(*node, fmt::format("'{}'", key)) : std::move(fallback);
  }
  uint32_t indexOf(toml::source_position at, std::string_view text, std::string_view what,
                   uint32_t slots) const {
    uint32_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size())
      fail(at, "mapping", fmt::format("'{}' is not the index of a {}", text, what));
    if (index >= slots)
      fail(at, "mapping", fmt::format("{} index {} is more than the largest, {}", what, index, slots - 1));
    return index;
  }

  /// text   of a string at `node`; an error in it is placed at its own column
  Expression expressionOf(const toml::node &node, std::string_view text,
                          const std::vector<std::string> &names, size_t offset = 0) const {
    Result<Expression> parsed = Expression::parse(text, names);
    if (parsed)
      return std::move(*parsed);
    const Diagnostic &d = parsed.error().diagnostics.front();
    toml::source_position at = node.source().begin;
    // In a string of one line without escapes, the text begins after the quote.
    if (node.is_string() && text.find('\n') == text.npos && d.where.column)
      at.column += uint32_t(offset) + d.where.column;
    fail(at, d.rule, d.message, d.hint);
  }
  Expression expressionOf(const toml::node &node, const std::vector<std::string> &names,
                          std::string_view what) const {
    if (node.is_integer())
      return *Expression::parse(numberText(double(node.as_integer()->get())), names);
    if (node.is_floating_point())
      return *Expression::parse(numberText(node.as_floating_point()->get()), names);
    if (node.is_boolean())
      return *Expression::parse(node.as_boolean()->get() ? "1" : "0", names);
    if (node.is_string())
      return expressionOf(node, node.as_string()->get(), names);
    fail(node, "mapping", fmt::format("{} should be a number or an expression in quotes", what));
  }
  double number(const toml::node &node, const Scope &scope, std::string_view what) const {
    return expressionOf(node, scope.names, what).evaluate(scope.values);
  }
  /// A whole number in [least, most].
  uint64_t whole(const toml::node &node, const Scope &scope, std::string_view what, uint64_t least = 0,
                 uint64_t most = uint64_t(1) << 40) const {
    const double value = number(node, scope, what);
    if (std::isfinite(value) && value != std::floor(value))
      fail(node, "mapping", fmt::format("{} is {}, no whole number", what, value),
           "floor(a / b) or cdiv(a, b) makes one");
    if (!(value >= double(least) && value <= double(most)))
      fail(node, "mapping", fmt::format("{} is {}, not in {}..{}", what, value, least, most));
    return uint64_t(value);
  }
  std::vector<uint64_t> wholes(const toml::node &node, const Scope &scope, std::string_view what,
                               uint64_t least) const {
    std::vector<uint64_t> values;
    for (const toml::node &one : arrayOf(node, what))
      values.push_back(whole(one, scope, what, least));
    return values;
  }
  /// A SPEC in which {expression} stands for its value.
  std::string interpolated(const toml::node &node, const Scope &scope, std::string_view what) const {
    const std::string text = textOf(node, what);
    std::string result;
    for (size_t at = 0; at < text.size();) {
      if (text[at] != '{') {
        result += text[at++];
        continue;
      }
      const size_t end = text.find('}', at);
      if (end == text.npos)
        fail(node, "mapping", fmt::format("a '{{' in '{}' has no '}}'", text));
      result += numberText(
          expressionOf(node, text.substr(at + 1, end - at - 1), scope.names, at + 1).evaluate(scope.values));
      at = end + 1;
    }
    return result;
  }

  /// In the form of expressions, function constants and SPECs: whole numbers without a point.
  static std::string numberText(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e18)
      return fmt::format("{}", int64_t(value));
    return fmt::format("{}", value);
  }

private:
  std::string_view text_;
  std::string file_;
};

} // namespace assay::cli::diff
