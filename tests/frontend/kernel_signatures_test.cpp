// A mistake in a kernel's signature stands before the errors of bodies that come from it.
#include "compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

TEST(KernelSignatures, APointerWithoutASpaceStandsBeforeTheErrorsOfTheBody) {
  const std::string text = messagesOf("kernel void k(float *x [[buffer(0)]],\n"
                                      "              device float *o) {\n"
                                      "  const device float *row = x + 1;\n"
                                      "  o[0] = row[0];\n"
                                      "}\n");
  EXPECT_THAT(text,
              StartsWith("k.metal:3:22: error: pointer 'x' of a kernel has no address space: write device, "
                         "constant or threadgroup"));
  EXPECT_THAT(text, HasSubstr("k.metal:5:23: error: cannot initialize"));
}

TEST(KernelSignatures, AnErrorOfAnEarlierPlaceStaysBeforeIt) {
  const std::string text =
      messagesOf("inline float f() { return nothing; }\n"
                 "kernel void k(const float &x, device float *o) { o[0] = x + missing; }\n");
  EXPECT_THAT(text, StartsWith("k.metal:3:27: error: use of undeclared identifier 'nothing'"));
  EXPECT_LT(text.find("reference 'x' of a kernel has no address space"), text.find("'missing'"));
}

// Each first line is the mistake's. The body has an error that comes from it, or another one.
TEST(KernelSignatures, WhatReflectionRefusesStandsBeforeTheErrorsOfTheBody) {
  const auto first = [](const std::string &text) {
    const std::string all = messagesOf(text);
    return all.substr(0, all.find('\n'));
  };
  EXPECT_EQ(
      first("kernel void k(device float *o,\n"
            "              float i [[thread_position_in_grid]]) {\n"
            "  o[i] = 1;\n"
            "}\n"),
      "k.metal:4:21: error: 'thread_position_in_grid' cannot have type 'float': it is ushort or uint, or "
      "a vector of 2 or 3 of them");
  EXPECT_EQ(first("kernel int k(device float *o) {\n"
                  "  o[0] = missing;\n"
                  "}\n"),
            "k.metal:3:12: error: kernel 'k' must return void");
  EXPECT_EQ(first("kernel void k(device float *o [[buffer(1)]],\n"
                  "              device float *p [[buffer(1)]]) {\n"
                  "  o[0] = missing;\n"
                  "}\n"),
            "k.metal:4:31: error: buffer(1) is already used by argument 'o'");
  EXPECT_EQ(first("constant Missing n [[function_constant(1)]];\n"),
            "k.metal:3:10: error: unknown type name 'Missing'");
  EXPECT_EQ(first("constant float4x4 m [[function_constant(0)]];\n"
                  "kernel void k(device float *o) { o[0] = m[0][0] + missing; }\n"),
            "k.metal:3:21: error: function constant 'm' must be a scalar or a vector");
}

TEST(KernelSignatures, WhatFollowsFromAnErrorOfASignatureIsNotTold) {
  const std::string text = messagesOf("kernel void k(device float *o [[buffer(0)]],\n"
                                      "              uint i INDEX(0), float scale) {\n"
                                      "  o[i] = scale;\n"
                                      "}\n");
  EXPECT_THAT(text, StartsWith("k.metal:4:22: error: "));
  EXPECT_THAT(text, Not(HasSubstr("kernel argument")));
  EXPECT_THAT(messagesOf("struct S { Unknown u; };\n"
                         "kernel void k(device S *s [[buffer(0)]], constant S &c [[buffer(1)]],\n"
                         "              uint i [[thread_position_in_grid]]) { s[i] = c; }\n"),
              Not(HasSubstr("kernel argument")));
}

TEST(KernelSignatures, OtherParametersAreNotNamed) {
  EXPECT_THAT(messagesOf("template <typename T> float f(thread T *p) { return *p; }\n"
                         "kernel void k(device float *o, constant int &n, threadgroup float *t,\n"
                         "              uint i [[thread_position_in_grid]]) { o[i] = missing; }\n"),
              Not(HasSubstr("address space")));
}

} // namespace
