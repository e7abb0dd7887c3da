#include "program.h"

namespace assay::cli_test {
namespace {

class Translate : public Program {};

} // namespace

// The command line that it shows is run as it stands.
TEST_F(Translate, WritesWhatStockClangCompilesWithTheLineInItsFirstComment) {
  const Outcome outcome = assay("translate add.metal -o add.cpp");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const std::string text = read("add.cpp");
  ASSERT_EQ(text.substr(0, 3), "// ");
  const std::string command = text.substr(3, text.find('\n') - 3);
  EXPECT_THAT(command, testing::EndsWith(" -c add.cpp"));
  if (std::system("command -v clang++-19 >/dev/null") != 0)
    GTEST_SKIP() << "no clang++-19 on this machine";
  EXPECT_EQ(std::system(("cd '" + folder.path().string() + "' && " + command).c_str()), 0) << command;
  EXPECT_TRUE(exists("add.o"));
}

TEST_F(Translate, WritesToStandardOutputUnlessToldWhere) {
  const Outcome outcome = assay("translate add.metal");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, testing::HasSubstr("sum[i] = a[i] + b[i];"));
}

TEST_F(Translate, SaysWhereItCannotWrite) {
  EXPECT_EQ(complaint("translate add.metal -o none/add.cpp"),
            "2 error: cannot write 'none/add.cpp': No such file or directory [unwritable-file]\n");
}

} // namespace assay::cli_test
