// The rules of the Metal Shading Language, chapters 1 to 5, table by table. The form of a table is in row.h;
// what does not hold today is in known_failures.txt, which may only shrink.
#include "judge.h"
#include "known_failures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace assay::language {
namespace {

std::vector<std::string> tableNames() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(ASSAY_LANGUAGE_TABLES))
    if (entry.path().extension() == ".rows")
      names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

Table table(const std::string &name) {
  return readTable(std::string(ASSAY_LANGUAGE_TABLES "/") + name + ".rows");
}

void expectAllHold(const Table &table, const std::string &kind, const Verdicts &verdicts) {
  const std::map<std::string, std::string> known = knownFailures();
  for (const Row &row : table.rows) {
    const auto verdict = verdicts.find(row.name);
    if (verdict == verdicts.end()) {
      EXPECT_TRUE(kind == "refused" && !row.refused) << row.name << " has no verdict";
      continue;
    }
    const bool listed = known.count(kind + " " + row.name) != 0;
    if (verdict->second.empty()) {
      EXPECT_FALSE(listed) << row.where << ": " << row.name << " now passes: remove `" << kind << " "
                           << row.name << "` from known_failures.txt";
    } else if (!listed) {
      ADD_FAILURE() << row.where << ": " << kind << " " << row.name << ": " << verdict->second
                    << "\n  section " << row.section << ": " << row.code;
    }
  }
}

class Language : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Tables, Language, testing::ValuesIn(tableNames()),
                         [](const auto &info) { return info.param; });

} // namespace

TEST_P(Language, WhatMetalAcceptsComputesTheRightValues) {
  const Table rows = table(GetParam());
  expectAllHold(rows, "accepted", judgeAccepted(rows));
}

TEST_P(Language, WhatMetalRefusesIsRefusedAtItsLine) {
  const Table rows = table(GetParam());
  expectAllHold(rows, "refused", judgeRefused(rows));
}

TEST(LanguageTables, HaveSixHundredRulesAndNoUnknownFailureNames) {
  std::set<std::string> names;
  for (const std::string &name : tableNames())
    for (const Row &row : table(name).rows)
      names.insert(row.name);
  EXPECT_GE(names.size(), 600u);
  for (const auto &[failure, reason] : knownFailures()) {
    const size_t space = failure.find(' ');
    const std::string kind = failure.substr(0, space);
    EXPECT_THAT(kind, testing::AnyOf("accepted", "refused", "mutation", "generated")) << failure;
    if (kind == "accepted" || kind == "refused")
      EXPECT_TRUE(names.count(failure.substr(space + 1))) << "no such row: " << failure;
  }
}

} // namespace assay::language
