// What lanes have in common: written down by hand for small functions.
#include "lowering/vector/lane_shapes.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace assay::lowering::vector::test {
namespace {

// The names of values with their shapes, u, a, c (affine on a condition) or v, then the names of the blocks
// that lanes run apart. %lane differs by lane, %t is consecutive, %n is one for all, %p a buffer.
struct Shapes {
  std::string values, apart;
};

Shapes shapesOf(const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString("declare i32 @__assay_builtin(i32, i32)\n"
                                                "declare ptr addrspace(5) @__assay_buffer_device(i32)\n"
                                                "declare void @report()\n"
                                                "define void @k(ptr %state) {\nstart:\n"
                                                "  %t = call i32 @__assay_builtin(i32 2, i32 0)\n"
                                                "  %lane = call i32 @__assay_builtin(i32 3, i32 0)\n"
                                                "  %p = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
                                                "  %n = load i32, ptr addrspace(5) %p\n" +
                                                    body + "}\n",
                                                error, context);
  if (!module) {
    ADD_FAILURE() << error.getMessage().str() << " in line " << error.getLineNo();
    return {};
  }
  llvm::Function &function = *module->getFunction("k");
  const ModuleInfo info;
  const KernelInfo kernel;
  const std::map<uint32_t, ConstantValue> constants;
  const LoweringOptions options;
  Lowering state{info, kernel, constants, options};
  state.module = module.get();
  state.entry = &function;
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const LaneShapes shapes(state, function, loops, numberSites(function, loops, dominators, {}), kRowsShape);
  EXPECT_EQ(shapes.refusal(), "");
  Shapes result;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    if (instruction.getType()->isVoidTy() || instruction.getParent() == &function.getEntryBlock())
      continue;
    const Shape &shape = shapes.of(instruction);
    const char kind = shape.kind == ShapeKind::Uniform  ? 'u'
                      : shape.kind == ShapeKind::Affine ? (shape.conditional ? 'c' : 'a')
                                                        : 'v';
    result.values += instruction.getName().str() + ":" + kind + " ";
  }
  for (const llvm::BasicBlock &block : function)
    if (!shapes.together(block))
      result.apart += block.getName().str() + " ";
  return result;
}

} // namespace

TEST(LaneShapes, OfArithmetic) {
  EXPECT_EQ(shapesOf("  br label %b\nb:\n  %two = shl i32 %t, 1\n  %sum = add i32 %two, %n\n"
                     "  %low = and i32 %t, 7\n  %high = lshr i32 %t, 5\n  %product = mul i32 %t, %n\n"
                     "  %near = zext i32 %t to i64\n  %far = zext i32 %sum to i64\n"
                     "  %at = getelementptr float, ptr addrspace(5) %p, i64 %near\n"
                     "  %value = load i32, ptr addrspace(5) %at\n  %one = load i32, ptr addrspace(5) %p\n"
                     "  %less = icmp ult i32 %t, %n\n  %same = icmp ult i32 %high, %n\n  ret void\n")
                .values,
            "two:a sum:a low:a high:u product:v near:a far:c at:a value:v one:u less:v same:u ");
}

TEST(LaneShapes, WhatFollowsAnEarlyReturnIsTogether) {
  const Shapes shapes =
      shapesOf("  %out = icmp uge i32 %t, %n\n  br i1 %out, label %end, label %rest\nrest:\n"
               "  store i32 1, ptr addrspace(5) %p\n  br label %end\nend:\n  ret void\n");
  EXPECT_EQ(shapes.apart, "end ");
}

TEST(LaneShapes, BothWaysOfABranchAreApartAndMeet) {
  const Shapes shapes =
      shapesOf("  %odd = icmp ult i32 %t, %n\n  br i1 %odd, label %a, label %b\na:\n  br label %meet\nb:\n"
               "  br label %meet\nmeet:\n  %x = phi i32 [ 1, %a ], [ 2, %b ]\n"
               "  store i32 %x, ptr addrspace(5) %p\n  ret void\n");
  EXPECT_EQ(shapes.apart, "a b ");
  EXPECT_EQ(shapes.values, "x:v ");
}

TEST(LaneShapes, ALoopThatLanesLeaveAtDifferentTimes) {
  const Shapes shapes = shapesOf(
      "  br label %loop\nloop:\n  %i = phi i32 [ 0, %start ], [ %next, %loop ]\n  %next = add i32 %i, 1\n"
      "  %more = icmp ult i32 %next, %lane\n  br i1 %more, label %loop, label %after\nafter:\n"
      "  %last = phi i32 [ %i, %loop ]\n  store i32 %last, ptr addrspace(5) %p\n  ret void\n");
  EXPECT_EQ(shapes.apart, "loop ");
  EXPECT_EQ(shapes.values, "i:u next:u more:v last:v ") << "in the loop all lanes are in one iteration";
}

// What is not defined before the loop has a shape all the same, or nothing that depends on it would have one.
TEST(LaneShapes, AValueThatIsUndefinedBeforeItsLoop) {
  const Shapes shapes = shapesOf(
      "  br label %loop\nloop:\n  %x = phi i32 [ undef, %start ], [ %y, %loop ]\n"
      "  %z = phi i32 [ undef, %start ], [ %w, %loop ]\n  %i = phi i32 [ 0, %start ], [ %next, %loop ]\n"
      "  %y = and i32 %x, 7\n  %w = add i32 %z, %lane\n  %next = add i32 %i, 1\n"
      "  %more = icmp ult i32 %next, %n\n  br i1 %more, label %loop, label %after\nafter:\n  ret void\n");
  EXPECT_EQ(shapes.values, "x:u z:v i:u y:u w:v next:u more:u ");
}

// The loop's only way out is a return, so that lanes which stay in it do not wait for those that leave; but
// where they part inside, they are apart.
TEST(LaneShapes, ALoopThatOnlyAReturnEnds) {
  const Shapes shapes = shapesOf(
      "  br label %loop\nloop:\n  %i = phi i32 [ 0, %start ], [ %next, %meet ]\n"
      "  %some = icmp eq i32 %lane, %i\n  br i1 %some, label %body, label %meet\nbody:\n"
      "  store i32 %i, ptr addrspace(5) %p\n  br label %meet\nmeet:\n  %next = add i32 %i, 1\n"
      "  %more = icmp ult i32 %next, %lane\n  br i1 %more, label %loop, label %end\nend:\n  ret void\n");
  EXPECT_EQ(shapes.apart, "loop body meet ");
}

TEST(LaneShapes, CodeThatOnlyReportsPartsNobody) {
  const Shapes shapes = shapesOf(
      "  %bad = icmp uge i32 %t, %n\n  br i1 %bad, label %fault, label %fine\nfault:\n  call void @report()\n"
      "  unreachable\nfine:\n  store i32 1, ptr addrspace(5) %p\n  ret void\n");
  EXPECT_EQ(shapes.apart, "");
}

} // namespace assay::lowering::vector::test
