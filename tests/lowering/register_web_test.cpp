// Which values share a register.
#include "lowering/register_web.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace assay::lowering::test {
namespace {

// The names of what shares a register with `value`.
std::string with(const std::string &value, const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(
      "declare i32 @f()\ndeclare void @use(i32)\ndeclare i1 @c()\ndefine void @k() {\nstart:\n" + body +
          "}\n",
      error, context);
  if (!module) {
    ADD_FAILURE() << error.getMessage().str();
    return "";
  }
  llvm::Function &function = *module->getFunction("k");
  RegisterWeb webs(function);
  std::string names;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (instruction.getName() == value)
      for (const llvm::Instruction *shared : webs.of(instruction))
        names += shared->getName().str() + " ";
  return names;
}

TEST(RegisterWeb, BothValuesOfAVariableThatAnIfChanges) {
  const char *const ir =
      "  %x = call i32 @f()\n  %c = call i1 @c()\n  br i1 %c, label %a, label %b\na:\n"
      "  %y = add i32 %x, 1\n  br label %b\nb:\n  %z = phi i32 [ %x, %start ], [ %y, %a ]\n"
      "  call void @use(i32 %z)\n  ret void\n";
  for (const char *value : {"x", "y", "z"})
    EXPECT_EQ(with(value, ir), "x y z ");
}

TEST(RegisterWeb, AValueThatIsStillNeededKeepsItsOwn) {
  EXPECT_EQ(with("x", "  %x = call i32 @f()\n  %c = call i1 @c()\n  br i1 %c, label %a, label %b\na:\n"
                      "  %y = add i32 %x, 1\n  br label %b\nb:\n  %z = phi i32 [ %x, %start ], [ %y, %a ]\n"
                      "  call void @use(i32 %z)\n  call void @use(i32 %x)\n  ret void\n"),
            "x ");
}

TEST(RegisterWeb, AVariableOfALoop) {
  const std::string head =
      "  %x = call i32 @f()\n  br label %loop\nloop:\n  %i = phi i32 [ %x, %start ], [ %j, %loop ]\n";
  const std::string tail = "  %c = call i1 @c()\n  br i1 %c, label %loop, label %end\nend:\n  ret void\n";
  EXPECT_EQ(with("i", head + "  %j = add i32 %i, 1\n" + tail), "x i j ");
  EXPECT_EQ(with("i", head + "  %j = add i32 %i, 1\n  call void @use(i32 %i)\n" + tail), "x i ")
      << "y = x; x = x + 1; use(y): two variables, although SSA has one value for both";
}

} // namespace
} // namespace assay::lowering::test
