// Which kernels no thread of which can see what another one does: a table of bodies.
#include "kernel_runner.h"

#include <optional>

namespace assay::lowering::test {
namespace {

constexpr uint32_t kIn = 1u, kOne = 1u << 1, kTwo = 1u << 2;

// What is found out of a kernel with this body. It has three buffers and the thread's column in the grid.
// `to0`, `to1` and `to2` are the thread's own words of them.
IndependentThreads foundIn(const std::string &body) {
  Kernel kernel(R"(
@shared = internal addrspace(3) global [32 x i32] undef
@table = internal constant [2 x i32] [i32 3, i32 4]
declare float @llvm.sqrt.f32(float)
define void @k() {
  %in = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %one = call ptr addrspace(5) @__assay_buffer_device(i32 1)
  %two = call ptr addrspace(5) @__assay_buffer_device(i32 2)
  %at = call i32 @__assay_builtin(i32 COLUMN, i32 0)
  %row = call i32 @__assay_builtin(i32 COLUMN, i32 1)
  %x = zext i32 %at to i64
  %to0 = getelementptr i32, ptr addrspace(5) %in, i64 %x
  %to1 = getelementptr i32, ptr addrspace(5) %one, i64 %x
  %to2 = getelementptr i32, ptr addrspace(5) %two, i64 %x
)" + body + "}");
  const std::string name = "COLUMN", column = std::to_string(uint32_t(Builtin::ThreadPositionInGrid));
  for (size_t at = kernel.ir.find(name); at != std::string::npos; at = kernel.ir.find(name))
    kernel.ir.replace(at, name.size(), column);
  const Result<LoweredKernel> lowered = kernel.lower();
  EXPECT_TRUE(lowered) << renderDiagnostics(lowered ? std::vector<Diagnostic>()
                                                    : lowered.error().diagnostics);
  return lowered ? lowered->info.independent : IndependentThreads();
}

// The buffers to which it stores; nullopt if threads may depend on each other.
std::optional<uint32_t> written(const std::string &body) {
  const IndependentThreads found = foundIn(body);
  return found.known ? std::optional(found.written) : std::nullopt;
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

// A buffer may be read and written if each thread does so to an element of its own.
TEST(IndependentThreads, HaveElementsOfTheirOwn) {
  const auto check = [](const std::string &body, uint32_t own, bool inRows) {
    const IndependentThreads found = foundIn(body);
    EXPECT_TRUE(found.known) << body;
    EXPECT_EQ(found.ownElements, own) << body;
    EXPECT_EQ(found.inRows, inRows) << body;
  };
  const std::string load0 = "  %a = load i32, ptr addrspace(5) %to0, align 1\n";
  const std::string load1 = "  %b = load i32, ptr addrspace(5) %to1, align 1\n";
  const std::string sum = "  %v = add i32 %a, %b\n";
  check(load0 + load1 + sum + "  store i32 %v, ptr addrspace(5) %to2\n" + kEnd, kIn | kOne | kTwo, false);
  check(load0 + load1 + sum + kStore + kEnd, kIn | kOne, true);
  check(kLoad + kStore + kEnd, kOne, false); // all threads read one element of %in
  // Elements of another size, from another place, and by another number.
  check("  %s = load i16, ptr addrspace(5) %to0\n  %v = zext i16 %s to i32\n" + kStore + kEnd, kOne, false);
  check(R"(
  %next = getelementptr i32, ptr addrspace(5) %to0, i64 1
  %v = load i32, ptr addrspace(5) %next
)" + kStore +
            kEnd,
        kOne, false);
  check(R"(
  %y = zext i32 %row to i64
  %other = getelementptr i32, ptr addrspace(5) %in, i64 %y
  %v = load i32, ptr addrspace(5) %other
)" + kStore +
            kEnd,
        kOne, false);
  EXPECT_EQ(written(load1 + kLoad + kStore + "  %c = load i32, ptr addrspace(5) %one\n" +
                    "  store i32 %c, ptr addrspace(5) %to2\n" + kEnd),
            std::nullopt)
      << "the first element, too";
}

TEST(IndependentThreads, DoNotReadWhatOthersWrite) {
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
    return written("  %to = getelementptr " + unit + R"(, ptr addrspace(5) %one, i64 %x
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
