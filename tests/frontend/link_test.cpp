// What is refused when several sources are linked, and where. What the linked kernels compute is tested in
// tests/host/linked_library_test.cpp.
#include "linked_sources.h"

#include <gmock/gmock.h>

namespace assay::frontend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Link, AFunctionIsDefinedInAnotherSource) {
  const auto module = linked({"float f(float); kernel void k(device float *o) { *o = f(1); }",
                              "float f(float x) { return x + 1; }"});
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  ASSERT_EQ(module->info.kernels.size(), 1u);
  EXPECT_EQ(module->info.kernels[0].name, "k");
  EXPECT_THAT(module->dependencies, testing::IsEmpty()) << "the sources are texts";
}

TEST(Link, AnUndefinedFunctionIsReportedWhereItIsUsedFirst) {
  EXPECT_THAT(refusal({"float f(float);\nkernel void k(device float *o) {\n  *o = f(1) + f(2);\n}", "",
                       "half f(half x) { return x; }"}),
              "0.metal:5:8: error: 'float f(float)' is declared, and none of the files defines it "
              "[undefined-symbol]\n  give the file that defines it, too\n"
              "0.metal:3:7: note: it is declared here\n"
              "2.metal:3:6: note: this one is not the same: 'half f(half)'\n");
}

TEST(Link, NothingIsUndefinedThatIsNotUsed) {
  EXPECT_EQ(
      refusal({"float f(float); extern constant float t[2]; static float g() { return f(1); }", "int h();"}),
      "");
}

TEST(Link, AVariableIsUndefinedToo) {
  EXPECT_THAT(refusal({"extern constant float t[2]; kernel void k(device float *o) { *o = t[1]; }", ""}),
              HasSubstr("error: 'constant float[2] t' is declared, and none"));
}

TEST(Link, ASecondDefinitionNamesBothPlaces) {
  EXPECT_EQ(refusal({"namespace n {\nfloat f(float x) { return x; }\n}",
                     "namespace n { float f(float x) { return -x; } }"}),
            "1.metal:3:21: error: a second definition of 'float n::f(float)' [duplicate-symbol]\n"
            "  make it static or inline, or define it in one file and declare it in the other\n"
            "0.metal:4:7: note: the first is here\n");
  EXPECT_THAT(refusal({"extern constant int t = 1;", "extern constant int t = 1;"}),
              HasSubstr("a second definition of 'constant int t' [duplicate-symbol]"));
}

TEST(Link, WhatBelongsToOneSourceMayHaveTheNameOfAnother) {
  EXPECT_EQ(
      refusal(
          {"static int f() { return 1; } namespace { int g() { return 1; } } inline int h() { return 1; } "
           "constant int c = 1; template <class T> T t() { return 1; } struct S { int m() { return 1; } };"
           "kernel void k(device int *o) { *o = f() + g() + h() + c + t<int>() + S().m(); }",
           "static int f() { return 2; } namespace { int g() { return 2; } } inline int h() { return 2; } "
           "constant int c = 2; template <class T> T t() { return 2; } struct S { int m() { return 2; } };"
           "kernel void l(device int *o) { *o = f() + g() + h() + c + t<int>() + S().m(); }"}),
      "");
}

TEST(Link, TwoEntryFunctionsOfOneNameAreRefused) {
  EXPECT_EQ(
      refusal({"kernel void k(device float *o) { *o = 1; }", "kernel void k(device int *o) { *o = 1; }"}),
      "1.metal:3:13: error: a second kernel function 'k' [duplicate-symbol]\n"
      "  give it another name, or a host_name of its own\n0.metal:3:13: note: the first is here\n");
  EXPECT_THAT(refusal({"kernel void k(device float *o) { *o = 1; }",
                       "[[host_name(\"k\")]] kernel void l(device int *o) { *o = 1; }"}),
              HasSubstr("a second kernel function 'k'"));
  EXPECT_THAT(
      refusal({"kernel void k(device float *o) { *o = 1; }", "vertex float4 k() { return float4(0); }"}),
      HasSubstr("a second vertex function 'k'"));
  EXPECT_THAT(
      refusal({"[[visible]] float f(float x) { return x; }", "[[visible]] float f(float x) { return x; }"}),
      StartsWith("1.metal:3:19: error: a second visible function 'f'"));
}

