// Two lists of edits as one: the same text, and each place of it from the same place of the original.
#include "frontend/joined_edits.h"

#include <gmock/gmock.h>

#include <random>

using namespace assay::frontend;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

TEST(JoinedEdits, OfDifferentPlacesStayApart) {
  //  "a M b c" -> "a xyz b c" -> "a xyz b C"
  const std::vector<Edit> first{{2, 1, "xyz"}}, second{{8, 1, "C"}};
  EXPECT_EQ(applied("a M b c", first), "a xyz b c");
  EXPECT_THAT(joinedEdits(first, "a xyz b c", second), ElementsAre(Edit{2, 1, "xyz"}, Edit{6, 1, "C"}));
}

TEST(JoinedEdits, OfTheSameBytesBecomeOne) {
  //  "a M b" -> "a x y b" -> "a x Y-B"
  EXPECT_THAT(joinedEdits({{2, 1, "x y"}}, "a x y b", {{4, 3, "Y-B"}}), ElementsAre(Edit{2, 3, "x Y-B"}));
}

TEST(JoinedEdits, AnInsertionBeforeAReplacementStaysBefore) {
  EXPECT_THAT(joinedEdits({{2, 1, "xyz"}}, "a xyz b", {{2, 0, "<"}, {5, 0, ">"}}),
              ElementsAre(Edit{2, 0, "<"}, Edit{2, 1, "xyz"}, Edit{3, 0, ">"}));
}

TEST(JoinedEdits, OffsetsGoOn) {
  const std::vector<Edit> edits{{2, 3, "x"}, {7, 0, "yy"}};
  EXPECT_EQ(expandedOffset(edits, 0), 0u);
  EXPECT_EQ(expandedOffset(edits, 2), 2u);
  EXPECT_EQ(expandedOffset(edits, 4), 2u) << "inside";
  EXPECT_EQ(expandedOffset(edits, 5), 3u);
  EXPECT_EQ(expandedOffset(edits, 7), 5u) << "before what is inserted there";
  EXPECT_EQ(expandedOffset(edits, 8), 8u);
}

std::vector<Edit> randomEdits(std::mt19937 &random, size_t length) {
  std::vector<Edit> edits;
  const auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  for (uint32_t at = below(4); at < length;) {
    const uint32_t replaced = std::min<uint32_t>(below(4), uint32_t(length) - at);
    edits.push_back({at, replaced, std::string(below(5) + (replaced == 0), char('A' + below(26)))});
    at += std::max(1u, replaced) + below(5);
  }
  return edits;
}

TEST(JoinedEdits, DoWhatBothListsDo) {
  std::mt19937 random(20261123);
  for (int round = 0; round < 20'000; ++round) {
    const std::string original = std::string("the original text, of some words").substr(0, random() % 33);
    const std::vector<Edit> first = randomEdits(random, original.size());
    const std::string middle = applied(original, first);
    const std::vector<Edit> second = randomEdits(random, middle.size());
    const std::vector<Edit> joined = joinedEdits(first, middle, second);
    ASSERT_EQ(applied(original, joined), applied(middle, second)) << round;
    for (size_t i = 1; i < joined.size(); ++i)
      ASSERT_LE(joined[i - 1].offset + joined[i - 1].length, joined[i].offset) << round;
  }
  EXPECT_THAT(joinedEdits({}, "x", {}), IsEmpty());
}

} // namespace
