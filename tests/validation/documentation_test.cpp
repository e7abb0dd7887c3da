// docs/checking.md lists the rules as the table has them.
#include "emulator/validation/rules.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace assay {
namespace {

TEST(CheckRules, AreInTheDocumentation) {
  std::stringstream text;
  text << std::ifstream(ASSAY_SOURCE_DIR "/docs/checking.md").rdbuf();
  std::string rows, others;
  for (const CheckRuleInfo &rule : kCheckRules) {
    const char *const cost = rule.cost == CheckCost::Memory   ? "memory "
                             : rule.cost == CheckCost::Values ? "values "
                                                              : "";
    rows += fmt::format("| `{}` | {}| {} |\n", rule.name, cost, rule.words);
    if (!rule.byDefault)
      others += fmt::format("{}`{}`", others.empty() ? "" : " and ", rule.name);
  }
  EXPECT_THAT(text.str(), ::testing::HasSubstr("|---|---|---|\n" + rows + "\nAll rules except " + others +
                                               " are on by default. The table is"));
}

} // namespace
} // namespace assay
