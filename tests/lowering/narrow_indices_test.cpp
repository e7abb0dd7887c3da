// What of an address is computed in fewer than 64 bits: the kernel hands over the operands before it is
// refused, and only then.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

// A kernel that stores to element `%x` of a buffer, which `body` computes from %i and %n.
std::string storing(const std::string &body) {
  return "define void @k() {\n"
         "  %b = call ptr addrspace(5) @__assay_buffer_device(i32 2)\n"
         "  %i = call i32 @__assay_builtin(i32 0, i32 0)\n"
         "  %n = call i32 @__assay_builtin(i32 0, i32 1)\n" +
         body +
         "  %p = getelementptr inbounds i32, ptr addrspace(5) %b, i64 %x\n"
         "  store i32 1, ptr addrspace(5) %p\n"
         "  ret void\n}\n";
}

// "3 16 | * zext": operands that were handed over, then the operations of the site.
std::string refusal(const std::string &body, uint32_t i, uint32_t n) {
  Kernel k(storing(body));
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, i);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 1, n);
  std::vector<uint32_t> data(4);
  k.bind(2, data);
  if (k.run())
    return k.indexOperands.empty() ? "ended" : "operands without a refusal";
  std::string text;
  for (uint64_t operand : k.indexOperands)
    text += std::to_string(operand) + " ";
  text += "|";
  for (const IndexStep &step : k.siteOf(k.calls.back()).index)
    switch (step.op) {
    case IndexOp::Operand: text += " x"; break;
    case IndexOp::Constant: text += " " + std::to_string(step.value); break;
    case IndexOp::Add: text += " +"; break;
    case IndexOp::Subtract: text += " -"; break;
    case IndexOp::Multiply: text += " *"; break;
    case IndexOp::ZeroExtend: text += " zext" + std::to_string(step.bits); break;
    case IndexOp::SignExtend: text += " sext" + std::to_string(step.bits); break;
    case IndexOp::Truncate: text += " trunc" + std::to_string(step.bits); break;
    }
  return text;
}

TEST(NarrowIndices, AProductThatIsWidened) {
  const std::string body = "  %m = mul i32 %i, %n\n  %x = zext i32 %m to i64\n";
  EXPECT_EQ(refusal(body, 3, 16), "3 16 | x x * zext64");
  EXPECT_EQ(refusal(body, 3, 1), "ended") << "nothing is handed over while all is well";
  EXPECT_EQ(refusal("  %m = mul i32 %i, %n\n  %x = sext i32 %m to i64\n", 3, 16), "3 16 | x x * sext64");
}

TEST(NarrowIndices, ADifferenceIsASumWithANegativeNumber) {
  EXPECT_EQ(refusal("  %m = sub i32 %i, 8\n  %x = zext i32 %m to i64\n", 3, 0), "3 | x -8 + zext64");
}

TEST(NarrowIndices, AShiftIsAProduct) {
  EXPECT_EQ(refusal("  %m = shl i32 %n, 5\n  %s = add i32 %m, %i\n  %x = zext i32 %s to i64\n", 3, 16),
            "16 3 | x 32 * x + zext64");
}

TEST(NarrowIndices, TwoOfThemInOneAddress) {
  EXPECT_EQ(refusal("  %m = mul i32 %i, %n\n  %a = zext i32 %m to i64\n  %s = add i32 %n, -1\n"
                    "  %c = sext i32 %s to i64\n  %x = add i64 %a, %c\n",
                    3, 16),
            "16 3 16 | x -1 + sext64 x x * zext64");
}

TEST(NarrowIndices, WhatIsComputedIn64BitsOrCannotWrapIsNone) {
  EXPECT_EQ(refusal("  %a = zext i32 %i to i64\n  %c = zext i32 %n to i64\n  %x = mul i64 %a, %c\n", 3, 16),
            "|");
  EXPECT_EQ(refusal("  %s = and i32 %i, 15\n  %m = mul i32 %s, 100\n  %x = zext i32 %m to i64\n", 3, 16), "|")
      << "at most 1500";
}

TEST(NarrowIndices, AMaskEndsAHash) {
  EXPECT_EQ(
      refusal("  %m = mul i32 %i, -1640531535\n  %h = and i32 %m, 255\n  %x = zext i32 %h to i64\n", 3, 0),
      "|");
}

// Nine factors: what is farther down is taken as one operand.
TEST(NarrowIndices, LongProductsAreTakenFromFartherUp) {
  std::string body = "  %m0 = mul i32 %i, %n\n";
  for (int at = 1; at < 9; ++at) {
    const std::string last = std::to_string(at - 1), next = std::to_string(at);
    body += "  %c" + next + " = xor i32 %n, " + std::to_string(at * 1000) + "\n";
    body += "  %m" + next + " = mul i32 %m" + last + ", %c" + next + "\n";
  }
  const std::string text = refusal(body + "  %x = zext i32 %m8 to i64\n", 3, 17);
  size_t operands = 0;
  for (size_t at = text.find('x'); at != text.npos; at = text.find(" x", at + 1))
    ++operands;
  EXPECT_GT(operands, 4u) << text;
  EXPECT_LE(operands, size_t(kMostIndexOperands)) << text;
}

} // namespace
} // namespace assay::lowering::test
