// The rules of the source view, one test each: what is rewritten, what is left alone, and the way back.
#include "../support/mangle.h"
#include "frontend/source_view.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <string>

using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string view(std::string_view text) {
  return SourceView(text).text();
}

TEST(SourceView, LeavesPlainCodeAlone) {
  const std::string text = "float f(float x) { int a[3]; return a[1] + x; } // [[buffer(0)]] in a comment\n"
                           "constant char s[] = \"[[buffer(0)]] threadgroup\";\n";
  EXPECT_EQ(view(text), text);
}

TEST(SourceView, KeepsLineDirectivesAndRemembersThem) {
  const std::string source = "a\n#line 7 \"x\\\\y.h\"\nb\nc\n# line 3\nd\n#line N\n";
  const SourceView text(source);
  EXPECT_EQ(text.text(), source);
  using Name = SourceView::LineName;
  EXPECT_EQ(text.nameOf(1), (Name{1, ""}));
  EXPECT_EQ(text.nameOf(3), (Name{7, "x\\y.h"}));
  EXPECT_EQ(text.nameOf(4), (Name{8, "x\\y.h"}));
  EXPECT_EQ(text.nameOf(6), (Name{3, "x\\y.h"}));
}

TEST(SourceView, ATokenOfTheViewIsThatOfTheOriginalOrTheOneItStandsFor) {
  const SourceView text("a + 1.5bf;"); // a + 1.5_bf;
  using Range = std::pair<uint32_t, uint32_t>;
  EXPECT_EQ(text.originalToken(0, 1), Range(0, 1));
  EXPECT_EQ(text.originalToken(4, 10), Range(4, 9));
  EXPECT_EQ(text.originalToken(10, 11), Range(9, 10));
  EXPECT_EQ(text.originalToken(4, 7), std::nullopt);
  EXPECT_EQ(text.originalToken(5, 10), std::nullopt);
}

TEST(SourceView, AMacrosFunctionConstantMayHaveANameThatItPutsTogether) {
  EXPECT_THAT(
      view("#define C(a, i) T c_##a##_x [[function_constant(i)]];\n"),
      HasSubstr("T c_##a##_x##__assay_type = {}; static decltype(c_##a##_x##__assay_type) c_##a##_x "));
}

TEST(SourceView, AMembersAddressSpaceStandsAfterConstAndNoexcept) {
  EXPECT_THAT(view("struct S { int f() const device noexcept { return 1; } };"),
              HasSubstr("int f() const  noexcept __attribute__((annotate(\"assay.method.device\")))"));
  EXPECT_THAT(view("struct S { int f() thread noexcept(true) { return 1; } };"),
              HasSubstr("int f()  noexcept(true) __attribute__((annotate(\"assay.method.thread\")))"));
  EXPECT_THAT(view("struct S { int f() device const; };"),
              HasSubstr("int f()  const __attribute__((annotate(\"assay.method.device\")))"));
}

TEST(SourceView, AMembersAddressSpaceStandsBeforeAutoIfItsResultTrails) {
  const std::string attribute =
      "__attribute__((annotate(\"assay.method.device\")))__attribute__((enable_if(true, \"\")))"
      "__attribute__((enable_if(true, \"\")))__attribute__((enable_if(true, \"\")))"
      "__attribute__((enable_if(true, \"\")))__attribute__((assay_method_space)) ";
  EXPECT_EQ(view("struct S { auto f(int (&a)[2]) const device -> int { return 1; } };"),
            "struct S { " + attribute + "auto f(int (&a)[2]) const  -> int { return 1; } };");
  EXPECT_EQ(view("struct S { inline auto operator()(int a) device const noexcept -> int; };"),
            "struct S { inline " + attribute + "auto operator()(int a)  const noexcept -> int; };");
  EXPECT_EQ(view("struct S { auto operator[](int a) device noexcept(f(1)) -> device int &; };"),
            "struct S { " + attribute + "auto operator[](int a)  noexcept(f(1)) -> device int &; };");
  EXPECT_EQ(view("#define F(n) auto n() device -> int { \\\n return 1; }\n"),
            "#define F(n) " + attribute + "auto n()  -> int { \\\n return 1; }\n");
  for (const char *noAuto : {") device -> int;", "auto a; f() device -> int;", "device -> int"})
    EXPECT_THAT(view(noAuto), Not(HasSubstr(")) auto")));
}

