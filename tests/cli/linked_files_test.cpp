// Several files on the command line, which are linked as one library.
#include "program.h"

namespace assay::cli_test {
namespace {

using testing::HasSubstr;

class LinkedFiles : public Program {
protected:
  LinkedFiles() {
    write("a.metal", "float f(float);\nconstant int n [[function_constant(0)]];\n"
                     "kernel void a(device float *x [[buffer(0)]]) { x[0] = f(n); }\n");
    write("b.metal", "float f(float x) { return x + 0.5f; }\nconstant bool m [[function_constant(0)]];\n"
                     "kernel void b(device float *x [[buffer(0)]]) { x[0] = m ? 1 : f(1); }\n");
  }
  static constexpr const char *kRun = " --grid 1 --threads 1 --buffer 0=zeros:f32[1] --constant 0=";
};

} // namespace

TEST_F(LinkedFiles, AreCheckedTogether) {
  const Outcome outcome = assay("check a.metal b.metal --pipelines");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("constant 0  n  int             function constant"));
  EXPECT_THAT(outcome.out, HasSubstr("constant 0  m  bool            function constant"));
  EXPECT_THAT(outcome.out, HasSubstr("2 entry points, 2 compiled"));
  EXPECT_THAT(complaint("check a.metal b.metal b.metal"),
              HasSubstr("b.metal:3:13: error: a second kernel function 'b' [duplicate-symbol]"));
  EXPECT_EQ(complaint("check a.metal b.metal --constant 0=1"),
            "2 error: --constant 0: the files have two, n (0) and m (0) [bad-option]\n"
            "  name the one that is meant, or check the files one by one\n");
}

TEST_F(LinkedFiles, RunWithTheConstantsOfTheKernel) {
  const Outcome a = assay(std::string("run a.metal b.metal --kernel a") + kRun + "7");
  EXPECT_EQ(a.exitCode, 0) << a.err;
  EXPECT_THAT(a.out, HasSubstr("kernel    a (a.metal, b.metal)\n"));
  EXPECT_THAT(a.out, HasSubstr("constants n (0) = 7\n"));
  EXPECT_THAT(a.out, HasSubstr("\n          7.5\n"));
  const Outcome b = assay(std::string("run a.metal b.metal --kernel b") + kRun + "true");
  EXPECT_EQ(b.exitCode, 0) << b.err;
  EXPECT_THAT(b.out, HasSubstr("constants m (0) = true\n"));
  EXPECT_THAT(b.out, HasSubstr("\n          1\n"));
  EXPECT_EQ(assay(std::string("verify b.metal a.metal --kernel b") + kRun + "false").exitCode, 0);
  EXPECT_THAT(assay(std::string("run a.metal --kernel a") + kRun + "7").err,
              HasSubstr("a.metal:3:55: error: f is declared, and defined nowhere"));
}

} // namespace assay::cli_test
