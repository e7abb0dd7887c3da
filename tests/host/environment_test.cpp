#include "host/environment.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace {

using namespace assay;

TEST(Environment, AVariableThatIsNotSetIsEmpty) {
  unsetenv("ASSAY_TEST_OF_THE_ENVIRONMENT");
  EXPECT_EQ(environmentVariable("ASSAY_TEST_OF_THE_ENVIRONMENT"), "");
  setenv("ASSAY_TEST_OF_THE_ENVIRONMENT", "a value", 1);
  EXPECT_EQ(environmentVariable("ASSAY_TEST_OF_THE_ENVIRONMENT"), "a value");
  unsetenv("ASSAY_TEST_OF_THE_ENVIRONMENT");
}

TEST(Environment, OfTheCompilerIsReadOnce) {
  const std::string cpu = environmentCpu();
  setenv("ASSAY_CPU", "x86-64-v2", 1);
  EXPECT_EQ(environmentCpu(), cpu);
  unsetenv("ASSAY_CPU");
}

} // namespace