TEST(SourceView, MakesAnnotationsOfAttributes) {
  EXPECT_EQ(view("void f(device T* p [[buffer(N + 1)]]);"),
            "void f(device T* p __attribute__((annotate(\"assay.buffer\", __builtin_constant_p(N + 1)))));");
  EXPECT_EQ(view("uint i[[thread_position_in_grid]]"),
            "uint i __attribute__((annotate(\"assay.builtin.thread_position_in_grid\")))");
}

TEST(SourceView, KeepsAttributesThatAreNotMetals) {
  EXPECT_EQ(view("[[maybe_unused]] int a;"), "[[maybe_unused]] int a;");
  EXPECT_THAT(view("void f(uint i [[maybe_unused, buffer(1)]]);"),
              HasSubstr("[[maybe_unused]] __attribute__"));
  EXPECT_EQ(view("[[clang::always_inline]] void f();"), "[[clang::always_inline]] void f();");
}

TEST(SourceView, KeepsSubscriptsOfSubscripts) {
  EXPECT_EQ(view("x = a[ [&]{ return 1; }() ];"), "x = a[ [&]{ return 1; }() ];");
}

TEST(SourceView, FunctionConstantIsAnInitialiserOnAVariableAndAConditionOnAParameter) {
  EXPECT_THAT(view("constant bool b [[function_constant(3)]];"),
              HasSubstr("= __assay_function_constant_init(3);"));
  const std::string parameter = view("kernel void f(device float* p [[buffer(1), function_constant(b)]]);");
  EXPECT_THAT(parameter, HasSubstr("annotate(\"assay.condition\", &(b))"));
  EXPECT_THAT(parameter, Not(HasSubstr("init")));
}

TEST(SourceView, ThreadgroupVariableIsAnObjectAndPointerIsNot) {
  EXPECT_EQ(view("void f() { threadgroup float x[N]; }"),
            "void f() { __assay_threadgroup_object float x[N]; }");
  EXPECT_EQ(view("void f() { threadgroup metal::array<float, 4> x; }"),
            "void f() { __assay_threadgroup_object metal::array<float, 4> x; }");
  EXPECT_EQ(view("void f() { if (a) { threadgroup T x[4][5]; } }"),
            "void f() { if (a) { __assay_threadgroup_object T x[4][5]; } }");
  for (const char *same : {
           "void f() { threadgroup float *p = q; }",
           "void f() { threadgroup auto &r = q[0]; }",
           "void f() { threadgroup T (&r)[4] = q; }",
           "void f(threadgroup float *p, float s[4]);",
           "void f() { g((threadgroup float *)p); }",
           "struct S { threadgroup T *dst; const device T *src; };",
           "template <typename T> struct P<threadgroup T *> { };",
           "threadgroup float *f();",
       })
    EXPECT_EQ(view(same), same);
}

TEST(SourceView, EditsTheBodiesOfMacros) {
  EXPECT_EQ(view("#define DECLARE(T, n) threadgroup T buffer[n]\n"),
            "#define DECLARE(T, n) __assay_threadgroup_object T buffer[n]\n");
  EXPECT_THAT(view("#define K(name) template [[host_name(name)]] [[kernel]] decltype(f<1>) f<1>;\n"),
              HasSubstr("template __attribute__((annotate(\"assay.host_name\", name)))"));
}

TEST(SourceView, KeepsLinesWhenAnAttributeSpansThem) {
  EXPECT_EQ(view("a [[buffer(\n1)]] b"),
            "a __attribute__((annotate(\"assay.buffer\", __builtin_constant_p(1))))\n b");
  EXPECT_EQ(view("#define A [[buffer( \\\n1)]]\nint x;"),
            "#define A __attribute__((annotate(\"assay.buffer\", __builtin_constant_p(1))))\\\n\nint x;");
}

TEST(SourceView, TrailingQualifiersGoAndKeepOverloadsApart) {
  const std::string text =
      view("struct S { operator T() const thread { return a; } operator T() const device { return a; } "
           "S(T x) threadgroup : a(x) {} S() constant = default; };");
  EXPECT_THAT(text, HasSubstr("operator T() const __attribute__((annotate(\"assay.method.thread\")))"));
  EXPECT_THAT(text, HasSubstr("operator T() const __attribute__((annotate(\"assay.method.device\")))"));
  EXPECT_THAT(text, HasSubstr("S(T x) __attribute__((annotate(\"assay.method.threadgroup\")))"));
  EXPECT_THAT(text, HasSubstr("S() __attribute__((annotate(\"assay.method.constant\")))"));
  EXPECT_THAT(text, Not(HasSubstr(" threadgroup")));
  EXPECT_THAT(text, Not(HasSubstr(" constant")));
}

