// The table of texts: one for each rule, in the form of a message. What they are said of is in
// metal_rules_test.cpp and tests/language/.
#include "frontend/metal_rule_texts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

using namespace assay::frontend;

TEST(MetalRuleTexts, EachRuleHasAMessageOfItsOwn) {
  std::set<std::string> all;
  for (const char *text : kTexts) {
    ASSERT_NE(text, nullptr) << all.size();
    EXPECT_TRUE(all.insert(text).second) << text;
    EXPECT_GT(std::string(text).size(), 10u) << text;
    EXPECT_NE(std::string(text).back(), '.') << text;
  }
  EXPECT_EQ(all.size(), size_t(Rule::Count));
}
