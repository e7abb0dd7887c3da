#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;

namespace {

constexpr const char *kCasts =
    "int f(int *p, const void *q) {\n"
    "  return *static_cast<device int *>(p + (1, 2)) + *static_cast<const threadgroup int *>(q);\n}\n";

TEST(GenericCasts, LeadToEachMemoryFromMetal41On) {
  EXPECT_EQ(messagesOf(kCasts, LanguageVersion::Metal4_1), "");
  EXPECT_EQ(messagesOf("int f(array<vec<int, 2>, (1 > 0)> *p) {\n"
                       "  return (*static_cast<device array<vec<int, 2>, (1 > 0)> *>(p))[0].y;\n}\n",
                       LanguageVersion::Metal4_1),
            "");
  EXPECT_THAT(messagesOf("struct A {};\nstruct B {};\nB *f(A *p) {\n  return static_cast<B *>(p); }\n",
                         LanguageVersion::Metal4_1),
              testing::HasSubstr("k.metal:6:10: error: static_cast from 'A *' to 'B *', which are not"));
  EXPECT_THAT(messagesOf(kCasts, LanguageVersion::Metal4_0),
              testing::HasSubstr("static_cast from 'int *' to 'device int *' is not allowed"));
  EXPECT_THAT(
      messagesOf("float *f(int *p) {\n  return static_cast<float *>(p);\n}\n", LanguageVersion::Metal4_1),
      testing::HasSubstr("k.metal:4:10: error: static_cast from 'int *' to 'float *' is not allowed"));
}

} // namespace
