// Rules that only an instantiation of a template breaks: one error at the template's line, one note where the
// instantiation was asked for.
#include "frontend/compile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>
#include <vector>

using namespace assay;
using testing::HasSubstr;

namespace {

Result<frontend::CompiledModule> compileText(const std::string &text) {
  frontend::SourceRequest request;
  request.path = "test.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + text;
  return frontend::compile(request);
}

struct Refused {
  const char *name;
  const char *source; ///< from line 3 on; the mistake is on line 4
  const char *message;
  uint32_t noteLine;
  const char *note;
};
void PrintTo(const Refused &row, std::ostream *out) {
  *out << row.name;
}

class RefusesAnInstance : public testing::TestWithParam<Refused> {};

TEST_P(RefusesAnInstance, OnceWithANote) {
  const auto result = compileText(GetParam().source);
  ASSERT_FALSE(result);
  // Clang may warn of what is then refused.
  const auto &reported = result.error().diagnostics;
  const auto first = std::find_if(reported.begin(), reported.end(),
                                  [](const Diagnostic &d) { return d.severity == Severity::Error; });
  const std::vector<Diagnostic> all(first, reported.end());
  ASSERT_EQ(all.size(), 2u) << renderDiagnostics(all);
  EXPECT_EQ(all[0].severity, Severity::Error);
  EXPECT_THAT(all[0].message, HasSubstr(GetParam().message));
  EXPECT_EQ(all[0].where.line, 4u) << renderDiagnostics(all);
  EXPECT_EQ(all[1].severity, Severity::Note);
  EXPECT_THAT(all[1].message, HasSubstr(GetParam().note));
  EXPECT_EQ(all[1].where.line, GetParam().noteLine) << renderDiagnostics(all);
}

const Refused kRefused[] = {
    {"VariableLength",
     "template <class T> int f(T n) {\n  int a[n]; a[0] = 1; return a[0]; }\n"
     "int g(int i) {\n  return f(i); }\n",
     "array 'a' must have a size that is known", 6,
     "in instantiation of function template specialization 'f<int>' requested here"},
    {"OfTwoInstantiationsTheFirst",
     "template <class P> int f(P p) {\n  thread int *q = p; return *q; }\n"
     "int g(device int *p, threadgroup int *q) {\n  return f(p) +\n    f(q); }\n",
     "device memory cannot be used as thread memory", 6, "'f<device int *>' requested here"},
    {"MemberOfAClassTemplate",
     "template <int N> struct S { int n; int f() {\n  int a[N]; return (void)a, n; } };\n"
     "int g(S<0> s) {\n  return s.f(); }\n",
     "array 'a' must have an element", 6, "in instantiation of member function 'S<0>::f' requested here"},
    {"DataOfAClassTemplate",
     "template <class T> struct S {\n  vec<T, 4> *p; };\nvoid g() {\n  S<int> s; (void)s; }\n",
     "pointer type of 'p' has no address space", 6,
     "in instantiation of template class 'S<int>' requested here"},
    {"VectorWithoutAnElement",
     "template <int N> float f(float x) {\n  return vec<float, N>(x, x).x; }\n"
     "float g(float x) {\n  return f<2>(x) +\n    f<3>(x); }\n",
     "takes 3 elements, and 2 are given", 7, "'f<3>' requested here"},
    {"ByAnExplicitInstantiation",
     "template <class T> kernel void f(device T *p) {\n  threadgroup T s = 1; *p = s; }\n"
     "template [[host_name(\"f_int\")]]\nkernel void f<int>(device int *);\n",
     "threadgroup variable 's' cannot have an initialiser", 6, "'f<int>' requested here"},
};
INSTANTIATE_TEST_SUITE_P(Instantiations, RefusesAnInstance, testing::ValuesIn(kRefused),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace

// Apple's compiler deduces nothing there, and finds no such function.
TEST(Instantiations, AParameterInThreadMemoryIsReportedWhereTheFunctionIsCalled) {
  const auto result = compileText(
      "template <class T> void f(\n  thread T *p) { *p = 1; }\nvoid g(device int *p) {\n  f(p); }\n");
  ASSERT_FALSE(result);
  const auto &all = result.error().diagnostics;
  ASSERT_EQ(all.size(), 1u) << renderDiagnostics(all);
  EXPECT_EQ(all[0].where.line, 6u);
  EXPECT_THAT(all[0].message,
              HasSubstr("'p' is declared thread, and this instantiation gives it other memory"));
}

TEST(Instantiations, WhatTheTemplateShowsIsReportedThereWithoutANote) {
  const auto result =
      compileText("template <class T> T f(T x) {\n  thread int *p = new int; goto end;\nend:\n"
                  "  static int n = 0; return x + *p + n; }\n"
                  "int g(int i) { return f(i) + int(f(1.0f)); }\n");
  ASSERT_FALSE(result);
  const auto &all = result.error().diagnostics;
  ASSERT_EQ(all.size(), 4u) << renderDiagnostics(all);
  for (const Diagnostic &diagnostic : all)
    EXPECT_EQ(diagnostic.severity, Severity::Error) << diagnostic.message;
}

TEST(Instantiations, BothErrorsOfALineAreThoseOfTheTemplate) {
  const auto result =
      compileText("template <class T> T f(T x) {\n  static int a = 0, b = 0; return x + a + b; }\n"
                  "int g(int i) { return f(i); }\n");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().diagnostics.size(), 2u) << renderDiagnostics(result.error().diagnostics);
}

TEST(Instantiations, TheSameTemplateWithOtherArgumentsIsAccepted) {
  const auto result = compileText(
      "template <class P> int f(P p) { P q = p; auto r = q; return *r; }\n"
      "template <int N> int t(int n) { int a[N]; a[0] = n; return a[0] + (N > 1 ? t<(N > 1 ? N - 1 : 1)>(n) "
      ": 0); }\n"
      "template <> int t<1>(int n) { return n; }\n"
      "template <class T> struct S { typename T::type *p; };\nstruct D { typedef device int type; };\n"
      "template <class F> int apply(F f, device int *p) { return f(*p); }\n"
      "template <class T> int copy(const thread T &x) { return x; }\n"
      "template <class T> T two(const device T *p) { thread const device T *q = p; return q[0] + q[1]; }\n"
      "kernel void k(device int *p, constant int *c, threadgroup int *t_) {\n"
      "  S<D> s = {p}; int x = 1; *p = f(p) + f(c) + f(t_) + f(&x) + t<3>(2) + *s.p + copy(*p) + copy(x) + "
      "two(p);\n"
      "  *p = apply([](device int &v) { return v; }, p) + apply([&](auto &v) { return v + x; }, p); }\n");
  EXPECT_TRUE(result) << renderDiagnostics(result.error().diagnostics);
}

TEST(Instantiations, TheLibraryIsNotDiagnosed) {
  const auto result = compileText(
      "kernel void k(device float4 *p, device atomic_int *n, texture2d<float> t, threadgroup float *s,\n"
      "              uint i [[thread_index_in_threadgroup]]) {\n"
      "  simdgroup_float8x8 a; simdgroup_load(a, s, 8); simdgroup_store(a, s, 8);\n"
      "  float4x4 m(p[0], p[1], p[2], p[3]); p[0] = transpose(m) * clamp(p[1], 0.0f, p[2]);\n"
      "  atomic_fetch_add_explicit(n, 1, memory_order_relaxed); p[1] = simd_sum(p[i]) + t.read(uint2(0));\n"
      "  array<float4, 2> b = {{p[0], p[1]}}; p[2] = b[i & 1]; }\n");
  EXPECT_TRUE(result) << renderDiagnostics(result.error().diagnostics);
}
