// References to components that must still compile. Their values are in tests/language/vectors.rows.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

TEST(ComponentCopies, CompileWhereverAReferenceIsBound) {
  EXPECT_EQ(messagesOf(
                "float f(const thread float &a, const thread float &b = 1) { return a + b; }\n"
                "constexpr float twice(const thread float &a) { return a + a; }\n"
                "constant constexpr float2 kTwo(2, 3);\nconstant constexpr float kSum = twice(kTwo.y);\n"
                "struct S { float a; S(const thread float &x) : a(x) {} float g(const thread float &x) {\n"
                "  return a + x; } float operator()(const thread float &x) const { return x; } };\n"
                "template <class... T> float all(const thread T &...v) { return (f(v) + ...); }\n"
                "kernel void k(device float4 *p, constant float2x2 &m) {\n"
                "  float4 v = p[0]; packed_float3 q(1, 2, 3); float2x2 n = m;\n"
                "  const thread float &r = v.x, &s = v[1], &t = (v.z), &u = n[0].x, &w = q.y, &z = q[2];\n"
                "  S made(v.w); S other = v.w; auto l = [](const thread float &a) { return a; };\n"
                "  p[0] = r + s + t + u + w + z + f(v.x, v[2]) + f(v.y) + made.g(v.x) + other(v.y) + l(v.z)\n"
                "    + all(v.x, v.y, 1.0f) + kSum + twice(v.x); }\n"),
            "");
}

TEST(ComponentCopies, AreOfReferencesToConstAlone) {
  EXPECT_THAT(messagesOf("void f(thread float &a) { a = 1; }\nvoid g() { float2 v(1);\n  f(v.x); }\n"),
              HasSubstr("k.metal:5:7: error: a reference cannot be bound to a component"));
}

} // namespace
