// What is left of vector arithmetic with constants.
#include "lowering/constant_components.h"

#include <gmock/gmock.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace assay::lowering::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string simplified(const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(
      "define <2 x float> @k(<2 x float> %v) {\n" + body + "  ret <2 x float> %r\n}\n", error, context);
  if (!module) {
    ADD_FAILURE() << error.getMessage().str();
    return {};
  }
  llvm::Function &function = *module->getFunction("k");
  simplifyConstantComponents(function);
  EXPECT_FALSE(llvm::verifyFunction(function, &llvm::errs()));
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream);
  return text;
}

} // namespace

TEST(ConstantComponents, AnIdentityIsDeletedInItsComponent) {
  const std::string text = simplified("  %r = fsub <2 x float> %v, <float 0.0, float 7.5>\n");
  EXPECT_THAT(text, HasSubstr("extractelement <2 x float> %v, i64 0"));
  EXPECT_THAT(text, HasSubstr("fsub float %"));
  EXPECT_THAT(text, HasSubstr(", 7.5"));
  EXPECT_THAT(text, Not(HasSubstr("0.000000e+00")));
}

TEST(ConstantComponents, AFusedOneKeepsItsFlags) {
  const std::string text =
      simplified("  %r = call contract <2 x float> @llvm.fma.v2f32(<2 x float> %v, "
                 "<2 x float> <float 1.0, float 3.0>, <2 x float> <float -0.0, float 1.0>)\n");
  EXPECT_THAT(text, HasSubstr("call contract float @llvm.fma.f32"));
  EXPECT_THAT(text, Not(HasSubstr("@llvm.fma.v2f32")));
}

TEST(ConstantComponents, AnythingElseStaysAVector) {
  for (const char *body :
       {"  %r = fsub <2 x float> %v, <float 1.0, float 7.5>\n",
        "  %r = fadd <2 x float> %v, <float 0.0, float 0.0>\n", "  %r = fmul <2 x float> %v, %v\n"}) {
    const std::string text = simplified(body);
    EXPECT_THAT(text, testing::ContainsRegex("= f(sub|add|mul) <2 x float>"));
    EXPECT_THAT(text, Not(HasSubstr("extractelement")));
  }
}

} // namespace assay::lowering::test
