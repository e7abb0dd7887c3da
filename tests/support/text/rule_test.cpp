#include "support/text/result.h"
#include "support/text/rule.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace {

using namespace assay;

TEST(Rule, HasTheNameThatItIsMadeOf) {
  constexpr Rule rule = "out-of-bounds";
  EXPECT_EQ(std::string_view(rule), "out-of-bounds");
  const Error error = Error::usage(rule, "a sentence");
  EXPECT_EQ(error.rule(), "out-of-bounds");
  EXPECT_TRUE(error.is("out-of-bounds"));
  EXPECT_FALSE(error.is("out-of-memory"));
}

TEST(Rules, AreSortedAndHaveWords) {
  std::set<std::string_view> names;
  for (const RuleInfo &info : kRules) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " stands twice";
    EXPECT_FALSE(info.words.empty()) << info.name;
  }
  EXPECT_TRUE(std::is_sorted(kRules.begin(), kRules.end(),
                             [](const RuleInfo &a, const RuleInfo &b) { return a.name < b.name; }));
}

TEST(Rules, AreThoseOfTheDocument) {
  std::ostringstream rows;
  for (const RuleInfo &info : kRules)
    rows << "| `" << info.name << "` | " << info.words << " |\n";
  std::ifstream file(ASSAY_SOURCE_DIR "/docs/diagnostics.md");
  std::ostringstream text;
  text << file.rdbuf();
  const size_t table = text.str().find("|---|---|\n");
  ASSERT_NE(table, std::string::npos);
  EXPECT_EQ(text.str().substr(table + 10), rows.str());
}

} // namespace
