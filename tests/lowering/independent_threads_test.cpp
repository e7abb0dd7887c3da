// Which kernels no thread of which can see what another one does: a table of bodies.
#include "kernel_runner.h"

#include <optional>

namespace assay::lowering::test {
namespace {

constexpr uint32_t kOne = 1u << 1, kTwo = 1u << 2;

// The buffers to which a kernel with this body stores. It has three buffers, two addresses and the thread's
// position.
std::optional<uint32_t> written(const std::string &body) {
  Kernel kernel(R"(
@shared = internal addrspace(3) global [32 x i32] undef
@table = internal constant [2 x i32] [i32 3, i32 4]
declare float @llvm.sqrt.f32(float)
define void @k() {
  %in = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %one = call ptr addrspace(5) @__assay_buffer_device(i32 1)
  %two = call ptr addrspace(5) @__assay_buffer_device(i32 2)
  %at = call i32 @__assay_builtin(i32 0, i32 0)
  %to1 = getelementptr i32, ptr addrspace(5) %one, i32 %at
  %to2 = getelementptr i32, ptr addrspace(5) %two, i32 %at
)" + body + "}");
  const Result<LoweredKernel> lowered = kernel.lower();
  EXPECT_TRUE(lowered) << renderDiagnostics(lowered ? std::vector<Diagnostic>()
                                                    : lowered.error().diagnostics);
  if (!lowered || !lowered->info.independentThreads)
    return std::nullopt;
  return lowered->info.writtenBuffers;
}

const std::string kLoad = "  %v = load i32, ptr addrspace(5) %in\n", kEnd = "  ret void\n";
const std::string kStore = "  store i32 %v, ptr addrspace(5) %to1, align 1\n";
const std::string kStoreToTwo = "  store i32 %at, ptr addrspace(5) %to2, align 1\n";
const std::string kBarrier = "  call void @__assay_threadgroup_barrier(i32 2)\n";
const std::string kLoadPointer = "  %p = load ptr addrspace(5), ptr addrspace(5) %in\n";

TEST(IndependentThreads, StoreOnceToEachBuffer) {
  EXPECT_EQ(written(kLoad + kStore + kEnd), kOne);
  EXPECT_EQ(written(kLoad + kStore + kStoreToTwo + kEnd), kOne | kTwo);
  EXPECT_EQ(written(kEnd), 0u);
  // A function without memory, a constant, and a branch.
  EXPECT_EQ(written(R"(
  %f = load float, ptr addrspace(5) %in
  %root = call float @llvm.sqrt.f32(float %f)
  %odd = and i32 %at, 1
  %entry = getelementptr i32, ptr @table, i32 %odd
  %k = load i32, ptr %entry
  %some = icmp ult i32 %at, %k
  br i1 %some, label %store, label %done
store:
  store float %root, ptr addrspace(5) %to1, align 1
  br label %done
done:
  ret void
)"),
            kOne);
}

TEST(IndependentThreads, DoNotReadWhatTheyWrite) {
  EXPECT_EQ(written("  %v = load i32, ptr addrspace(5) %one\n" + kStore + kEnd), std::nullopt);
  EXPECT_EQ(written(kLoad + kStore + "  store i32 %v, ptr addrspace(5) %in\n" + kEnd), std::nullopt);
}

TEST(IndependentThreads, DoNotWriteABufferInTwoPlaces) {
  EXPECT_EQ(written(kLoad + kStore + "  store i32 %at, ptr addrspace(5) %one, align 1\n" + kEnd),
            std::nullopt);
  EXPECT_EQ(written(kLoad + R"(
  %odd = trunc i32 %at to i1
  %to = select i1 %odd, ptr addrspace(5) %one, ptr addrspace(5) %two
  store i32 %v, ptr addrspace(5) %to, align 1
)" + kEnd),
            std::nullopt);
}

TEST(IndependentThreads, DoNotWritePartsOfEachOthersElements) {
  const auto pair = [](const std::string &unit) {
    return written("  %to = getelementptr " + unit + R"(, ptr addrspace(5) %one, i32 %at
  store <2 x i32> <i32 1, i32 2>, ptr addrspace(5) %to, align 1
)" + kEnd);
  };
  EXPECT_EQ(pair("i64"), kOne);
  EXPECT_EQ(pair("[3 x i64]"), kOne);
  EXPECT_EQ(pair("i32"), std::nullopt) << "two threads write one word with different halves";
  EXPECT_EQ(pair("[3 x i32]"), std::nullopt);
}

TEST(IndependentThreads, HaveNoLoopsAndNothingInCommon) {
  EXPECT_EQ(written(kLoad + R"(
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %next = add i32 %i, 3
  %more = icmp ult i32 %next, %v
  br i1 %more, label %loop, label %done
done:
  store i32 %next, ptr addrspace(5) %to1, align 1
)" + kEnd),
            std::nullopt);
  EXPECT_EQ(written(kLoad + kStore + kBarrier + kEnd), std::nullopt);
  EXPECT_EQ(written(kLoad + kStore + "  store i32 %v, ptr addrspace(3) @shared\n" + kEnd), std::nullopt);
  EXPECT_EQ(written("  %v = load volatile i32, ptr addrspace(5) %in\n" + kStore + kEnd), std::nullopt);
  EXPECT_EQ(written("  %v = load atomic i32, ptr addrspace(5) %in monotonic, align 4\n" + kStore + kEnd),
            std::nullopt);
  EXPECT_EQ(written("  %v = atomicrmw add ptr addrspace(5) %in, i32 1 monotonic\n" + kStore + kEnd),
            std::nullopt);
  EXPECT_EQ(written(kLoadPointer + "  store i32 1, ptr addrspace(5) %p\n" + kEnd), std::nullopt)
      << "a pointer out of a buffer";
}

} // namespace
} // namespace assay::lowering::test
