// The module is printed after the pass that was asked for, after each with "all", and else not.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string printedAfter(const std::string &pass) {
  Kernel kernel("define void @k() {\n  ret void\n}");
  kernel.options.printIrAfter = pass;
  testing::internal::CaptureStderr();
  const Result<LoweredKernel> lowered = kernel.lower();
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(lowered);
  return printed;
}

TEST(PrintIr, AfterOnePass) {
  EXPECT_THAT(printedAfter("describe-sites"),
              AllOf(HasSubstr("; after describe-sites\n"), HasSubstr("define"),
                    Not(HasSubstr("; after make-total"))));
}

TEST(PrintIr, AfterEachPass) {
  EXPECT_THAT(printedAfter("all"),
              AllOf(HasSubstr("; after make-total\n"), HasSubstr("; after move-words\n")));
}

TEST(PrintIr, NotUnlessAskedFor) {
  EXPECT_EQ(printedAfter(""), "");
  EXPECT_EQ(printedAfter("no-such-pass"), "");
}

} // namespace
} // namespace assay::lowering::test
