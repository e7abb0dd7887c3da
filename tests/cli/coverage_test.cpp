// scripts/coverage, run as a user runs it: a table of what compiles, exit codes that scripts can use.
#include "program.h"

namespace assay::cli_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Coverage : public Program {
protected:
  Coverage() {
    setenv("ASSAY", ASSAY_PROGRAM, 1);
    std::filesystem::create_directories(folder.path() / "kernels/deep");
    std::filesystem::rename(folder.path() / "add.metal", folder.path() / "kernels/add.metal");
    write("kernels/deep/two.metal", "#include \"../value.h\"\n#include \"value.h\"\n"
                                    "template <class T> kernel void f(device T *p) { *p = VALUE; }\n"
                                    "template [[host_name(\"a\")]] kernel void f<int>(device int *);\n"
                                    "template [[host_name(\"b\")]] kernel void f<float>(device float *);\n");
    write("kernels/value.h", "#define VALUE 3\n");
  }
  Outcome coverage(const std::string &arguments) const {
    const std::string command = "cd '" + folder.path().string() +
                                "' && '" ASSAY_SOURCE_DIR "/scripts/coverage' " + arguments + " >'" +
                                (folder / "out.txt") + "' 2>'" + (folder / "err.txt") + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out.txt"), read("err.txt")};
  }
};

TEST_F(Coverage, WritesARowForEachFileAndASum) {
  const Outcome outcome = coverage("kernels");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.err, "coverage: 1 of 2, add.metal\ncoverage: 2 of 2, deep/two.metal\n");
  EXPECT_THAT(outcome.out, StartsWith("| project | file | entry points | compiled | seconds | reason |\n"));
  EXPECT_THAT(outcome.out, HasSubstr("| kernels | add.metal | 1 | 1 | "));
  EXPECT_THAT(outcome.out, HasSubstr("| kernels | deep/two.metal | 2 | 2 | "));
  EXPECT_THAT(
      outcome.out,
      HasSubstr("\nkernels: 2 of 2 files, 3 of 3 entry points compiled, 3 of them to native code.\n"));
}

TEST_F(Coverage, GivesTheReasonOfWhatDoesNotCompile) {
  write("kernels/bad.metal", "kernel void g(device int *p) { *p = nothing; }\n");
  const Outcome outcome = coverage("kernels");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.out, HasSubstr("| error: use of undeclared identifier 'nothing' |"));
  EXPECT_THAT(outcome.out, HasSubstr("kernels: 2 of 3 files, 3 of 3 entry points"));
  EXPECT_EQ(coverage("--only two kernels").exitCode, 0);
}

TEST_F(Coverage, CountsWhatRunsAsOneProgramForASimdgroup) {
  write("kernels/spin.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                              "kernel void w(device atomic_uint *p) {\n"
                              "while (atomic_load_explicit(p, memory_order_relaxed) == 0) {} }\n");
  const Outcome outcome = coverage("kernels -- --engine vector");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, HasSubstr("kernels: 3 run as one program for a simdgroup; on fibers:\n"
                                     "      1 a loop that waits for another lane\n"));
  EXPECT_THAT(coverage("kernels -- --engine fiber").out, testing::Not(HasSubstr("simdgroup")));
}

TEST_F(Coverage, TakesSourcesWhoseNamesEndOtherwise) {
  write("kernels/shader.msl", "kernel void h(device int *p) { *p = 4; }\n");
  const Outcome outcome = coverage("--suffix .msl kernels");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, HasSubstr("kernels: 1 of 1 files, 1 of 1 entry points compiled"));
  EXPECT_EQ(coverage("--suffix .none kernels").err,
            "coverage: no .none file in '" + (folder / "kernels") + "' matches '.'\n");
}

TEST_F(Coverage, AFloorMayNotBeUndercut) {
  write("kernels/bad.metal", "kernel void g(device int *p) { *p = nothing; }\n");
  EXPECT_EQ(coverage("--floor 3 kernels").exitCode, 0);
  const Outcome below = coverage("--floor 4 kernels");
  EXPECT_EQ(below.exitCode, 1);
  EXPECT_THAT(below.err, HasSubstr("coverage: 3 entry points compile, the floor is 4\n"));
}

TEST_F(Coverage, PassesOptionsOnAndRefusesWhatIsAtFault) {
  EXPECT_THAT(coverage("kernels -- --one-per-signature").out,
              HasSubstr("3 of 3 entry points compiled, 3 of them"));
  EXPECT_EQ(coverage("").err, "coverage: give the folder of a checkout: scripts/coverage DIR\n");
  EXPECT_EQ(coverage("nowhere").err, "coverage: no folder 'nowhere'\n");
  EXPECT_EQ(coverage("nowhere").exitCode, 2);
  EXPECT_EQ(coverage("--only nothing kernels").exitCode, 2);
  const Outcome option = coverage("kernels -- --no-such-option");
  EXPECT_EQ(option.exitCode, 2);
  EXPECT_THAT(option.err, HasSubstr("assay check refuses the request"));
}

} // namespace
} // namespace assay::cli_test