TEST(SourceView, TheEndOfAMacrosBodyIsNoFunctionBeforeASpace) {
  for (const char *text : {"#define S(s) f(s)\nconstant const int k = 6;\n",
                           "#define S(s) f(s) const\nconstant const int k = 6;\n"})
    EXPECT_EQ(view(text), text);
}

TEST(SourceView, ConstantInAFunctionGetsStorage) {
  EXPECT_EQ(view("void f() { constexpr constant float t[2] = {1, 2}; }"),
            "void f() { constexpr static constant float t[2] = {1, 2}; }");
  EXPECT_EQ(view("void f() { static constant float t[2] = {1, 2}; constant float *p = t; }"),
            "void f() { static constant float t[2] = {1, 2}; constant float *p = t; }");
  EXPECT_EQ(view("constant float x = 1;"), "constant float x = 1;");
}

TEST(SourceView, LiteralSuffixesThatClangLacksGetAnUnderscore) {
  EXPECT_EQ(view("a = 1.0bf + 2.BF + .5H + 0x1p-3bf;"), "a = 1.0_bf + 2._BF + .5_H + 0x1p-3_bf;");
  EXPECT_EQ(view("a = 0xBF + 0xbf + 1.0h + 1.0f + 3u + 'H';"), "a = 0xBF + 0xbf + 1.0h + 1.0f + 3u + 'H';");
}

TEST(SourceView, ContractPragmaIsClangs) {
  EXPECT_EQ(view("#pragma METAL fp contract(off)\n"), "#pragma clang fp contract(off)\n");
  EXPECT_EQ(view("#pragma METAL internals : enable\n"), "#pragma METAL internals : enable\n");
}

TEST(SourceView, MapsColumnsBackToTheUsersText) {
  const std::string original = "f(int a [[buffer(0)]], int b [[buffer(1)]], int c);\nint d;\n";
  const SourceView v(original);
  const std::string &text = v.text();
  const auto columnOf = [](const std::string &in, const char *what) { return uint32_t(in.find(what) + 1); };
  for (const char *word : {"int a", "int b", "int c"})
    EXPECT_EQ(v.originalColumn(1, columnOf(text, word)), columnOf(original, word)) << word;
  EXPECT_EQ(v.originalColumn(1, columnOf(text, "annotate")), columnOf(original, "[["));
  EXPECT_EQ(v.originalColumn(2, 5), 5u);
  EXPECT_EQ(v.originalLine(2), "int d;");
  EXPECT_EQ(v.originalLine(9), "");
}

TEST(SourceView, AnArrayParameterInAnAddressSpaceIsThePointerThatItIs) {
  EXPECT_EQ(view("void f(constant const int x[2], threadgroup T s[N][4]);"),
            "void f(constant const int  *x, threadgroup T  (*s)[4]);");
  EXPECT_EQ(view("void f(device vec<T, 2> x[2] [[buffer(1)]]);").substr(0, 27),
            "void f(device vec<T, 2>  *x");
  EXPECT_EQ(view("void f(threadgroup T (&s)[4]);"), "void f(threadgroup T (&s)[4]);");
}

TEST(SourceView, AnArrayParameterNeedsNoName) {
  EXPECT_EQ(view("void f(threadgroup T[N][4], const device float[2]);"),
            "void f(threadgroup T (*)[4], const device float *);");
  EXPECT_EQ(view("void f(constant unsigned int[2], device vec<T, 2>[3][4], constant m::T[2]);"),
            "void f(constant unsigned int *, device vec<T, 2> (*)[4], constant m::T *);");
  EXPECT_EQ(view("void f(T threadgroup s[4]);"), "void f(T threadgroup  *s);");
  EXPECT_EQ(view("void f(function<void(device float[2])> g);"), "void f(function<void(device float *)> g);");
  for (const char *text :
       {"int n = sizeof(threadgroup float[4]);", "int n = f(Size<int, device float[4]>::n);"})
    EXPECT_EQ(view(text), text) << "no parameter";
}

