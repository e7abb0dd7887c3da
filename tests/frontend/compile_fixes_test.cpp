// In which order repairs and trials are made, and what is shown if they repair nothing.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr const char *kOverloads = "static half2 f(device const half2 &v) { return v; }\n"
                                   "static half2 f(thread const half2 &v) { return -v; }\n";

TEST(CompileFixes, ARepairAndATrialInOneProgram) {
  EXPECT_EQ(messagesOf(std::string(kOverloads) + "kernel void k(device half *p, constant bfloat &b) {\n"
                                                 "  *p = half(p[1] + b) + f({1.h, 2.h}).x; }\n"),
            "");
}

TEST(CompileFixes, AMistakeBesideThemIsAllThatIsShown) {
  const std::string text =
      messagesOf(std::string(kOverloads) + "kernel void k(device half *p, constant bfloat &b) {\n"
                                           "  *p = half(p[1] + b) + f({1.h, 2.h}).x + qwzx; }\n");
  EXPECT_THAT(text, HasSubstr("'qwzx'"));
  EXPECT_THAT(text, Not(HasSubstr("invalid operands")));
  EXPECT_THAT(text, Not(HasSubstr("changes address space")));
}

} // namespace
