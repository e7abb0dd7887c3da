// Clang's words in Metal's spelling, and whole messages.
#include "frontend/compile.h"

#include <gtest/gtest.h>

using namespace assay;

namespace {

TEST(Diagnostics, WholeMessageReadsLikeClangs) {
  frontend::SourceRequest request;
  request.path = "k.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\nvoid g(threadgroup float *p);\n"
                 "kernel void f(device float *p [[buffer(0)]]) {\n\tg(p);\n}\n";
  const auto result = frontend::compile(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(
      renderDiagnostics(result.error().diagnostics),
      "k.metal:5:2: error: no matching function for call to 'g'\n"
      "  \tg(p);\n"
      "  \t^\n"
      "k.metal:3:6: note: candidate function not viable: cannot pass pointer to address space 'device' as a "
      "pointer to address space 'threadgroup' in 1st argument\n"
      "  void g(threadgroup float *p);\n"
      "       ^ ~~~~~~~~~~~~~~~~~~~~\n");
}

TEST(Diagnostics, LineDirectivesNameThePlace) {
  frontend::SourceRequest request;
  request.path = "whole.metal";
  request.text = "#line 40 \"part.h\"\nint f() {\n  return nowhere;\n}\n#line 3 \"whole.metal\"\nint g = absent;\n";
  const auto result = frontend::compile(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(renderDiagnostics(result.error().diagnostics),
            "part.h:41:10: error: use of undeclared identifier 'nowhere'\n"
            "    return nowhere;\n"
            "           ^\n"
            "whole.metal:3:9: error: use of undeclared identifier 'absent'\n"
            "  int g = absent;\n"
            "          ^\n");
}

TEST(Diagnostics, MacroUsesNameTheDefinition) {
  frontend::SourceRequest request;
  request.path = "k.metal";
  request.text = "#define TWICE(x) ((x) + missing)\nint a = TWICE(1);\n";
  const auto result = frontend::compile(request);
  ASSERT_FALSE(result);
  ASSERT_GE(result.error().diagnostics.size(), 2u);
  EXPECT_EQ(result.error().diagnostics[0].where, (SourcePlace{"k.metal", 2, 9}));
  EXPECT_EQ(result.error().diagnostics[1].message, "expanded from a macro defined here");
  EXPECT_EQ(result.error().diagnostics[1].where, (SourcePlace{"k.metal", 1, 25}));
}

} // namespace
