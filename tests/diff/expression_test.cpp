// Expressions: precedence, functions, and mistakes with their column.
#include "cli/diff/expression.h"

#include "tests/support/mangle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace assay::cli::diff {
namespace {

double value(const std::string &text, const std::vector<std::string> &names = {},
             const std::vector<double> &values = {}) {
  const Result<Expression> e = Expression::parse(text, names);
  EXPECT_TRUE(e) << text << ": " << (e ? "" : e.error().message());
  return e ? e->evaluate(values) : std::nan("");
}

TEST(Expression, BindsAsInC) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("8 - 4 - 2"), 2);
  EXPECT_EQ(value("16 / 4 / 2"), 2);
  EXPECT_EQ(value("7 % 4 * 2"), 6);
  EXPECT_EQ(value("-2 * -3"), 6);
  EXPECT_EQ(value("1 + 1 == 2"), 1);
  EXPECT_EQ(value("1 < 2 && 2 < 1 || 1"), 1);
  EXPECT_EQ(value("!0 + 1"), 2);
  EXPECT_EQ(value("0 ? 1 : 0 ? 2 : 3"), 3);
  EXPECT_EQ(value("1 <= 1 && 1 >= 1 && 1 != 2"), 1);
  EXPECT_EQ(value("5 / 2"), 2.5);
}

TEST(Expression, KnowsNumbersNamesAndFunctions) {
  EXPECT_EQ(value("0x10 + 1.5e1 + .5"), 31.5);
  EXPECT_EQ(value("qL*D + q_1", {"D", "qL", "q_1"}, {64, 3, 5}), 197);
  EXPECT_EQ(value("-inf"), -INFINITY);
  EXPECT_TRUE(std::isnan(value("nan")));
  EXPECT_EQ(
      value(
          "cdiv(65, 64) + floor(1.5) + ceil(1.5) + round(2.5) + abs(-3) + min(1, 2) + max(1, 2) + sqrt(16)"),
      17);
}

TEST(Expression, MakesTheSameNumbersEverywhere) {
  const Expression e = *Expression::parse("rand(7)", {});
  std::set<double> seen;
  for (uint64_t i = 0; i < 1000; ++i) {
    const double v = e.evaluate({}, i);
    EXPECT_GE(v, -1);
    EXPECT_LT(v, 1);
    EXPECT_EQ(v, double(float(v)));
    seen.insert(v);
  }
  EXPECT_GT(seen.size(), 990u);
  // splitmix64 of seed 1234567 begins with 6457827717110365317 (its author's reference implementation).
  EXPECT_EQ(Expression::parse("rand(1234567)", {})->evaluate({}, 0),
            double(6457827717110365317ull >> 40) / 8388608 - 1);
  EXPECT_EQ(Expression::parse("rand(1234567)", {})->evaluate({}, 1),
            double(3203168211198807973ull >> 40) / 8388608 - 1);
}

TEST(Expression, KnowsWhichNamesItUses) {
  EXPECT_EQ(Expression::parse("b + b * c", {"a", "b", "c"})->used(), (std::vector<size_t>{1, 2}));
}

std::string mistake(const std::string &text) {
  const Result<Expression> e = Expression::parse(text, {"rows", "columns"});
  if (e)
    return "none";
  const Diagnostic &d = e.error().diagnostics.front();
  return std::to_string(d.where.column) + ": " + d.message + " [" + d.rule + "]" +
         (d.hint.empty() ? "" : " " + d.hint);
}

TEST(Expression, NamesTheMistakeAndItsColumn) {
  EXPECT_EQ(mistake("2 * rovs"), "5: no size 'rovs' [unknown-size] did you mean 'rows'?");
  EXPECT_EQ(mistake("x"), "1: no size 'x' [unknown-size] sizes: rows, columns");
  EXPECT_EQ(mistake(""), "1: the expression is empty [expression]");
  EXPECT_EQ(mistake("1 +"), "4: the expression ends where a number or a name is needed [expression]");
  EXPECT_EQ(mistake("(1"), "3: a '(' has no ')' [expression]");
  EXPECT_EQ(mistake("1 2"), "3: '2' does not belong to an expression [expression]");
  EXPECT_EQ(mistake("1 ? 2"), "6: a '?' has no ':' [expression]");
  EXPECT_EQ(mistake("cdiv(1)"), "1: cdiv takes 2 arguments in parentheses [expression]");
  EXPECT_EQ(mistake("rows # 2"), "6: '# 2' does not belong to an expression [expression]");
  EXPECT_EQ(mistake("1e999"), "1: '1e999' is not a number [expression]");
  EXPECT_EQ(mistake(std::string(100, '-') + "1"), "65: more than 64 levels of nesting [expression]");
  EXPECT_EQ(mistake(std::string(100, '(')), "65: more than 64 levels of nesting [expression]");
}

TEST(Expression, SurvivesMangledText) {
  std::mt19937 random(11);
  const std::string seed =
      "q >= qL / 2 ? (k > q + kL - qL ? -inf : 0) : max(rand(1), cdiv(k, 3)) % 2 == 0x1f && !1.5e3";
  int parsed = 0;
  for (int i = 0; i < 20000; ++i) {
    const Result<Expression> e = Expression::parse(
        testing_support::mangle(seed, "()?:+-*/%<>=!&|,.0123456789abkqLx ", random), {"q", "k", "qL", "kL"});
    if (!e) {
      ASSERT_FALSE(e.error().message().empty());
      continue;
    }
    ++parsed;
    e->evaluate({1, 2, 3, 4}, i);
  }
  EXPECT_GT(parsed, 100);
}

} // namespace
} // namespace assay::cli::diff
