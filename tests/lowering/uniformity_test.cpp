// Which blocks may run while lanes of the simdgroup are elsewhere.
#include "lowering/uniformity.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace assay::lowering::test {
namespace {

// The blocks of @k that may miss lanes, in their order, each followed by a blank.
// %lane differs, %size and %n do not.
std::string missing(const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module =
      llvm::parseAssemblyString("declare i32 @__assay_builtin(i32, i32)\n"
                                "declare ptr addrspace(6) @__assay_buffer_constant(i32)\n"
                                "declare void @__assay_simd_op(i32, i32, i32, ptr, ptr, i32)\n"
                                "define void @k() {\nstart:\n  %in = alloca i32\n  %out = alloca i32\n"
                                "  %lane = call i32 @__assay_builtin(i32 3, i32 0)\n"
                                "  %size = call i32 @__assay_builtin(i32 8, i32 0)\n"
                                "  %p = call ptr addrspace(6) @__assay_buffer_constant(i32 0)\n"
                                "  %n = load i32, ptr addrspace(6) %p\n"
                                "  %differs = icmp ugt i32 %lane, 3\n"
                                "  %same = icmp ugt i32 %n, %size\n" +
                                    body + "}\n",
                                error, context);
  if (!module) {
    ADD_FAILURE() << error.getMessage().str();
    return "";
  }
  llvm::Function &function = *module->getFunction("k");
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const llvm::PostDominatorTree postDominators(function);
  const Uniformity uniformity(function, loops, postDominators);
  std::string names;
  for (const llvm::BasicBlock &block : function)
    if (uniformity.mayMissLanes(block))
      names += block.getName().str() + " ";
  return names;
}

TEST(Uniformity, ABranchThatAllTakeLeavesNobodyBehind) {
  EXPECT_EQ(missing("  br i1 %same, label %a, label %b\na:\n  br label %b\nb:\n  ret void\n"), "");
  EXPECT_EQ(missing("  br i1 %differs, label %a, label %b\na:\n  br label %b\nb:\n  ret void\n"), "a ");
}

TEST(Uniformity, WhoHasReturnedIsMissingUpToTheEnd) {
  EXPECT_EQ(
      missing(
          "  br i1 %differs, label %gone, label %a\ngone:\n  ret void\na:\n  br label %b\nb:\n  ret void\n"),
      "gone a b ");
}

TEST(Uniformity, ABranchInsideOfABranchDoesNotBringLanesBack) {
  EXPECT_EQ(
      missing(
          "  br i1 %differs, label %a, label %d\na:\n  br i1 %same, label %b, label %c\nb:\n  br label %c\n"
          "c:\n  br label %d\nd:\n  ret void\n"),
      "a b c ");
}

TEST(Uniformity, WhatJoinsDifferentPathsDiffers) {
  const char *const join =
      "  br i1 %differs, label %a, label %b\na:\n  br label %b\nb:\n  %x = phi i32 [ 0, %start ], "
      "[ 1, %a ]\n  %c = icmp eq i32 %x, 0\n  br i1 %c, label %d, label %e\nd:\n  br label %e\n"
      "e:\n  ret void\n";
  EXPECT_EQ(missing(join), "a d ");
  std::string same = join;
  same.replace(same.find("%differs"), 8, "%same");
  EXPECT_EQ(missing(same), "");
}

TEST(Uniformity, ALoopThatLanesLeaveAtDifferentTimes) {
  const char *const loop =
      "  br label %head\nhead:\n  %i = phi i32 [ 0, %start ], [ %j, %head ]\n  %j = add i32 %i, 1\n"
      "  %more = icmp ult i32 %j, %lane\n  br i1 %more, label %head, label %after\nafter:\n"
      "  %c = icmp eq i32 %j, 2\n  br i1 %c, label %a, label %b\na:\n  br label %b\nb:\n  ret void\n";
  EXPECT_EQ(missing(loop), "head a ");
  std::string same = loop;
  same.replace(same.find("%lane", same.find("icmp ult")), 5, "%size");
  EXPECT_EQ(missing(same), "");
}

TEST(Uniformity, AResultThatAllGetIsOneValue) {
  const auto after = [](int op) {
    return missing(
        "  store i32 %lane, ptr %in\n  call void @__assay_simd_op(i32 " + std::to_string(op) +
        ", i32 5, i32 1, ptr %in, ptr %out, i32 0)\n  %r = load i32, ptr %out\n"
        "  %c = icmp eq i32 %r, 7\n  br i1 %c, label %a, label %b\na:\n  br label %b\nb:\n  ret void\n");
  };
  EXPECT_EQ(after(12), "") << "simd_sum";
  EXPECT_EQ(after(6), "a ") << "simd_shuffle_up";
}

} // namespace
} // namespace assay::lowering::test
