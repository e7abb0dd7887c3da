// Findings as SARIF 2.1.0: the members that the standard requires, and both places.
#include "emulator/cli/sarif.h"

#include "emulator/host/assay.h"

#include <gmock/gmock.h>

namespace assay::cli {
namespace {

TEST(Sarif, HasTheToolItsRulesAndNoResults) {
  const Json sarif = sarifOf({});
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  const Json &run = sarif.at("runs").at(0);
  EXPECT_EQ(run.at("tool").at("driver").at("name"), "Assay");
  EXPECT_EQ(run.at("tool").at("driver").at("rules").size(), kCheckRules.size());
  EXPECT_EQ(run.at("tool").at("driver").at("rules").at(0).at("id"), kCheckRules[0].name);
  EXPECT_TRUE(run.at("results").is_array());
  EXPECT_TRUE(run.at("results").empty());
}

TEST(Sarif, AResultHasItsRuleItsPlaceAndTheOtherOne) {
  Finding finding;
  finding.warning = {Severity::Warning, {"k.metal", 7, 3}, "it races", "race-grid", "do this", {}, {}};
  finding.notes.push_back({Severity::Note, {"k.metal", 4, 0}, "the write", {}, {}, {}, {}});
  finding.count = 3;
  const Json results = sarifOf({finding}).at("runs").at(0).at("results");
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(
      results[0].dump(),
      R"({"ruleId":"race-grid","level":"warning","message":{"text":"it races; 2 more like it; do this"},)"
      R"("occurrenceCount":3,"locations":[{"physicalLocation":{"artifactLocation":{"uri":"k.metal"},)"
      R"("region":{"startLine":7,"startColumn":3}}}],"relatedLocations":[{"physicalLocation":)"
      R"({"artifactLocation":{"uri":"k.metal"},"region":{"startLine":4}},"message":{"text":"the write"}}]})");
}

TEST(Sarif, WithoutAPlaceThereIsNoLocation) {
  Finding finding;
  finding.warning.rule = "race-grid";
  const Json result = sarifOf({finding}).at("runs").at(0).at("results").at(0);
  EXPECT_FALSE(result.contains("locations"));
  EXPECT_FALSE(result.contains("relatedLocations"));
}

} // namespace
} // namespace assay::cli
