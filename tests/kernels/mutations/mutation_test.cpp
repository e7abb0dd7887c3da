// The mutation check is itself checked: what its lists may say, and that a survivor is called one.
#include "mutation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>

namespace assay::mutations {
namespace {

namespace fs = std::filesystem;

class MutationList : public ::testing::Test {
protected:
  fs::path folder =
      fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  fs::path write(const std::string &name, const std::string &text) {
    std::ofstream(folder / name) << text;
    return folder / name;
  }
  static std::string entry(const std::string &find, const std::string &replace, const std::string &more = "",
                           const std::string &tests = "kernels_test:Saxpy.*") {
    return fmt::format("[[mutation]]\nname = 'm'\nfile = 'basics/saxpy.metal'\nfind = '{}'\nreplace = "
                       "'{}'\ntests = '{}'\n{}",
                       find, replace, tests, more);
  }
  std::string problem(const std::string &text) {
    const auto list = readMutations(write("list.toml", text));
    if (list)
      return "";
    const Diagnostic &d = list.error().diagnostics.front();
    return fmt::format("{}: {}", d.where.line, d.message);
  }
  /// Exit code and output of the check itself.
  static std::pair<int, std::string> check(const fs::path &list) {
    const std::string command =
        fmt::format("'{}' --kernels '{}' --programs '{}' '{}' 2>&1", ASSAY_MUTATION_CHECK, ASSAY_OWN_KERNELS,
                    ASSAY_PROGRAMS, list.string());
    FILE *pipe = popen(command.c_str(), "r");
    std::string text;
    std::array<char, 4096> part;
    while (const size_t n = fread(part.data(), 1, part.size(), pipe))
      text.append(part.data(), n);
    return {WEXITSTATUS(pclose(pipe)), text};
  }
};

TEST_F(MutationList, SaysWhereItIsWrong) {
  EXPECT_EQ(problem(entry("a", "b")), "");
  EXPECT_EQ(problem(entry("a", "a")), "1: 'find' is empty or the same as 'replace', so nothing would change");
  EXPECT_EQ(problem(entry("a", "b", "occurence = 2\n")), "7: unknown key 'occurence'");
  EXPECT_EQ(problem(entry("a", "b", "occurrence = 0\n")), "7: 'occurrence' must be a number from 1");
  EXPECT_EQ(problem(entry("a", "b", "", "kernels_test")),
            "1: 'tests' is 'kernels_test', it must be program:filter");
  EXPECT_EQ(problem(entry("a", "b") + entry("a", "c")), "7: 'm' is listed twice");
  EXPECT_EQ(problem("[[mutation]]\nname = 'm'\n"), "1: a mutation needs the text 'file'");
  EXPECT_EQ(problem(""), "1: a list has [[mutation]] entries and nothing else");
}

TEST_F(MutationList, MutatesTheOccurrenceThatIsMeant) {
  Mutation m;
  m.name = "m", m.file = "f", m.find = "ab", m.replace = "x";
  const auto says = [&](const std::string &text) {
    const auto mutant = mutate(text, m);
    return mutant ? *mutant : mutant.error().message();
  };
  EXPECT_EQ(says("-ab-"), "-x-");
  EXPECT_EQ(says("ab ab"),
            "'m': the text to find is 2 times in f, it must be there once, or 'occurrence' must say "
            "which is meant");
  EXPECT_EQ(says(""),
            "'m': the text to find is 0 times in f, it must be there once, or 'occurrence' must say which is "
            "meant");
  m.occurrence = 2;
  EXPECT_EQ(says("ab ab ab"), "ab x ab");
  EXPECT_EQ(says("ab"), "'m': the text to find is 1 times in f, occurrence 2 is asked for");
}

TEST_F(MutationList, TellsNoticedFromSurvived) {
  const auto [good, said] = check(write("noticed.toml", entry("a * x[i]", "a - x[i]")));
  EXPECT_EQ(good, 0) << said;
  EXPECT_NE(said.find("1 mutations, 1 noticed"), std::string::npos) << said;
  const auto [bad, text] = check(write("survivor.toml", entry("a * x[i]", "x[i] * a")));
  EXPECT_EQ(bad, 1) << text;
  EXPECT_NE(text.find("SURVIVED"), std::string::npos) << text;
}

TEST_F(MutationList, CountsNothingThatProvesNothing) {
  const auto [typo, first] = check(write("typo.toml", entry("a * x[i]", "a * y[i")));
  EXPECT_EQ(typo, 2) << first;
  EXPECT_NE(first.find("the mutant does not compile"), std::string::npos) << first;
  const auto [empty, second] =
      check(write("empty.toml", entry("a * x[i]", "a - x[i]", "", "kernels_test:No.Such")));
  EXPECT_EQ(empty, 2) << second;
  EXPECT_NE(second.find("0 of its tests pass"), std::string::npos) << second;
}

} // namespace
} // namespace assay::mutations