TEST(Link, AnotherReturnTypeIsNoMatch) {
  EXPECT_EQ(
      refusal(
          {"int f(float); kernel void k(device float *o) { *o = f(1); }", "uint f(float x) { return 1; }"}),
      "0.metal:3:5: error: 'int f(float)' is declared here, and defined as 'uint f(float)' [symbol-type]\n"
      "  declare it as it is defined, best in a header that both files include\n"
      "1.metal:3:6: note: the definition is here\n");
}

TEST(Link, FunctionConstantsOfOneIndexBelongToTheirFiles) {
  const auto module =
      linked({"constant int a [[function_constant(0)]]; constant bool c [[function_constant(2)]]; "
              "kernel void k(device int *o, device int *p [[function_constant(c)]]) { *o = a; }",
              "constant float b [[function_constant(0)]]; constant bool c [[function_constant(3)]]; "
              "kernel void l(device float *o, device int *p [[function_constant(c)]]) { *o = b; }"});
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  const auto namesOf = [&](const char *kernel) {
    std::vector<std::string> names;
    for (const FunctionConstantInfo &one :
         module->info.constantsAt(module->info.findKernel(kernel)->functionConstants))
      names.push_back(one.name + " " + std::to_string(one.index));
    return names;
  };
  EXPECT_THAT(namesOf("k"), ElementsAre("a 0", "c 2"));
  EXPECT_THAT(namesOf("l"), ElementsAre("b 0", "c 3"));
}

TEST(Link, AKernelThatReadsTwoConstantsOfOneIndexCannotBeRun) {
  const auto module = linked({"constant int a [[function_constant(0)]]; int f(); "
                              "kernel void k(device int *o) { *o = a + f(); }",
                              "constant int b [[function_constant(0)]]; int f() { return b; }"});
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  EXPECT_EQ(module->info.findKernel("k")->unsupported,
            "it reads function constant 0 as 'a' and, in a function of another file, as 'b'");
}

TEST(Link, AConstantOfAHeaderIsOneConstant) {
  const std::string header = "constant int a [[function_constant(5)]]; ";
  const auto module = linked(
      {header + "int f(); kernel void k(device int *o) { *o = a + f(); }", header + "int f() { return a; }"});
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  EXPECT_EQ(module->info.findKernel("k")->unsupported, "");
  EXPECT_EQ(module->info.constantsAt(module->info.findKernel("k")->functionConstants).size(), 1u);
  EXPECT_EQ(module->info.distinctConstants().size(), 1u);
}

TEST(Link, StructuresOfArgumentsAreThoseOfTheirSource) {
  const auto module =
      linked({"struct P { int a; }; kernel void k(constant P &p, device int *o) { *o = p.a; }",
              "struct P { float b, c; }; kernel void l(constant P &p, device float *o) { *o = p.c; }"});
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  EXPECT_EQ(module->info.structOf(module->info.findKernel("k")->arguments[0])->bytes, 4u);
  EXPECT_EQ(module->info.structOf(module->info.findKernel("l")->arguments[0])->bytes, 8u);
}

TEST(Link, ASourceAloneListsWhatItNeedsAndGives) {
  const auto module = linked({"float f(float); float unused(); uint gid [[thread_position_in_grid]]; "
                              "static float s() { return 1; } inline float h() { return 1; } "
                              "float g() { return f(s() + h() + gid); }"});
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  EXPECT_THAT(module->info.needs, ElementsAre("_Z1ff"));
  EXPECT_THAT(module->info.gives, ElementsAre("_Z1gv"));
}

TEST(Link, WarningsAndErrorsOfASourceAreItsOwn) {
  EXPECT_THAT(
      refusal({"kernel void k(device int *o) { *o = 1; }", "kernel void l(device int *o) { *o = x; }"}),
      StartsWith("1.metal:3:37: error: use of undeclared identifier 'x'"));
}

} // namespace
} // namespace assay::frontend
