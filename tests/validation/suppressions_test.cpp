// Files of findings that are accepted.
#include "validation/suppressions.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

Finding finding(const std::string &rule, const SourcePlace &where, const SourcePlace &other = {}) {
  Finding made;
  made.warning.rule = rule;
  made.warning.where = where;
  if (other.known()) {
    made.notes.emplace_back();
    made.notes.back().where = other;
  }
  return made;
}

size_t left(const std::string &text, const Finding &one) {
  const Result<Suppressions> suppressions = Suppressions::parse(text, "accepted.txt");
  EXPECT_TRUE(suppressions) << text;
  return suppressions ? suppressions->apply({one}).findings.size() : 99;
}

TEST(Suppressions, CoverARuleInAFile) {
  const Finding race =
      finding("race-lanes", {"/home/x/src/tiles.metal", 430, 5}, {"/home/x/src/other.metal", 7, 1});
  EXPECT_EQ(left("race-lanes tiles.metal the same value", race), 0u);
  EXPECT_EQ(left("race-lanes src/tiles.metal:430 the same value", race), 0u);
  EXPECT_EQ(left("race-lanes other.metal:7 the other place counts, too", race), 0u);
  EXPECT_EQ(left("race-lanes tiles.metal:431 another line", race), 1u);
  EXPECT_EQ(left("race-lanes les.metal no whole component", race), 1u);
  EXPECT_EQ(left("race-grid tiles.metal another rule", race), 1u);
  EXPECT_EQ(left("race-lanes other.metal:430 a line of the first place", race), 1u);
}

TEST(Suppressions, HaveCommentsAndBlanks) {
  const Finding race = finding("race-lanes", {"tiles.metal", 3, 1});
  EXPECT_EQ(left("\n  # all of it\n\t race-lanes\ttiles.metal  why # and more\r\n\n", race), 0u);
  EXPECT_EQ(left("# race-lanes tiles.metal why\n", race), 1u);
  EXPECT_EQ(left("", race), 1u);
}

TEST(Suppressions, MistakesHaveTheirLine) {
  for (const auto &[line, message] :
       {std::pair{"race-lane tiles.metal why", "there is no check 'race-lane'"},
        std::pair{"race-lanes", "there is no file"}, std::pair{"race-lanes :3 why", "there is no file"},
        std::pair{"race-lanes tiles.metal", "there is no reason"},
        std::pair{"race-lanes tiles.metal # why", "there is no reason"},
        std::pair{"race-lanes tiles.metal:0 why", "'0' is not a line number"},
        std::pair{"race-lanes tiles.metal:x why", "'x' is not a line number"}}) {
    const auto parsed = Suppressions::parse(std::string("# first\n") + line, "accepted.txt");
    ASSERT_FALSE(parsed) << line;
    EXPECT_TRUE(parsed.error().is("bad-suppression"));
    EXPECT_EQ(parsed.error().diagnostics.front().message, message);
    EXPECT_EQ(parsed.error().diagnostics.front().where, (SourcePlace{"accepted.txt", 2, 1}));
  }
  EXPECT_FALSE(Suppressions::read("/nowhere/accepted.txt"));
}

TEST(Suppressions, ThoseThatCoverNothingAreNamed) {
  const auto suppressions = Suppressions::parse("race-lanes a.metal:3 one\nrace-grid a.metal two\n", "s.txt");
  ASSERT_TRUE(suppressions);
  const auto applied = suppressions->apply(
      {finding("race-lanes", {"a.metal", 3, 1}), finding("race-lanes", {"a.metal", 4, 1})});
  EXPECT_EQ(applied.suppressed, 1u);
  EXPECT_EQ(applied.findings.size(), 1u);
  const auto unused = suppressions->unused(applied.used);
  ASSERT_EQ(unused.size(), 1u);
  EXPECT_EQ(unused[0].message, "no finding of race-grid is in a.metal");
  EXPECT_EQ(unused[0].where, (SourcePlace{"s.txt", 2, 1}));
}

} // namespace
} // namespace assay