TEST(SourceView, AFunctionConstantMayBeConstexprByMacro) {
  EXPECT_EQ(
      view("CONST bool b [[function_constant(3)]];"),
      "CONST bool b__assay_type = {}; static decltype(b__assay_type) b "
      "__attribute__((annotate(\"assay.function_constant\", 3), used)) = __assay_function_constant_init(3);");
}

TEST(SourceView, AMacroWithoutAnEndOfItsParametersHasNoBody) {
  const std::string text = "float a = 1.0h;\n#define f(x";
  EXPECT_EQ(view(text), text);
  EXPECT_EQ(view("float a = 1.0H;\n#define f(x"), "float a = 1.0_H;\n#define f(x");
}

TEST(SourceView, ADirectivesBracketsAreClosedInIt) {
  EXPECT_EQ(view("#define A [[buffer(0)\n]] x"), "#define A [[buffer(0)\n]] x");
}

TEST(SourceView, WordsOfAVectorsNameAreReplacedOnce) {
  EXPECT_EQ(view("typedef double d __attribute__((ext_vector_type(2)));"),
            "typedef metal::vec<__assay_double, (2)> d ;");
  EXPECT_EQ(view("typedef float double __attribute__((ext_vector_type(2)));"),
            "typedef metal::vec<float, (2)> __assay_double ;");
}

TEST(SourceView, ALongDoubleIsADouble) {
  EXPECT_EQ(view("long double d;"), " __assay_double d;");
}

TEST(SourceView, AMacroMayGiveDoubleAMeaning) {
  EXPECT_EQ(view("#define double float\ndouble d;"), "#define __assay_double float\n__assay_double d;");
  EXPECT_EQ(view("#ifdef double\n#undef double\n#endif"),
            "#ifdef __assay_double\n#undef __assay_double\n#endif");
}

TEST(SourceView, EveryLineEndOfClangSplices) {
  EXPECT_EQ(view("uint i [[buf\\\r\nfer(0)]],"),
            "uint i __attribute__((annotate(\"assay.buffer\", __builtin_constant_p(0))))\n,");
  EXPECT_EQ(view("uint i [[id(R\"(\n)\")]];"), "uint i __attribute__((annotate(\"assay.id\", R\"(\n)\")));");
}

// Whatever the input, edits are sorted, disjoint, inside the text, and keep its lines.
// What mends an operand ends before a probe that is the operand after it, and begins after one that is a
// statement.
TEST(SourceView, PutsProbesAroundInsertionsAtOnePlace) {
  EXPECT_EQ(SourceView("x = c;", {}, {{5, 0, ")"}}, {{5, 0, ", p()"}}).text(), "x = c), p();");
  EXPECT_EQ(SourceView("x = c;", {}, {{0, 0, "("}}, {{0, 0, "p(); "}}).text(), "p(); (x = c;");
}

TEST(SourceView, HoldsItsPromisesOnMangledInput) {
  const std::string seed =
      "#define A(x) [[buffer(x)]] threadgroup float b[2]; \\\n [[kernel]]\n"
      "template [[host_name(\"a\")]] kernel void f(device T* p [[buffer(0)]], constant U& u) {\n"
      "  threadgroup T x[4]; constant float y = 1; /* ( */ g<(1>2)>(R\"(]])\"); }\n"
      "struct S { S() device = default; };\n#pragma METAL fp contract(off)\n"
      "typedef float v __attribute__((ext_vector_type(4), aligned(8))), *p, w;\n"
      "#define V(T) typedef T __attribute__((ext_vector_type(2))) T##2\n"
      "using u __attribute__((ext_vector_type(1 + 1))) = half;\n";
  std::mt19937 random(20);
  const std::string alphabet = "[](){}<>;,:=*&#\"'\\\n abthreadgroup";
  for (int round = 0; round < 4000; ++round) {
    const std::string text = assay::testing_support::mangle(seed, alphabet, random);
    const SourceView v(text);
    size_t end = 0;
    for (const Edit &edit : v.edits()) {
      ASSERT_GE(edit.offset, end) << text;
      end = edit.offset + edit.length;
    }
    ASSERT_LE(end, text.size()) << text;
    ASSERT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(v.text().begin(), v.text().end(), '\n'))
        << text;
  }
}

} // namespace
