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
        "static_assert((1ul << 65) == 2 && (1 << 33 << 1) == 4, \"\");\n"})
    EXPECT_THAT(messagesOf(text), Not(HasSubstr("error"))) << text;
}

TEST(UndefinedConstants, AMacroKeepsItsText) {
  EXPECT_THAT(messagesOf("#define BIT(n) (1 << n)\nenum { A = BIT(32) };\n"),
              HasSubstr("shift count 32 >= width of type 'int' (32 bits)"));
}

} // namespace
