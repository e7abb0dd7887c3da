// The reference on small modules: who meets, who waits, what is refused.
#include "kernel_runner.h"

#include "lowering/reference/reference_kernel.h"

namespace assay::lowering::test {
namespace {

constexpr uint32_t kLaneIndex = uint32_t(Builtin::ThreadIndexInSimdgroup);

// A kernel with `lane` and an address for each lane in buffer 0.
struct Reference {
  explicit Reference(const std::string &body, uint32_t threads = 4, uint64_t mostSteps = kMostReferenceSteps)
      : out(64) {
    const std::string ir = "define void @k() {\nentry:\n"
                           "  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
                           "  %lane = call i32 @__assay_builtin(i32 " +
                           std::to_string(kLaneIndex) +
                           ", i32 0)\n"
                           "  %p = getelementptr i32, ptr addrspace(5) %o, i32 %lane\n" +
                           body + "}\n";
    info.name = info.entrySymbol = "k";
    auto made = ReferenceKernel::make(bitcodeOf(ir), module, info, {}, {});
    if (!made) {
      error = made.error();
      return;
    }
    kernel = std::move(*made);
    dispatch.buffers[0] = {reinterpret_cast<uint8_t *>(out.data()), out.size() * 4};
    group.dispatch = &dispatch;
    ReferenceGroup run{&group, 0, std::vector<LaneAbi>(threads), {}, mostSteps};
    for (uint32_t i = 0; i < threads; ++i)
      run.threads[i].builtin[kLaneIndex][0] = i % kSimdWidth;
    run.meet = [&](const ReferenceMeeting &meeting) {
      met.push_back(meeting.active);
      for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
        if (meeting.active >> lane & 1 && meeting.out[lane])
          *static_cast<uint64_t *>(meeting.out[lane]) = meeting.active;
    };
    if (Result<void> done = kernel->run(run); !done)
      error = done.error();
  }

  ModuleInfo module;
  KernelInfo info;
  std::unique_ptr<ReferenceKernel> kernel;
  DispatchAbi dispatch{};
  GroupAbi group{};
  std::vector<uint32_t> out;
  std::vector<uint32_t> met; ///< the lanes of each operation, in order
  std::optional<Error> error;
};

std::string mask(const char *to) { // the lanes that are here, by the operation that gives them
  return "  call void @__assay_simd_op(i32 " + std::to_string(uint32_t(SimdOp::ActiveMask)) +
         ", i32 0, i32 0, ptr null, ptr " + to + ", i32 0)\n";
}

TEST(ReferenceKernel, LanesOfOnePathMeetAndAllOfThemAfterIt) {
  const Reference run("  %m = alloca i64\n"
                      "  %odd = and i32 %lane, 1\n  %c = icmp ne i32 %odd, 0\n"
                      "  br i1 %c, label %then, label %join\n"
                      "then:\n" +
                      mask("%m") + "  br label %join\njoin:\n" + mask("%m") +
                      "  %v = load i32, ptr %m\n  store i32 %v, ptr addrspace(5) %p\n  ret void\n");
  ASSERT_FALSE(run.error) << renderDiagnostics(run.error->diagnostics);
  EXPECT_THAT(run.met, testing::ElementsAre(0b1010, 0b1111));
  EXPECT_THAT(std::vector(run.out.begin(), run.out.begin() + 5), testing::ElementsAre(15, 15, 15, 15, 0));
}

TEST(ReferenceKernel, LanesOfOneIterationMeet) {
  const Reference run("  %m = alloca i64\n  br label %loop\n"
                      "loop:\n  %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n" +
                          mask("%m") +
                          "  %j = add i32 %i, 1\n  %c = icmp ult i32 %i, %lane\n"
                          "  br i1 %c, label %loop, label %end\n"
                          "end:\n  store i32 %j, ptr addrspace(5) %p\n  ret void\n",
                      3);
  ASSERT_FALSE(run.error) << renderDiagnostics(run.error->diagnostics);
  EXPECT_THAT(run.met, testing::ElementsAre(0b111, 0b110, 0b100));
  EXPECT_EQ(run.out[2], 3u);
}

TEST(ReferenceKernel, BarriersWaitForTheThreadsThatHaveNotEnded) {
  const Reference run(
      "  %c = icmp eq i32 %lane, 0\n  br i1 %c, label %end, label %wait\n"
      "wait:\n  store i32 1, ptr addrspace(5) %p\n"
      "  call void @__assay_threadgroup_barrier(i32 1)\n"
      "  %q = getelementptr i32, ptr addrspace(5) %o, i32 2\n  %v = load i32, ptr addrspace(5) %q\n"
      "  %w = add i32 %v, 4\n  %r = getelementptr i32, ptr addrspace(5) %p, i32 32\n"
      "  store i32 %w, ptr addrspace(5) %r\n  br label %end\nend:\n  ret void\n");
  ASSERT_FALSE(run.error) << renderDiagnostics(run.error->diagnostics);
  EXPECT_EQ(run.out[33], 5u) << "lane 1 reads what lane 2 stored before the barrier";
}

TEST(ReferenceKernel, RefusesAccessesOutsideAndWhatItDoesNotKnow) {
  const Reference outside("  %q = getelementptr i32, ptr addrspace(5) %p, i32 100\n"
                          "  store i32 1, ptr addrspace(5) %q\n  ret void\n");
  ASSERT_TRUE(outside.error);
  EXPECT_THAT(renderDiagnostics(outside.error->diagnostics), testing::HasSubstr("out-of-bounds"));

  const Reference unknown("  %x = sitofp i32 %lane to float\n  %s = call float @llvm.sin.f32(float %x)\n"
                          "  store float %s, ptr addrspace(5) %p\n  ret void\n}\n"
                          "declare float @llvm.sin.f32(float)\ndefine void @unused() {\n  ret void\n");
  ASSERT_TRUE(unknown.error);
  EXPECT_THAT(renderDiagnostics(unknown.error->diagnostics), testing::HasSubstr("llvm.sin"));
}

TEST(ReferenceKernel, EndsAKernelThatDoesNot) {
  const Reference endless("  br label %loop\nloop:\n  %v = load volatile i32, ptr addrspace(5) %p\n"
                          "  br label %loop\n",
                          1, 1000);
  ASSERT_TRUE(endless.error);
  EXPECT_THAT(renderDiagnostics(endless.error->diagnostics), testing::HasSubstr("no-progress"));
}

} // namespace
} // namespace assay::lowering::test
