// Which statements a source has, and what a probe shows of each.
#include "frontend/statements.h"

#include "tests/support/mangle.h"

#include <gmock/gmock.h>

#include <random>

namespace assay::frontend {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "line: value" of those that make a value; a declaration's value has a '+' after it. Of what goes through a
// probe the text that does.
std::vector<std::string> values(std::string_view text) {
  std::vector<std::string> all;
  for (const SourceStatement &one : statementsOf(text))
    if (one.kind == ValueKind::Made)
      all.push_back(std::to_string(one.line) + ": " + one.value + (one.form == ValueForm::After ? " +" : "") +
                    (one.form == ValueForm::Through
                         ? " = " + std::string(text.substr(one.valueBegin, one.valueEnd - one.valueBegin))
                         : ""));
  return all;
}
// "line: text" of conditions or results.
std::vector<std::string> through(std::string_view text, ValueKind kind) {
  std::vector<std::string> all;
  for (const SourceStatement &one : statementsOf(text))
    if (one.kind == kind) {
      EXPECT_EQ(one.form, ValueForm::Through);
      all.push_back(std::to_string(one.line) + ": " +
                    std::string(text.substr(one.valueBegin, one.valueEnd - one.valueBegin)));
    }
  return all;
}
std::vector<std::string> conditions(const std::string &body) {
  return through("void f() {\n" + body + "\n}\n", ValueKind::Condition);
}
// In the body of a function.
std::vector<std::string> inBody(const std::string &body) {
  return values("void f() {\n" + body + "\n}\n");
}

TEST(Statements, HaveTheValueThatTheyMake) {
  EXPECT_THAT(inBody("x = 1;\ny[i] += 2 * x;\n++n;\nn--;\np->a.b <<= 2;\n(*p).c = 3;\n*q = 4;"),
              ElementsAre("2: x", "3: y [ i ]", "4: n", "5: n", "6: p -> a . b", "7: ( * p ) . c", "8: * q"));
}

TEST(Statements, KnowDeclarations) {
  EXPECT_THAT(inBody("float x = 1;\nconst uint i = a * b;\nvec<float, 4> v = f(x, y);\nauto &r = x;\n"
                     "device float *p = q + 1;\nfloat4 w(0.0f);\nint n{3};\nmetal::float2 u = v.xy;"),
              ElementsAre("2: x +", "3: i +", "4: v +", "5: r +", "6: p +", "7: w +", "8: n +", "9: u +"));
}

// A probe that read these again would do more than read.
TEST(Statements, ThatActAgainHaveNoValue) {
  EXPECT_THAT(
      inBody("*out++ = x;\nf(x)[0] = 1;\na[i++] = 2;\na[i] = i = 3;\na[n] = b[n++];\n(x ? a : b) = 4;"),
      IsEmpty());
  EXPECT_THAT(inBody("x = a[i++];"), ElementsAre("2: x")); // x alone is read again
}

TEST(Statements, WithoutValuesAreStatementsAsWell) {
  const std::vector<SourceStatement> all = statementsOf(
      "void f() { return g(); float x; float a[2] = {1, 2}; h(x); for (T y : z) { } using T = int; }");
  EXPECT_EQ(all.size(), 6u);
  for (const SourceStatement &one : all)
    EXPECT_EQ(one.value, "") << one.tokens.front();
}

TEST(Statements, AreFoundInControlWithAndWithoutBraces) {
  EXPECT_THAT(
      inBody("for (uint i = 0; i < n; ++i)\n  s += x[i];\nif (a)\n  b = 1;\nelse if (c)\n  d = 2;\nelse {\n"
             "  e = 3;\n}\nwhile (g) h = 4;\ndo k = 5; while (l);\nswitch (m) {\ncase A::b ? 1 : 2: o = 6;\n"
             "default: p = 7;\n}\nUNROLL for (;;) q = 8;\n[[unroll]] for (;;) { r = 9; }"),
      ElementsAre("2: i = 0", "2: i", "3: s", "5: b", "7: d", "9: e", "11: h", "12: k", "14: o", "15: p",
                  "17: q", "18: r"));
}

TEST(Statements, HaveTheValueOfTheirCondition) {
  EXPECT_THAT(
      conditions("if (a < (b)) c = 1; else if (!d) ;\nwhile (e && f(g))\n  h();\ndo k(); while (l = m());\n"
                 "switch (n) { case 1: ; }\nif (x = 1; y > z) ;\nfor (; i < n;) ;"),
      ElementsAre("2: a < (b)", "2: !d", "3: e && f(g)", "5: l = m()", "6: n", "7: y > z", "8: i < n"));
  // One comes before compilation; these are declarations; there is none.
  EXPECT_THAT(
      conditions("if constexpr (a) ;\nif (int b = c) ;\nwhile (T *d = e()) ;\nfor (;;) ;\nfor (T x : y) ;"),
      IsEmpty());
  // Both ends of a probe stand in the same branch.
  EXPECT_THAT(conditions("if (a\n#if X\n    && b\n#endif\n) ;\nif (c) ;"), ElementsAre("7: c"));
}

TEST(Statements, HaveTheValuesOfALoopsHeader) {
  EXPECT_THAT(inBody("for (uint i = n / 2; i < n; i += 32) ;\nfor (i = f(); ; ++p, j -= 2, g()) ;\n"
                     "for (auto p = q + 1; p != r; p++) ;\nfor (thread T &t = u; ; t = v) ;\n"
                     "for (int a = 0, b = 1; a < b; ) ;\nfor (int c(1); ; ) ;\nfor (T d = {}; ; ) ;"),
              ElementsAre("2: i = n / 2", "2: i", "3: i", "3: p", "3: j", "4: p = q + 1", "4: p", "5: t"));
}

TEST(Statements, HaveTheirResult) {
  const auto results = [](std::string_view text) { return through(text, ValueKind::Result); };
  EXPECT_THAT(
      results("float f() { if (a) return b + c; return d; }\nS g() { return {1, 2}; return S{3}; }\n"
              "template <typename T, bool A = B && C> T h(thread T &x) { return x; }\n"
              "struct V { bool operator==(V o) const { return e; } };\nauto k() -> int { return 4; }"),
      ElementsAre("1: b + c", "1: d", "2: S{3}", "3: x", "4: e", "5: 4"));
  // A reference to a copy would be another program.
  EXPECT_THAT(
      results("kernel void f() { return; }\nthread T &g() { return a; }\nauto h() -> T & { return a; }\n"
              "decltype(auto) k() { return (a); }\nconstexpr int l() { return 1; }"),
      IsEmpty());
  // What another function returns after one that returns a reference.
  EXPECT_THAT(results("thread T &g() { return a; } float f() { return b; }"), ElementsAre("1: b"));
}

TEST(Statements, OfControlEndWithTheirHeader) {
  const std::string_view text = "void f() { if (a < (b)) c = 1; }";
  const std::vector<SourceStatement> all = statementsOf(text);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(text.substr(all[0].begin, all[0].end - all[0].begin), "if (a < (b))");
  EXPECT_EQ(text.substr(all[1].begin, all[1].end - all[1].begin), "c = 1");
  EXPECT_EQ(text.substr(all[1].end, all[1].after - all[1].end), ";");
}

// What stands in braces and is no function's body.
TEST(Statements, AreThoseOfFunctions) {
  EXPECT_THAT(values("struct S { float x = 1; void f() { x = 2; } S(int a) : x{3}, y(4) { x = 5; } };\n"
                     "enum E { a = 1 };\nconstant float t[2] = {6, 7};\nnamespace n { void g() { y = 8; } }\n"
                     "template <typename T, int N = (3 > 2)> struct alignas(16) V { T z = 9; };\n"
                     "constexpr int h() { int u = 10; return u; }\n"
                     "kernel void k(device float *o [[buffer(0)]]) { o[0] = 11; }\n"
                     "bool operator==(S a, S b) { v = 12; }"),
              ElementsAre("1: x", "1: x", "4: y", "7: o [ 0 ]", "8: v"));
}

TEST(Statements, AreNotThoseOfDirectives) {
  EXPECT_THAT(inBody("#define SET(x) x = 1;\n#if A\n  x = 2;\n#else\n  x = 3;\n#endif"),
              ElementsAre("4: x", "6: x"));
}

TEST(Statements, SurviveWhatIsNoSource) {
  for (const char *text :
       {"", "}", "{", "void f() {", "void f() { x = ", "void f() { x = 1 }", "f(((", "void f() {;;}}}",
        "void f() { case : default }", "void f() { if for ( }", "template <", "= ; = {"})
    statementsOf(text);
  std::string deep = "void f() ";
  for (int i = 0; i < 100000; ++i)
    deep += "{ if (a) ";
  statementsOf(deep);
  EXPECT_THAT(values("int a; } void f() { x = 1; }"), ElementsAre("1: x"));
}

TEST(Statements, AreInTheTextWhateverItIs) {
  const std::string seed =
      "template <int N = (1 > 2)> struct S { S() : a{1} {} void f() { a = 2, b += 3; } };\n"
      "kernel void k(device float *p [[buffer(0)]]) {\n  for (uint i = 0; i < 4; ++i)\n"
      "    p[i] *= 2;\n  if (x) { float4 y(1); } else do --z; while (w);\n"
      "  switch (v) { case 1: u = 1 ? 2 : 3; default: break; }\n}\nint g() { return h ? 1 : 2; }\n";
  std::mt19937 random(5);
  size_t valued = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::string text = testing_support::mangle(seed, "[](){}<>;,:=*&#\"'\\\n +-abfor", random);
    uint32_t begin = 0;
    for (const SourceStatement &one : statementsOf(text)) {
      ASSERT_LE(begin, one.begin) << text;
      begin = one.begin;
      ASSERT_TRUE(one.begin < one.end && one.end <= one.after && one.after <= text.size()) << text;
      ASSERT_EQ(one.line, 1 + std::count(text.begin(), text.begin() + one.begin, '\n')) << text;
      if (one.form == ValueForm::Through)
        ASSERT_TRUE(one.begin <= one.valueBegin && one.valueBegin < one.valueEnd && one.valueEnd <= one.end)
            << text;
      ASSERT_EQ(one.value.empty(), one.kind == ValueKind::None) << text;
      valued += !one.value.empty();
    }
  }
  EXPECT_GT(valued, 4000u);
}

} // namespace
} // namespace assay::frontend
