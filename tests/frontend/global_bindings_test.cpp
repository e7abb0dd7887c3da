// Declarations of built-ins and bindings at program scope. What they hold when a kernel runs is tested in
// tests/host/program_scope_test.cpp.
#include "frontend/compile.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace {

Result<CompiledModule> compiled(const std::string &text) {
  SourceRequest request;
  request.path = "source.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + text;
  return compile(request);
}

std::string refusal(const std::string &text) {
  const auto module = compiled(text);
  return module ? "" : renderDiagnostics(module.error().diagnostics);
}

TEST(GlobalBindings, AreReachedThroughFunctionsAndByNoOtherKernel) {
  const auto module = compiled("ushort3 at [[thread_position_in_grid]];\n"
                               "device int *constant p [[buffer(3)]];\n"
                               "device int *constant unused [[buffer(4)]];\n"
                               "static int f() { return p[at.x]; }\n"
                               "kernel void k(device int *o) { o[0] = f(); }\n"
                               "kernel void other(device int *o) { o[0] = 1; }\n");
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  std::vector<std::string> all;
  for (const ArgumentInfo &argument : module->info.findKernel("k")->arguments)
    all.push_back(argument.name + " " + std::to_string(argument.index));
  EXPECT_THAT(all, UnorderedElementsAre("o 0", "p 3", "at 0"));
  EXPECT_EQ(module->info.findKernel("other")->arguments.size(), 1u);
  EXPECT_THAT(module->info.findKernel("k")->unsupported, IsEmpty());
}

// An argument of the kernel's own in the same slot is the same resource.
TEST(GlobalBindings, AreNotListedTwice) {
  const auto module =
      compiled("device int *constant p [[buffer(0)]];\n"
               "uint at [[thread_position_in_grid]];\n"
               "kernel void k(device int *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
               "  o[i] = p[at]; }\n");
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  EXPECT_EQ(module->info.findKernel("k")->arguments.size(), 2u);
}

TEST(GlobalBindings, OfVisibleFunctionsAloneRefuseKernelsWithTables) {
  const auto module = compiled("device float *constant p [[buffer(5)]];\n"
                               "[[visible]] float f(float x) { return x + *p; }\n"
                               "kernel void k(device float *o, visible_function_table<float(float)> t "
                               "[[buffer(1)]]) { o[0] = t[0](1); }\n");
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  EXPECT_THAT(module->info.findKernel("k")->unsupported,
              HasSubstr("the visible function 'f' of its function tables uses 'p'"));
}

TEST(GlobalBindings, AreConstantsOfOneTypeForOneSlot) {
  EXPECT_THAT(refusal("uint gid [[thread_position_in_grid]];\nkernel void k() { gid = 1; }\n"),
              HasSubstr("source.metal:4:23: error: cannot assign to variable 'gid'"));
  EXPECT_THAT(refusal("device int *p [[buffer(0)]];\nkernel void k() { *p = 1; }\n"),
              HasSubstr("source.metal:3:13: error: program-scope variable 'p'"));
  EXPECT_THAT(refusal("constant texture2d<float, access::write> a [[texture(1)]];\n"
                      "constant texture2d<float, access::write> b [[texture(1)]];\n"
                      "kernel void k() {}\n"),
              "");
  EXPECT_THAT(refusal("constant texture2d<float, access::write> a [[texture(1)]];\n"
                      "constant texture2d<float, access::read_write> b [[texture(1)]];\n"
                      "kernel void k() {}\n"),
              HasSubstr("error: 'b' has the slot of 'a' and another type"));
  EXPECT_THAT(refusal("float gid [[thread_position_in_grid]];\nkernel void k() {}\n"),
              HasSubstr("'thread_position_in_grid' cannot have type 'float'"));
  EXPECT_THAT(refusal("device int *constant p [[buffer(31)]];\nkernel void k() {}\n"),
              HasSubstr("buffer(31) is out of range"));
}

} // namespace
