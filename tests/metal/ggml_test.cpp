// scripts/ggml-backend-ops, scripts/ggml-perf and scripts/ggml-model, and the commands of
// docs/ggml-backend-ops.md. What needs a checkout of ggml takes it from ASSAY_GGML_DIR, and is skipped
// without one.
#include "script_test.h"

#include <gmock/gmock.h>

#include <cstdlib>

using testing::HasSubstr;
using testing::Not;

namespace {

class Ggml : public assay::testing_support::ScriptTest {
protected:
  Ggml() : ScriptTest({{"~/ggml", "ASSAY_GGML_DIR"}}) {}
  const char *checkout = std::getenv("ASSAY_GGML_DIR");
};

} // namespace

#define NEEDS_CHECKOUT                                                                                       \
  if (!checkout)                                                                                             \
  GTEST_SKIP() << "set ASSAY_GGML_DIR to a checkout of ggml"

TEST_F(Ggml, MistakesOfTheRequestAreNamed) {
  expectUsage("scripts/ggml-backend-ops",
              "ggml-backend-ops: give the folder of a ggml or llama.cpp checkout");
  expectUsage("scripts/ggml-backend-ops /nowhere", "ggml-backend-ops: no folder '/nowhere'");
  expectUsage("scripts/ggml-backend-ops tests",
              "ggml-backend-ops: '" ASSAY_SOURCE_DIR "/tests' is no checkout of ggml or llama.cpp: it has no "
              "src/ggml-metal/ggml-metal.metal");
  expectUsage("scripts/ggml-backend-ops --timeout soon /nowhere",
              "ggml-backend-ops: --timeout needs seconds, not 'soon'");
  expectUsage("scripts/ggml-backend-ops /nowhere -- -o ADD",
              "ggml-backend-ops: operations are chosen by --ops, not by -o");
  expectUsage("scripts/ggml-backend-ops --fast /nowhere",
              "ggml-backend-ops: unknown option --fast; options of test-backend-ops come after --");
  expectUsage("scripts/ggml-perf", "ggml-perf: give the folder of a ggml or llama.cpp checkout");
  expectUsage("scripts/ggml-perf --rounds none /nowhere", "ggml-perf: --rounds needs a number, not 'none'");
  expectUsage(
      "scripts/ggml-perf --only NO_SUCH /nowhere",
      "ggml-perf: no case matches 'NO_SUCH'; names begin with MUL_MAT FLASH_ATTN_EXT SOFT_MAX RMS_NORM "
      "ROPE ADD");
  expectUsage("scripts/ggml-model", "ggml-model: give the folder of a ggml or llama.cpp checkout");
}

