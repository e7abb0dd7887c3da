// Swizzles that the arguments of a class template are deduced from.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

constexpr const char *kClasses =
    "template <class T> struct P { T a; P(T x) : a(x) {} };\n"
    "template <class T, class U> struct Two { T a; U b; Two(T x, U y) : a(x), b(y) {} };\n"
    "struct H { float4 v; float4 f(int) const { return v; } float4 w[2]; };\n";

std::string inKernel(const std::string &text) {
  return kClasses +
         ("kernel void k(device float *o, device float4 *b) {\n  float4 v = b[0]; H h = {v, {v, v}};\n  " +
          text + " }\n");
}

TEST(DeducedClassFixes, ReadSwizzlesAmongTheArguments) {
  for (const char *text : {"P p(v.xy); static_assert(is_same_v<decltype(p), P<float2>>); o[0] = p.a.x;",
                           "P p{v.xyz}; o[0] = p.a.z;", "P p = P(v.zw); o[0] = p.a.y;",
                           "P p = {v.xy}; o[0] = p.a.x;", "o[0] = P(b[1].xy).a.x;",
                           "Two t(v.xy, v.w); o[0] = t.a.x + t.b;", "Two t(v.x, (v + v).yx); o[0] = t.b.x;",
                           "Two t{h.f(1).xy, h.w[1].zyx}; static_assert(is_same_v<decltype(t), Two<float2, "
                           "float3>>); o[0] = t.b.z;",
                           "Two t(v.lo, v.xy + v.zw); o[0] = t.a.x + t.b.y;"})
    EXPECT_EQ(messagesOf(inKernel(text)), "") << text;
}

TEST(DeducedClassFixes, ReadThemInTemplates) {
  EXPECT_EQ(messagesOf(std::string(kClasses) + "template <class V> auto f(V v) { P p(v.xy); return p.a; }\n"
                                               "kernel void k(device float *o) { o[0] = f(float4(1)).x; }\n"),
            "");
}

TEST(DeducedClassFixes, LeaveOtherMistakes) {
  EXPECT_THAT(messagesOf(inKernel("P p(v.xy, v.zw);")), HasSubstr("no viable constructor"));
  EXPECT_THAT(messagesOf(inKernel("P p(v.xq);")), HasSubstr("no member named 'xq'"));
}

} // namespace
