// Errors about swizzles that are found in the syntax tree.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

TEST(SwizzleErrors, OnceForATemplate) {
  const std::string text = messagesOf("template <typename T> void f(device T &v) { v.xxyy[0] = 1; }\n"
                                      "kernel void k(device float4 &a, device half4 &b) { f(a); f(b); }\n");
  const size_t first = text.find(".xxyy, names an element twice");
  ASSERT_NE(first, text.npos);
  EXPECT_EQ(text.find(".xxyy, names an element twice", first + 1), text.npos);
}

TEST(SwizzleErrors, InAConstexprFunction) {
  for (const char *assignment : {"v.zw[1] = 2", "v.wzyx.xy = 2", "v.hi.hi = 2", "v.zw.y = 2"})
    EXPECT_THAT(messagesOf(std::string("constexpr int f(int4 v) { ") + assignment +
                           "; return v.x; }\nkernel void k(device int4 *p) { p->x = f(*p); }\n"),
                HasSubstr("constexpr function"))
        << assignment;
  EXPECT_EQ(messagesOf("constexpr int f(int4 v) { v.zw = 2; v[1] = v.zw[1]; return v.zw.y; }\n"
                       "kernel void k(device int4 *p) { auto set = [=] { p->zw[1] = 3; };\n"
                       "  set(); p->x = f(*p); }\n"),
            "");
}

} // namespace
