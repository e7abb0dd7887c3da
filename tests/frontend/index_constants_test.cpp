// Indices of arguments that are expressions of function constants. What they bind: placed_kernel_test.cpp.
#include "frontend/index_constants.h"

#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

constexpr const char *kConstants = "constant int c [[function_constant(0)]];\nconstant int d = c + 2;\n"
                                   "namespace n { constant int c [[function_constant(1)]]; }\n";

CompiledModule compiled(const std::string &text) {
  SourceRequest request;
  request.path = "k.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + (kConstants + text);
  Result<CompiledModule> module = compile(request);
  EXPECT_TRUE(module);
  return module ? std::move(*module) : CompiledModule();
}

TEST(IndexConstants, AreNamedByTheirText) {
  const CompiledModule module =
      compiled("kernel void k(device int *a [[buffer(c + 1)]], device int *b [[buffer(d * 2)]],\n"
               "              texture2d<float> t [[texture(c + 1)]]) { a[0] = b[0] + t.get_width(); }\n");
  const auto &arguments = module.info.kernels.at(0).arguments;
  EXPECT_EQ(arguments.at(0).indexConstant, "c + 1");
  EXPECT_EQ(arguments.at(1).indexConstant, "d * 2");
  EXPECT_EQ(arguments.at(2).indexSymbol, arguments.at(0).indexSymbol) << "one expression, one variable";
  EXPECT_NE(arguments.at(1).indexSymbol, arguments.at(0).indexSymbol);
}

TEST(IndexConstants, OfOneTextAndOtherConstantsDiffer) {
  const CompiledModule module =
      compiled("kernel void k(device int *a [[buffer(c + 1)]]) { a[0] = 1; }\n"
               "namespace n { kernel void l(device int *a [[buffer(c + 1)]]) { a[0] = 1; } }\n");
  EXPECT_NE(module.info.kernels.at(0).arguments.at(0).indexSymbol,
            module.info.kernels.at(1).arguments.at(0).indexSymbol);
}

TEST(IndexConstants, AreWhatTheInstanceOfATemplateHas) {
  const CompiledModule module =
      compiled("template <int m> kernel void k(device int *a [[buffer(c + m)]]) { a[0] = m; }\n"
               "template [[host_name(\"two\")]] kernel void k<2>(device int *);\n"
               "template [[host_name(\"three\")]] kernel void k<3>(device int *);\n");
  EXPECT_EQ(module.info.kernels.at(0).arguments.at(0).indexConstant, "c + 2");
  EXPECT_EQ(module.info.kernels.at(1).arguments.at(0).indexConstant, "c + 3");
}

TEST(IndexConstants, HaveNoCalls) {
  EXPECT_THAT(messagesOf(std::string(kConstants) +
                         "static int f(int i) { return i; }\n"
                         "kernel void k(device int *a [[buffer(f(c))]]) { a[0] = 1; }\n"),
              HasSubstr("the index of 'a' is not a constant: write a number, or compute it from function "
                        "constants and numbers, without calls"));
}

} // namespace
