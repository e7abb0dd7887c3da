// Vector arithmetic becomes that of the components.
#include "lowering/scalar_arithmetic.h"

#include <gmock/gmock.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace assay::lowering::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string split(const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(
      "define <2 x float> @k(<2 x float> %v) {\n" + body + "  ret <2 x float> %r\n}\n", error, context);
  if (!module) {
    ADD_FAILURE() << error.getMessage().str();
    return {};
  }
  llvm::Function &function = *module->getFunction("k");
  splitVectorArithmetic(function);
  EXPECT_FALSE(llvm::verifyFunction(function, &llvm::errs()));
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream);
  return text;
}

} // namespace

TEST(ScalarArithmetic, EachComponentIsAnOperationOfItsOwn) {
  const std::string text = split("  %r = fsub contract <2 x float> %v, <float 0.0, float 7.5>\n");
  EXPECT_THAT(text, HasSubstr("extractelement <2 x float> %v, i64 0"));
  EXPECT_THAT(text, HasSubstr("fsub contract float %1, 0.000000e+00"));
  EXPECT_THAT(text, HasSubstr("fsub contract float %4, 7.5"));
  EXPECT_THAT(text, Not(ContainsRegex("fsub [a-z ]*<2 x float>")));
}

TEST(ScalarArithmetic, AFusedOneKeepsItsFlags) {
  const std::string text =
      split("  %r = call contract <2 x float> @llvm.fma.v2f32(<2 x float> %v, "
            "<2 x float> <float 1.0, float 3.0>, <2 x float> <float -0.0, float 1.0>)\n");
  EXPECT_THAT(text, HasSubstr("call contract float @llvm.fma.f32"));
  EXPECT_THAT(text, Not(HasSubstr("@llvm.fma.v2f32")));
}

TEST(ScalarArithmetic, ANegationIsSplitToo) {
  const std::string text = split("  %r = fneg <2 x float> %v\n");
  EXPECT_THAT(text, ContainsRegex("fneg float"));
  EXPECT_THAT(text, Not(HasSubstr("fneg <2 x float>")));
}

// What a product and a sum are contracted by: the sum's operand is the product.
TEST(ScalarArithmetic, ASumStillHasItsProductForAnOperand) {
  const std::string text = split("  %p = fmul contract <2 x float> %v, %v\n"
                                 "  %r = fadd contract <2 x float> %p, %v\n");
  EXPECT_THAT(text, ContainsRegex("(%[0-9]+) = fmul contract float"));
  EXPECT_THAT(text, Not(HasSubstr("extractelement <2 x float> %p")));
}

TEST(ScalarArithmetic, ConversionsAndFunctionsLikewise) {
  const std::string text = split("  %h = fptrunc <2 x float> %v to <2 x half>\n"
                                 "  %f = fpext <2 x half> %h to <2 x float>\n"
                                 "  %r = call <2 x float> @llvm.powi.v2f32.i32(<2 x float> %f, i32 3)\n");
  EXPECT_THAT(text, HasSubstr("fptrunc float %"));
  EXPECT_THAT(text, HasSubstr("fpext half %"));
  EXPECT_THAT(text, HasSubstr("call float @llvm.powi.f32.i32(float %"));
  EXPECT_THAT(text, Not(ContainsRegex("fptrunc <|fpext <|powi.v2")));
}

TEST(ScalarArithmetic, IntegersAndMovesStayVectors) {
  EXPECT_THAT(split("  %b = bitcast <2 x float> %v to <2 x i32>\n  %s = add <2 x i32> %b, %b\n"
                    "  %r = bitcast <2 x i32> %s to <2 x float>\n"),
              HasSubstr("add <2 x i32>"));
}

} // namespace assay::lowering::test
