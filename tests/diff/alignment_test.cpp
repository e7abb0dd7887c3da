// Which statements correspond, of sources that a person would pair without a doubt.
#include "cli/diff/alignment.h"

#include <gmock/gmock.h>

#include <sstream>

namespace assay::cli::diff {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// Statements with ';' between them, tokens with spaces. Those with an '=' make a value.
std::vector<AlignedText> textsOf(const std::string &source) {
  std::vector<AlignedText> texts;
  std::stringstream statements(source);
  for (std::string statement; std::getline(statements, statement, ';');) {
    AlignedText text;
    std::stringstream tokens(statement);
    for (std::string token; tokens >> token;) {
      text.kind |= token.ends_with("=");
      text.tokens.push_back(token);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::pair<size_t, size_t>> pairs(const std::string &a, const std::string &b,
                                             const std::vector<std::pair<size_t, size_t>> &given = {}) {
  return align(textsOf(a), textsOf(b), given).pairs;
}

TEST(Alignment, PairsEqualSources) {
  EXPECT_THAT(pairs("x = 1; y = 2; f ( )", "x = 1; y = 2; f ( )"),
              ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 2)));
  EXPECT_THAT(pairs("", ""), IsEmpty());
}

TEST(Alignment, PassesOverWhatOnlyOneSideHas) {
  EXPECT_THAT(pairs("a = b + c; d = a * a; e = d - 1", "a = b + c; q = sqrt ( b ); d = a * a; e = d - 1"),
              ElementsAre(Pair(0, 0), Pair(1, 2), Pair(2, 3)));
}

TEST(Alignment, PairsAChangedStatement) {
  EXPECT_THAT(pairs("a = b + c; d = a * x [ i ]; e = d - 1", "a = b + c; d = a / x [ i + 1 ]; e = d - 1"),
              ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 2)));
}

TEST(Alignment, LearnsNames) {
  const Alignment found = align(textsOf("acc = 0; acc += x [ k ] * w [ k ]; out [ i ] = acc"),
                                textsOf("sum = 0; sum += x [ j ] * w [ j ]; y [ i ] = sum"));
  EXPECT_THAT(found.pairs, ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 2)));
  EXPECT_THAT(found.names, ElementsAre(Pair("acc", "sum"), Pair("k", "j"), Pair("out", "y")));
}

// Without the names each statement is like each other one.
TEST(Alignment, TellsStatementsOfOneFormApartByTheirNames) {
  EXPECT_THAT(pairs("a = f ( p , 1 ); b = f ( q , 1 ); c = a * b + p; d = c - q",
                    "r = f ( u , 1 ); t = r * s + u; d = t - v"),
              testing::Contains(Pair(2, 1)));
}

TEST(Alignment, FindsStatementsInAnotherOrder) {
  EXPECT_THAT(pairs("a = x + 1; b = y * 2; c = a + b", "b = y * 2; a = x + 1; c = a + b"),
              ElementsAre(Pair(0, 1), Pair(1, 0), Pair(2, 2)));
}

// Two of them are equal: which is meant is not known.
TEST(Alignment, LeavesMovedStatementsThatAreNotUnique) {
  EXPECT_THAT(pairs("m = 7; n = 8; a = x + 1; a = x + 1", "a = x + 1; m = 7; n = 8"),
              ElementsAre(Pair(0, 1), Pair(1, 2)));
}

TEST(Alignment, PairsValuesWithValues) {
  EXPECT_THAT(pairs("f ( x , y )", "x = y"), IsEmpty());
}

TEST(Alignment, HoldsGivenPairs) {
  EXPECT_THAT(pairs("a = 1; b = 2", "a = 1; b = 2", {{0, 1}}), testing::Contains(Pair(0, 1)));
  EXPECT_THAT(pairs("a = x + 1; q = 9; b = 2", "z = g ( h ) ; b = 2", {{0, 0}}),
              ElementsAre(Pair(0, 0), Pair(2, 1)));
}

// So many that not every pair is looked at: the equal and unique ones are found, with names, in order.
TEST(Alignment, OfLongSourcesTakesEqualStatements) {
  std::string a, b;
  for (int i = 0; i < 3000; ++i) {
    a += "a" + std::to_string(i) + " = acc + " + std::to_string(i) + ";";
    b += i % 3 ? "a" + std::to_string(i) + " = acc + " + std::to_string(i) + ";" : "q = r + r ; z = 1 ;";
  }
  const auto found = pairs("first = 1;" + a + "last = 2", "other = 3;" + b + "end = 4");
  EXPECT_EQ(found.size(), 2000u);
  for (const auto &[i, j] :
       found) { // statement i of the loop has i - i / 3 - 1 before it, and twice i / 3 + 1
    const size_t k = i - 1;
    EXPECT_NE(k % 3, 0u);
    EXPECT_EQ(j, 1 + k + k / 3 + 1);
  }
}

} // namespace
} // namespace assay::cli::diff
