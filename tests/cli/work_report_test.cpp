// assay run --count.
#include "program.h"

#include <nlohmann/json.hpp>

namespace assay::cli_test {
namespace {

class WorkReport : public Program {};

TEST_F(WorkReport, CountsAnAdditionAsText) {
  const Outcome outcome = assay(std::string(kAddRun) + "--count");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      testing::HasSubstr(
          "work                                                lanes  simdgroups         bytes   busy\n"
          "          device loads                                  8           2            32  12.5%\n"
          "          device stores                                 4           1            16  12.5%\n"
          "          float operations                              4           1                12.5%\n"
          "          all                                          16           4            48  12.5%\n"
          "          the longest simdgroup                                     4\n"));
  EXPECT_THAT(outcome.out, testing::HasSubstr("engine    fiber\n"));
}

TEST_F(WorkReport, CountsAnAdditionAsJson) {
  const Outcome outcome = assay(std::string(kAddRun) + "--count --json --workers 2 --schedule parallel");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const nlohmann::json work = nlohmann::json::parse(outcome.out)["work"];
  EXPECT_EQ(work["kinds"]["deviceLoads"], (nlohmann::json{{"lanes", 8}, {"simdgroups", 2}, {"bytes", 32}}));
  EXPECT_EQ(work["kinds"]["floatOperations"], (nlohmann::json{{"lanes", 4}, {"simdgroups", 1}}));
  EXPECT_EQ(work["kinds"]["matrixProducts"], (nlohmann::json{{"lanes", 0}, {"simdgroups", 0}}));
  EXPECT_EQ(work["longestSimdgroup"], 4);
  EXPECT_EQ(work["utilisation"]["all"], 0.125);
  EXPECT_EQ(work["utilisation"]["accesses"], 0.125);
}

TEST_F(WorkReport, IsLeftOutWhereNobodyAsks) {
  const Outcome outcome = assay(std::string(kAddRun) + "--json");
  EXPECT_FALSE(nlohmann::json::parse(outcome.out).contains("work"));
}

TEST_F(WorkReport, ExcludesChecks) {
  const Outcome outcome = assay(std::string(kAddRun) + "--count --check");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err, testing::HasSubstr("--count and --check exclude each other [bad-option]"));
}

} // namespace
} // namespace assay::cli_test
