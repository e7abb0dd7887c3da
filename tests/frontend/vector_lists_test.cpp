// Lists in braces for functions that differ in the elements of a vector. What is called, and what is refused,
// is in tests/language/functions.rows; here are calls of methods, and the messages.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(VectorLists, CoordinatesOfATexture) {
  EXPECT_EQ(messagesOf("kernel void k(texture2d<float, access::read_write> t [[texture(0)]],\n"
                       "              uint2 i [[thread_position_in_grid]]) {\n"
                       "  t.write(t.read({i.x, i.y + 1}), {i.x + 1, i.y});\n}\n"),
            "");
}

TEST(VectorLists, WhatNoFunctionTakesKeepsItsFirstError) {
  const std::string text =
      messagesOf("kernel void k(device float *o, uint n [[thread_position_in_grid]]) {}\n"
                 "static float f(int n) { return length({n, n}); }\n");
  EXPECT_THAT(text, HasSubstr("k.metal:4:32: error: call to 'length' is ambiguous"));
  EXPECT_THAT(text, Not(HasSubstr("__assay")));
}

TEST(VectorLists, WhatATrialDoesNotRepairKeepsItsFirstError) {
  const std::string text =
      messagesOf("static float f(float x) { return length({x, x}); }\n"
                 "static float g(float x, int i) { return length({x, i}) + length({i, i}); }\n");
  EXPECT_THAT(text, Not(HasSubstr("k.metal:3:")));
  EXPECT_THAT(text, HasSubstr("k.metal:4:41: error: call to 'length' is ambiguous"));
  EXPECT_THAT(text, Not(HasSubstr("__assay")));
}

TEST(VectorLists, ListsOfClassesStayAmbiguous) {
  const std::string text = messagesOf("struct A { float x, y; };\nstruct B { float x, y; };\n"
                                      "static int f(A a) { return 1; }\nstatic int f(B b) { return 2; }\n"
                                      "static int g(float x) { return f({x, x}); }\n");
  EXPECT_THAT(text, HasSubstr("k.metal:7:32: error: call to 'f' is ambiguous"));
  EXPECT_THAT(text, Not(HasSubstr("__assay")));
}

} // namespace
