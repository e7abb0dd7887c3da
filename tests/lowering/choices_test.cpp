// Choices between floats that the code generator must not take for a minimum. That their bits stay is tested
// in tests/engines/optimised_bits_test.cpp.
#include "lowering/choices.h"

#include <gmock/gmock.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace assay::lowering::test {
namespace {

// The function, with `value` returned, after the pass.
std::string after(const std::string &type, const std::string &value) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module =
      llvm::parseAssemblyString("define " + type + " @k(" + type + " %a, " + type +
                                    " %b, i1 %c) {\n  %r = " + value + "\n  ret " + type + " %r\n}\n",
                                error, context);
  if (!module) {
    ADD_FAILURE() << error.getMessage().str();
    return "";
  }
  llvm::Function &function = *module->getFunction("k");
  keepChosenBits(function);
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream);
  return stream.str();
}

TEST(Choices, OfFloatsAreHidden) {
  const std::string text = after("float", "select i1 %c, float %a, float %b");
  EXPECT_THAT(text, testing::HasSubstr("@llvm.arithmetic.fence.f32(float %a)"));
  EXPECT_THAT(text, testing::HasSubstr("@llvm.arithmetic.fence.f32(float %b)"));
  EXPECT_THAT(after("<4 x float>", "select i1 %c, <4 x float> %a, <4 x float> %b"),
              testing::HasSubstr("@llvm.arithmetic.fence.v4f32"));
}

TEST(Choices, WithAConstantAreHiddenFromArithmetic) {
  const std::string text = after("float", "select i1 %c, float %a, float 1.0\n  %p = fmul float %b, %r\n"
                                          "  %i = bitcast float %r to i32");
  EXPECT_THAT(text, testing::ContainsRegex("%1 = call float @llvm.arithmetic.fence.f32.float %a."));
  EXPECT_THAT(text, testing::ContainsRegex("%2 = call float @llvm.arithmetic.fence.f32.float %r."));
  EXPECT_THAT(text, testing::HasSubstr("%p = fmul float %b, %2"));
  EXPECT_THAT(text, testing::HasSubstr("bitcast float %r to i32"));
}

TEST(Choices, OfConstantsAndOtherTypesStay) {
  const std::string text = after("float", "select i1 %c, float %a, float 0.0");
  EXPECT_THAT(text, testing::HasSubstr("float 0.000000e+00"));
  for (const char *type : {"half", "i32", "double"})
    EXPECT_THAT(after(type, std::string("select i1 %c, ") + type + " %a, " + type + " %b"),
                testing::Not(testing::HasSubstr("fence")))
        << type;
}

} // namespace
} // namespace assay::lowering::test
