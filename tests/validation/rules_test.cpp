// The table of rules, and sets of them as users write them.
#include "emulator/validation/rules.h"

#include <gmock/gmock.h>

#include <set>

namespace assay {
namespace {

TEST(CheckRules, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const CheckRuleInfo &info : kCheckRules) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(&checkRuleInfo(info.rule), &info);
    EXPECT_FALSE(info.words.empty()) << info.name;
    EXPECT_EQ(info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), info.name.npos) << info.name;
  }
}

TEST(CheckRules, AreParsedAsListsWithSetsAndWithoutSome) {
  EXPECT_EQ(*CheckRules::parse(""), CheckRules::byDefault());
  EXPECT_EQ(*CheckRules::parse("default"), CheckRules::byDefault());
  EXPECT_EQ(*CheckRules::parse("all"), CheckRules::all());
  const CheckRules two = *CheckRules::parse("race-lanes,inactive-lane");
  for (const CheckRuleInfo &info : kCheckRules)
    EXPECT_EQ(two.has(info.rule), info.name == "race-lanes" || info.name == "inactive-lane") << info.name;
  CheckRules without = CheckRules::byDefault();
  without.set(CheckRule::RaceLanes, false);
  EXPECT_EQ(*CheckRules::parse("-race-lanes"), without);
  EXPECT_EQ(*CheckRules::parse("all,-race-lanes,race-lanes"), CheckRules::all());
}

TEST(CheckRules, NameTheRulesWhereOneIsUnknown) {
  for (const char *text : {"races", "race-lanes,", "-all", "default,,all"}) {
    const Result<CheckRules> rules = CheckRules::parse(text);
    ASSERT_FALSE(rules) << text;
    EXPECT_TRUE(rules.error().is("bad-option"));
    EXPECT_THAT(rules.error().diagnostics[0].hint, ::testing::HasSubstr("race-threadgroup"));
  }
}

TEST(CheckRules, NeedReportsOfMemoryOnlyForRaces) {
  EXPECT_FALSE(CheckRules().any());
  EXPECT_FALSE(CheckRules().needMemory());
  EXPECT_FALSE(CheckRules::parse("barrier-divergence,inactive-lane")->needMemory());
  EXPECT_TRUE(CheckRules::parse("barrier-divergence,race-grid")->needMemory());
}

} // namespace
} // namespace assay
