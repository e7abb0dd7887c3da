// Sources that come from a pipe or the standard input, and output that reaches nobody.
#include "program.h"

namespace assay::cli_test {
namespace {

class Streams : public Program {
protected:
  // As a shell runs it, redirections and pipes included; the exit code is that of the last command.
  Outcome shell(const std::string &line) const {
    const std::string command = "cd '" + folder.path().string() +
                                "' && export A='" ASSAY_PROGRAM "' && bash -c \"" + line + "\" >'" +
                                (folder / "out.txt") + "' 2>'" + (folder / "err.txt") + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out.txt"), read("err.txt")};
  }
};

} // namespace

TEST_F(Streams, ASourceFromTheStandardInput) {
  for (const char *line : {"cat add.metal | $A check -", "$A check - < add.metal",
                           "$A check <(cat add.metal)", "cat add.metal | $A check /dev/stdin"}) {
    const Outcome outcome = shell(std::string(line));
    EXPECT_EQ(outcome.exitCode, 0) << line << outcome.err;
    EXPECT_THAT(outcome.out, testing::HasSubstr("1 entry points, 1 compiled\n")) << line;
  }
  EXPECT_EQ(shell("$A translate - < add.metal | grep -c annotate").exitCode, 0);
}

TEST_F(Streams, AMistakeInTheStandardInputIsPlacedThere) {
  const Outcome outcome = shell("echo 'kernel void k(device int *p) { *p = y; }' | $A check -");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, testing::StartsWith("<stdin>:1:37: error: use of undeclared identifier 'y'\n"));
}

TEST_F(Streams, ARunReadsItsKernelFromAPipe) {
  const Outcome outcome =
      shell("cat add.metal | $A run - --kernel add --grid 4 --threads 4 --buffer 0=f32:1,2,3,4 "
            "--buffer 1=f32:10,20,30,40 --buffer 2=poison:f32[4] --out 2=sum.npy");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_TRUE(exists("sum.npy"));
}

TEST_F(Streams, AFullDeviceIsAnError) {
  const Outcome outcome = shell("$A check add.metal > /dev/full");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(outcome.err,
            "error: cannot write to standard output: No space left on device [unwritable-output]\n");
  EXPECT_EQ(shell("$A translate add.metal > /dev/full").exitCode, 2);
  EXPECT_EQ(shell("$A check add.metal --json > /dev/full").exitCode, 2);
}

TEST_F(Streams, AClosedOutputIsAnErrorAndNoFileIsTakenForIt) {
  const Outcome outcome = shell("$A check add.metal >&-");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(outcome.err, "error: cannot write to standard output: Bad file descriptor [unwritable-output]\n");
  EXPECT_EQ(shell("$A check add.metal >&- 2>&-").exitCode, 2);
  EXPECT_EQ(shell("$A check add.metal").exitCode, 0) << "what was cached meanwhile is whole";
}

TEST_F(Streams, APipeThatNobodyReadsIsAnError) {
  const Outcome outcome =
      shell("set -o pipefail; { sleep 0.2; $A check add.metal || echo refused >&2; } | true");
  EXPECT_THAT(outcome.err, testing::HasSubstr("error: cannot write to standard output: Broken pipe "
                                              "[unwritable-output]\nrefused\n"));
}

} // namespace assay::cli_test
