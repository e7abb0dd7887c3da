// Pointers and references that are written with `thread`, and those that only look so. What they compute:
// tests/language/address_spaces.rows.
#include "frontend/compile.h"

#include <gtest/gtest.h>

using namespace assay;

namespace {

bool compiles(const std::string &text) {
  frontend::SourceRequest request;
  request.path = "test.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + text;
  return bool(frontend::compile(request));
}

TEST(ThreadWords, BelongToAllDeclarators) {
  for (const char *text :
       {"struct S { thread float *a, *b, **c; };", "struct S { float thread *a, *b; };",
        "typedef thread float *TP, *TQ;", "void f(thread float *p) { thread float *a = p, &b = *p; b = *a; }",
        "template <class T> struct S { thread T *a, *b; }; kernel void k() { S<float> s; (void)s; }",
        "#define P(T) T *a, *b\nstruct S { P(thread float); };",
        "#define P thread float *a, *b\nstruct S { P; };"})
    EXPECT_TRUE(compiles(text)) << text;
}

TEST(ThreadWords, OfOneDeclarationAreNotThoseOfAnother) {
  for (const char *text :
       {"struct S { thread float *a; float *b, *c; };", "void f(thread float *a, float *b) {}",
        "struct S { float *thread *a, *b; };", "struct S { void (*f)(thread float *a, float *b); };",
        "void f() { thread float *a = nullptr; float *b = a, *c = a; *b = *c; }"})
    EXPECT_FALSE(compiles(text)) << text;
}

TEST(ThreadWords, BelongToAnAlias) {
  for (const char *text : {"using TF = thread float; void f(TF *p) { *p = 1; }",
                           "using TF = float thread; using TG = TF; void f(TG &r) { r = 1; }",
                           "typedef thread float TF; struct S { TF *a, *b; };",
                           "template <class T> using TT = thread T; void f(TT<float> *p) { *p = 1; }",
                           "typedef thread float *TP; void f(TP *p) { **p = 1; }",
                           "using TP = thread float *; void f(TP &p) { *p = 1; } void g(TP *p) {}"})
    EXPECT_TRUE(compiles(text)) << text;
  for (const char *text : {"using TF = float; void f(TF *p) { *p = 1; }",
                           "template <class T> using TT = T; void f(TT<float> *p) { *p = 1; }",
                           "typedef float *TP; void f(TP *p) { **p = 1; }"})
    EXPECT_FALSE(compiles(text)) << text;
}

} // namespace