TEST_F(Ggml, ATableHasARowForEachOperation) {
  NEEDS_CHECKOUT;
  const std::string table = folder / "table.md";
  const Outcome outcome =
      run("scripts/ggml-backend-ops --ops ARANGE,ADD1,DIAG_MASK_INF --table '" + table + "' ~/ggml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("ARANGE: 2 OK, 0 failed, 0 not supported"));
  const std::string text = read(table);
  EXPECT_THAT(text, HasSubstr("(Apple M1), kernels from source"));
  EXPECT_THAT(text, HasSubstr("\n| ARANGE | 2 | 0 | 0 | 0 | "));
  EXPECT_THAT(text, HasSubstr("\n| DIAG_MASK_INF | 0 | 0 | 0 | 3 | "));
  EXPECT_THAT(text, HasSubstr("\n| **total** | 2 | 0 | 0 | 3 | "));
  EXPECT_THAT(text, HasSubstr("\nWithout a case: ADD1.\n"));
  EXPECT_THAT(text, Not(HasSubstr("What failed")));
}

// Attention for one query and heads of 192 over values of 128 clears memory after its own:
// docs/ggml-backend-ops.md.
TEST_F(Ggml, AKernelThatCountsOnMoreThanMetalPromisesPassesLeniently) {
  NEEDS_CHECKOUT;
  const std::string cases =
      " --ops FLASH_ATTN_EXT ~/ggml -- -p 'hsk=192,hsv=128,nh=4,nr23=.1,1.,kv=113,nb=1,mask=1,"
      "sinks=0,max_bias=0.0*,logit_softcap=0.0*,prec=f32,type_K=f16,type_V=f16'";
  const Outcome leniently = run("scripts/ggml-backend-ops" + cases);
  EXPECT_EQ(leniently.code, 0) << leniently.err;
  EXPECT_THAT(leniently.out,
              HasSubstr("\nWhat passes leniently only (ASSAY_LOCKSTEP=1 ASSAY_THREADGROUP_SLACK=1024):"));
  EXPECT_THAT(leniently.out,
              testing::ContainsRegex("\\| FLASH_ATTN_EXT \\| 0 \\| [1-9][0-9]* \\| 0 \\| 0 \\|"));
  const Outcome strictly = run("scripts/ggml-backend-ops --strict" + cases);
  EXPECT_EQ(strictly.code, 1) << strictly.err;
  EXPECT_THAT(strictly.out,
              testing::ContainsRegex("\\| FLASH_ATTN_EXT \\| 0 \\| 0 \\| [1-9][0-9]* \\| 0 \\|"));
}

TEST_F(Ggml, WhatGoesWrongHasARowAndAnExitCode) {
  NEEDS_CHECKOUT;
  Outcome outcome = run("ASSAY_NUMERICS=nonsense scripts/ggml-backend-ops --ops ARANGE ~/ggml");
  EXPECT_NE(outcome.code, 0);
  outcome = run("ASSAY_TIMEOUT=1 scripts/ggml-backend-ops --timeout 1 --ops MUL_MAT ~/ggml");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("stopped after 1 s"));
  outcome = run("scripts/ggml-backend-ops --ops NO_SUCH ~/ggml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no operation 'NO_SUCH'"));
}

TEST_F(Ggml, TheTableOfSpeedsHasBothBackEnds) {
  NEEDS_CHECKOUT;
  const Outcome outcome = run("scripts/ggml-perf --only '^(ADD|RMS_NORM)' ~/ggml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string number = "[0-9]+\\.[0-9][0-9]";
  for (const char *name : {"RMS_NORM 4096 x 512", "ADD 4096 x 512, a row to each"})
    EXPECT_THAT(outcome.out, testing::ContainsRegex("\\| " + std::string(name) + " \\| " + number + " \\| " +
                                                    number + " \\| " + number + " \\|"));
}

TEST_F(Ggml, ADeviceIsASetting) {
  NEEDS_CHECKOUT;
  const Outcome outcome = run("scripts/ggml-backend-ops --device m4 --ops ARANGE ~/ggml -- -p type=f32");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("(Apple M4)"));
}

TEST_F(Ggml, KernelsMayComeFromALibraryFile) {
  NEEDS_CHECKOUT;
  const Outcome outcome = run("scripts/ggml-backend-ops --no-embed --ops ARANGE ~/ggml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("kernels from default.metallib"));
  EXPECT_THAT(outcome.out, HasSubstr("\n| ARANGE | 2 | 0 | 0 | "));
}

// All operations take over an hour, and all cases of ggml-perf minutes: a command that names none gets few.
TEST_F(Ggml, TheCommandsOfTheDocumentationWork) {
  NEEDS_CHECKOUT;
  const std::vector<std::string> commands = commandsOf("docs/ggml-backend-ops.md");
  for (std::string line : commands) {
    if (line.starts_with("scripts/ggml-backend-ops") && line.find("--ops") == line.npos)
      line.insert(line.find("~/ggml"), "--ops ARANGE,RELU_SQR ");
    if (line.starts_with("scripts/ggml-perf"))
      line.insert(line.find("~/ggml"), "--only ^ADD ");
    if (const size_t at = line.find("--table "); at != line.npos)
      line.insert(at + 8, folder.path().string() + "/");
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err << outcome.out;
  }
  EXPECT_GE(commands.size(), 3u);
}
