// In every version of Metal, the right side of an assignment to a swizzle is called before its left side.
// What is computed: tests/language/vectors.rows.
#include "frontend/compile.h"

#include <gmock/gmock.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

using namespace assay;
using namespace assay::frontend;

namespace {

// The calls of left(), right() and again() in a kernel with this body, by their first letters.
std::string callsIn(const std::string &body, LanguageVersion version) {
  SourceRequest request;
  request.path = "k.metal";
  request.language = version;
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n"
                 "__attribute__((noinline)) static device float4 &left(device float4 *v) { return v[1]; }\n"
                 "__attribute__((noinline)) static device float4 &right(device float4 *v) { return v[2]; }\n"
                 "__attribute__((noinline)) static float4 again(device float4 *v) { return v[3]; }\n"
                 "template <typename T> void in(device T *v) { left(v).xy *= right(v).x; }\n"
                 "template <typename T> void from(device T *v) { left(v).xy = right(v).yx; }\n"
                 "kernel void k(device float4 *v) {\n" +
                 body + "\n}\n";
  const Result<CompiledModule> compiled = compile(request);
  if (!compiled)
    return renderDiagnostics(compiled.error().diagnostics);
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(compiled->bitcode, "k"), context);
  if (!module)
    return llvm::toString(module.takeError());
  std::string calls;
  for (llvm::Function &function : **module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->getCalledFunction())
        for (const char *name : {"left", "right", "again"})
          if (call->getCalledFunction()->getName().contains(name))
            calls += name[0];
  return calls;
}

class Assignment : public testing::TestWithParam<const char *> {};

TEST_P(Assignment, CallsItsRightSideFirst) {
  for (const LanguageVersion version : {LanguageVersion::Any, LanguageVersion::Metal3_1})
    EXPECT_EQ(callsIn(GetParam(), version), "rl");
}

INSTANTIATE_TEST_SUITE_P(AssignmentOrder, Assignment,
                         testing::Values("left(v).xy = right(v).x;", "left(v).xy = right(v).yx;",
                                         "left(v).xyzw = right(v);", "left(v).xy = float2(right(v).x, 1);",
                                         "left(v).xy = {right(v).x, 1};", "left(v).xy += right(v).x;",
                                         "left(v).xy -= right(v).yx;", "left(v).xyzw *= right(v);",
                                         "left(v).xy /= float2(right(v).x, 1);",
                                         "left(v).xy += right(v).xy * v->yx;", "left(v).hi = right(v).lo;",
                                         "left(v).odd += right(v).even;", "left(v).wzyx.xy = right(v).x;",
                                         "left(v).hi.hi = right(v).x;", "left(v).zw[1] = right(v).x;",
                                         "left(v).zw.y += right(v).x;", "in(v);", "from(v);",
                                         "auto f = right(v).xy; left(v).xy = f;"));

TEST(AssignmentOrder, AnAssignmentOfAnAssignment) {
  EXPECT_EQ(callsIn("left(v).xy = right(v).zw = again(v).yx;", LanguageVersion::Any), "arl");
  EXPECT_EQ(callsIn("left(v).xy += right(v).zw -= again(v).yx;", LanguageVersion::Any), "arl");
}

} // namespace
