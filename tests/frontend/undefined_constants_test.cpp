// Constant shift counts outside the width: what is accepted, and what is refused. Values of these and other
// operations: language/operators.rows.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(UndefinedConstants, AConstantThatTheLanguageAsksForIsComputed) {
  for (const char *text :
       {"enum { A = 1 << 32 };\n", "enum E : uint { A = 1u << (40) , B = A };\n",
        "enum { A = 3 >> 2 * 16 + 1, B = (1 << -1) == 1 };\n", "constexpr constant int a[] = {1 << 33, 2};\n",
        "template <int N> struct S { enum { A = N << 33 }; };\nconstant int a = S<1>::A;\n",
        "constexpr int f(int n) { n <<= 33, n >>= 32; return n; }\nstatic_assert(f(3) == 6, \"\");\n",
        "constant int a[1 << 33] = {1, 2};\nstruct S { int a[1 << 32 + 1]; };\nusing T = S[1 << 33];\n"
        "static_assert(sizeof(T) == 16 && sizeof(int[1ul << 65]) == 8, \"\");\n",
        "template <int N> int f() { int a[N << 33]; return sizeof(a); }\nint g() { return f<1>(); }\n",
        "#define LENGTH (1 << 33)\nkernel void k(device int *o) {\n"
        "  threadgroup int a[LENGTH];\n  int b[2][1 << 33];\n  a[0] = b[1][0] = 1;\n"
        "  static_assert(sizeof(a) + sizeof(b) == 24, \"\");\n}\n",
        "static_assert((1ul << 65) == 2 && (1 << 33 << 1) == 4, \"\");\n"})
    EXPECT_THAT(messagesOf(text), Not(HasSubstr("error"))) << text;
}

TEST(UndefinedConstants, ArgumentsOfFunctionTemplatesAreComputed) {
  EXPECT_EQ(messagesOf("template <int N> constexpr int f() { return N; }\n"
                       "struct S { template <long N, int M> static constexpr long g() { return N + M; } };\n"
                       "static_assert(f<(1 << 33)>() == 2 && f<2 << 33>() + 1 == 5, \"\");\n"
                       "static_assert(S::g<(1l << 65) + 1, (16 >> 33)>() == 11, \"\");\n"
                       "static_assert(f<f<(3 << 32)>() << 1>() == 6, \"\");\n"),
            "");
  EXPECT_EQ(messagesOf("struct S { template <int N> int f() { return N; } };\n"
                       "int g(S s, thread S *p) { return s.f<(1 << 33)>() + p->template f<1 << 34>(); }\n"),
            "");
  // A call that fits no function for another reason keeps its message.
  EXPECT_THAT(messagesOf("template <int N> int f(float) { return N; }\n"
                         "int g(device int *p) { return f<(1 << 3)>(p); }\n"),
              HasSubstr("k.metal:4:31: error: no matching function for call to 'f'\n"
                        "  int g(device int *p) { return f<(1 << 3)>(p); }\n"));
}

TEST(UndefinedConstants, ALengthThatIsNotKnownIsRefused) {
  EXPECT_EQ(messagesOf("void f(int n) {\n  int a[n << 33];\n  a[0] = 1;\n}\n"),
            "k.metal:4:7: error: array 'a' must have a size that is known when it is compiled: Metal has no "
            "variable-length arrays\n    int a[n << 33];\n        ^\n");
}

TEST(UndefinedConstants, AMacroServesValuesOfEveryWidth) {
  EXPECT_EQ(messagesOf("#define BIT(n) (1 << n)\n#define LONG(v, n) v << (n) + 1\n"
                       "enum { A = BIT(32), B = BIT(3), C = LONG(1l, 32), D = LONG(1, 32) };\n"
                       "static_assert(A == 1 && B == 8 && C == 1l << 33 && D == 2, \"\");\n"
                       "static_assert(is_same_v<decltype(LONG(1ul, 1)), ulong>, \"\");\n"
                       "kernel void k(device int *o) { o[0] = BIT(o[1]) + int(LONG(char(1), 2)); }\n"),
            "");
}

} // namespace
