// Findings are folded by rule and places; words are those of an instance in the program's order.
#include "emulator/validation/findings.h"

#include "emulator/testing/check_matchers.h" // prints findings

namespace assay::validation {
namespace {

using ::testing::SizeIs;

SourcePlace at(uint32_t line, uint32_t column = 1) {
  return {"k.metal", line, column};
}
FindingText words(const std::string &message) {
  return {message, "note of " + message, "hint"};
}

TEST(Findings, CountEqualOnesWhicheverPlaceCameFirst) {
  Findings findings(CheckRules::all());
  findings.add(CheckRule::RaceGrid, at(3), at(7), false, [] { return words("backward"); });
  findings.add(CheckRule::RaceGrid, at(7), at(3), true, [] { return words("forward"); });
  findings.add(CheckRule::RaceGrid, at(3), at(7), false, [] { return words("backward again"); });
  findings.add(CheckRule::RaceGrid, at(7), at(3), true, [] { return words("forward again"); });
  const std::vector<Finding> all = findings.take();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].count, 4u);
  EXPECT_EQ(all[0].warning.message, "forward");
  EXPECT_EQ(all[0].warning.where, at(7));
  EXPECT_EQ(all[0].warning.rule, "race-grid");
  EXPECT_EQ(all[0].warning.severity, Severity::Warning);
  ASSERT_THAT(all[0].notes, SizeIs(1));
  EXPECT_EQ(all[0].notes[0].where, at(3));
  EXPECT_TRUE(findings.take().empty());
}

TEST(Findings, KeepWhatDiffersInRuleOrPlaceInOrderOfPlaces) {
  Findings findings(CheckRules::all());
  findings.add(CheckRule::InactiveLane, at(9), [] { return FindingText{"c", "", ""}; });
  findings.add(CheckRule::BarrierSkipped, at(2), [] { return FindingText{"a", "", ""}; });
  findings.add(CheckRule::RaceGrid, at(4), at(3), true, [] { return words("b"); });
  findings.add(CheckRule::RaceGrid, at(4, 8), at(3), true, [] { return words("b2"); });
  std::string messages;
  for (const Finding &finding : findings.take())
    messages += finding.warning.message + " ";
  EXPECT_EQ(messages, "a b b2 c ");
}

TEST(Findings, OfLanesAreDroppedWhereSimdgroupsRaceOnTheSameLines) {
  Findings findings(CheckRules::all());
  findings.add(CheckRule::RaceLanes, at(8, 2), at(5), true, [] { return words("lanes"); });
  findings.add(CheckRule::RaceThreadgroup, at(8, 4), at(5), true, [] { return words("simdgroups"); });
  findings.add(CheckRule::RaceLanes, at(9), at(5), true, [] { return words("other lanes"); });
  findings.add(CheckRule::MixedAtomic, at(8, 2), at(5), true, [] { return words("mixed"); });
  std::string messages;
  for (const Finding &finding : findings.take())
    messages += finding.warning.message + " " + std::to_string(finding.count) + " ";
  EXPECT_EQ(messages, "mixed 1 simdgroups 2 other lanes 1 ");
}

TEST(Findings, OfRulesThatNobodyAskedForAreNone) {
  Findings findings(*CheckRules::parse("race-grid"));
  EXPECT_FALSE(findings.wants(CheckRule::InactiveLane));
  findings.add(CheckRule::InactiveLane, at(1), []() -> FindingText {
    ADD_FAILURE() << "needs no words";
    return {};
  });
  EXPECT_TRUE(findings.take().empty());
}

} // namespace
} // namespace assay::validation
