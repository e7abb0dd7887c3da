// Instructions of the reference's lane, one kernel each.
#include "kernel_runner.h"

#include "lowering/reference/reference_kernel.h"

namespace assay::lowering::test {
namespace {

// What one lane stores to its buffer, whose words are 10, 11, 12, .. before: at %o.
std::vector<uint32_t> wordsOf(const std::string &body) {
  KernelInfo info;
  info.name = info.entrySymbol = "k";
  auto kernel = ReferenceKernel::make(bitcodeOf("define void @k() {\nentry:\n  %o = call ptr addrspace(5) "
                                                "@__assay_buffer_device(i32 0)\n" +
                                                body + "  ret void\n}\n"),
                                      {}, info, {}, {});
  EXPECT_TRUE(kernel) << (kernel ? "" : renderDiagnostics(kernel.error().diagnostics));
  std::vector<uint32_t> words{10, 11, 12, 13, 14, 15, 16, 17};
  if (!kernel)
    return words;
  DispatchAbi dispatch{};
  dispatch.buffers[0] = {reinterpret_cast<uint8_t *>(words.data()), words.size() * 4};
  GroupAbi group{};
  group.dispatch = &dispatch;
  const Result<void> done =
      (*kernel)->run({&group, 0, std::vector<LaneAbi>(1), [](const ReferenceMeeting &) {}});
  EXPECT_TRUE(done) << (done ? "" : renderDiagnostics(done.error().diagnostics));
  return words;
}

uint32_t wordOf(const std::string &body) {
  return wordsOf("  %a = load i32, ptr addrspace(5) %o\n" + body +
                 "  store i32 %r, ptr addrspace(5) %o\n")[0];
}

TEST(ReferenceLane, ComputesIntegersAndCasts) {
  EXPECT_EQ(wordOf("  %b = sub i32 %a, 12\n  %r = sdiv i32 %b, 2\n"), uint32_t(-1));
  EXPECT_EQ(wordOf("  %b = trunc i32 %a to i4\n  %r = sext i4 %b to i32\n"), uint32_t(-6));
  EXPECT_EQ(wordOf("  %c = icmp slt i32 %a, 11\n  %r = select i1 %c, i32 1, i32 2\n"), 1u);
  EXPECT_EQ(
      wordOf("  %f = sitofp i32 %a to float\n  %g = fmul float %f, 2.5\n  %r = bitcast float %g to i32\n"),
      std::bit_cast<uint32_t>(25.0f));
  EXPECT_EQ(wordOf("  %f = sitofp i32 %a to float\n  %g = fneg float %f\n  %r = bitcast float %g to i32\n"),
            std::bit_cast<uint32_t>(-10.0f));
}

TEST(ReferenceLane, FollowsBranchesSwitchesAndPhis) {
  EXPECT_EQ(
      wordOf("  br label %loop\nloop:\n  %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n"
             "  %x = phi i32 [ 1, %entry ], [ %y, %loop ]\n  %y = phi i32 [ 2, %entry ], [ %x, %loop ]\n"
             "  %j = add i32 %i, 1\n  %c = icmp ult i32 %j, %a\n  br i1 %c, label %loop, label %end\n"
             "end:\n  %t = mul i32 %x, 100\n  %r = add i32 %t, %y\n"),
      201u)
      << "both phis change at once, nine times";
  EXPECT_EQ(wordOf("  switch i32 %a, label %other [ i32 10, label %ten\n i32 3, label %other ]\n"
                   "ten:\n  br label %end\nother:\n  br label %end\n"
                   "end:\n  %r = phi i32 [ 7, %ten ], [ 8, %other ]\n"),
            7u);
}

TEST(ReferenceLane, HasVectorsAndVariables) {
  EXPECT_EQ(wordsOf("  %v = load <4 x i32>, ptr addrspace(5) %o, align 4\n"
                    "  %w = shufflevector <4 x i32> %v, <4 x i32> <i32 1, i32 2, i32 3, i32 4>, <4 x i32> "
                    "<i32 3, i32 4, i32 0, i32 7>\n"
                    "  store <4 x i32> %w, ptr addrspace(5) %o, align 4\n"),
            (std::vector<uint32_t>{13, 1, 10, 4, 14, 15, 16, 17}));
  EXPECT_EQ(wordOf("  %m = alloca [4 x i32]\n  %i = and i32 %a, 3\n"
                   "  %p = getelementptr [4 x i32], ptr %m, i32 0, i32 %i\n  store volatile i32 %a, ptr %p\n"
                   "  %q = getelementptr i8, ptr %m, i64 8\n  %r = load volatile i32, ptr %q\n"),
            10u);
}

TEST(ReferenceLane, PutsValuesTogether) {
  EXPECT_EQ(wordOf("  %x = insertvalue { <2 x i32>, i32 } zeroinitializer, i32 %a, 1\n"
                   "  %y = insertvalue { <2 x i32>, i32 } %x, <2 x i32> <i32 3, i32 4>, 0\n"
                   "  br label %next\nnext:\n  %p = phi { <2 x i32>, i32 } [ %y, %entry ]\n"
                   "  %c = extractvalue { <2 x i32>, i32 } %p, 1\n"
                   "  %v = extractvalue { <2 x i32>, i32 } %p, 0\n"
                   "  %d = extractelement <2 x i32> %v, i32 1\n  %r = shl i32 %c, %d\n"),
            160u);
}

TEST(ReferenceLane, UpdatesMemory) {
  EXPECT_EQ(wordsOf("  %a = atomicrmw umax ptr addrspace(5) %o, i32 99 monotonic\n"
                    "  %p = getelementptr i32, ptr addrspace(5) %o, i32 1\n"
                    "  %b = cmpxchg ptr addrspace(5) %p, i32 11, i32 50 monotonic monotonic\n"
                    "  %c = extractvalue { i32, i1 } %b, 0\n"
                    "  %q = getelementptr i32, ptr addrspace(5) %o, i32 2\n"
                    "  store i32 %c, ptr addrspace(5) %q\n"
                    "  %s = getelementptr i32, ptr addrspace(5) %o, i32 3\n"
                    "  store i32 %a, ptr addrspace(5) %s\n"),
            (std::vector<uint32_t>{99, 50, 11, 10, 14, 15, 16, 17}));
}

TEST(ReferenceLane, ReadsConstants) {
  EXPECT_EQ(
      wordOf("  %i = and i32 %a, 3\n  %p = getelementptr [4 x i32], ptr addrspace(6) @table, i32 0, i32 %i\n"
             "  %v = load i32, ptr addrspace(6) %p\n  %r = add i32 %v, 0\n"
             "  store i32 %r, ptr addrspace(5) %o\n  ret void\n}\n"
             "@table = internal addrspace(6) constant [4 x i32] [i32 5, i32 6, i32 70, i32 8]\n"
             "define void @unused(ptr addrspace(5) %o, i32 %r) {\n"),
      70u);
}

} // namespace
} // namespace assay::lowering::test
