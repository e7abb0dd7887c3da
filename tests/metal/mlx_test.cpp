// scripts/mlx-tests and the commands of docs/mlx-tests.md on a checkout of MLX, from ASSAY_MLX_DIR, with what
// MLX would fetch, from ASSAY_MLX_DEPS. What needs neither is in tests/scripts.
#include "script_test.h"

#include <gmock/gmock.h>

#include <cstdlib>

using testing::HasSubstr;

namespace {

class Mlx : public assay::testing_support::ScriptTest {
protected:
  Mlx() : ScriptTest({{"~/mlx-deps", "ASSAY_MLX_DEPS"}, {"~/mlx", "ASSAY_MLX_DIR"}}) {}
};

} // namespace

#define NEEDS_CHECKOUT                                                                                       \
  if (!std::getenv("ASSAY_MLX_DIR") || !std::getenv("ASSAY_MLX_DEPS"))                                       \
  GTEST_SKIP() << "set ASSAY_MLX_DIR to a checkout of MLX, and ASSAY_MLX_DEPS to what it fetches"

TEST_F(Mlx, ATableHasARowForEachSuite) {
  NEEDS_CHECKOUT;
  const Outcome outcome = run("scripts/mlx-tests --deps ~/mlx-deps ~/mlx -- 'test gpu a*'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::ContainsRegex("\n\\| C\\+\\+ \\| [1-9][0-9]* \\| 0 \\| 0 \\| 0 \\| "));
  EXPECT_THAT(outcome.out, HasSubstr("No failure is left unexplained."));
}

TEST_F(Mlx, APatternWithoutATestIsAMistake) {
  NEEDS_CHECKOUT;
  const Outcome outcome = run("scripts/mlx-tests --deps ~/mlx-deps ~/mlx -- 'no such test'");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no test matches 'no such test'"));
}

// All tests take too long: a command without a pattern gets one.
TEST_F(Mlx, TheCommandsOfTheDocumentationWork) {
  NEEDS_CHECKOUT;
  const std::vector<std::string> commands = commandsOf("docs/mlx-tests.md");
  for (std::string line : commands) {
    if (const size_t at = line.find("--table "); at != line.npos)
      line.insert(at + 8, folder.path().string() + "/");
    if (line.find(" -- ") == line.npos)
      line += " -- '*arange*'";
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err << outcome.out;
  }
  EXPECT_GE(commands.size(), 3u);
}
