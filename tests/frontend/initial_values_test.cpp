// Which initialisers leave memory zero.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

TEST(InitialValues, OfThreadgroupMemoryAreZero) {
  const auto said = [](const std::string &declaration) {
    return messagesOf("struct S { int a; float2 b; };\nkernel void k(device float *o) {\n  threadgroup " +
                      declaration + "\n  o[0] = sizeof(x);\n}\n");
  };
  for (const char *zero :
       {"float x[4] = {0};", "S x = {};", "int x = 0;", "float2 x[2][2] = {};", "S x[2] = {{0, 0}};"})
    EXPECT_EQ(said(zero), "") << zero;
  for (const char *other : {"float x[4] = {0, 1};", "S x = {0, 1};", "int x = 3;", "float x = -0.0f;"})
    EXPECT_THAT(said(other), HasSubstr("threadgroup variable 'x' cannot have an initialiser other than zero"))
        << other;
}

} // namespace
