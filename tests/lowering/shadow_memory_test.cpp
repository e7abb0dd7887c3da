// Shadows in memory: by byte, with an origin for each word.
#include "lowering/shadow_memory.h"

#include "tests/lowering/tracked_kernel.h"

namespace assay::lowering::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// %p points to the element of %a with the number that lies in in[0], which no pass knows.
const std::string kElement = "%n = load i32, ptr addrspace(5) %in\n"
                             "%p = getelementptr [4 x i32], ptr %a, i32 0, i32 %n\n";
const std::string kStore = "store i32 %v, ptr addrspace(5) %out\n ret void\n";

TEST(ShadowMemory, KnowsSingleBytes) {
  const std::string half = kElement + "store i16 7, ptr %p\n";
  EXPECT_THAT(run(half + "%h = load i16, ptr %p\n %v = zext i16 %h to i32\n" + kStore).what, IsEmpty());
  EXPECT_THAT(run(half + "%v = load i32, ptr %p\n" + kStore).what, ElementsAre("store a[1]"));
}

TEST(ShadowMemory, AVectorHasTheOriginOfItsUndefinedElement) {
  EXPECT_THAT(
      run(kElement +
          "store i32 7, ptr %p\n %w = load <2 x i32>, ptr %p\n %f = extractelement <2 x i32> %w, i32 0\n"
          "%s = extractelement <2 x i32> %w, i32 1\n %v = add i32 %f, %s\n" +
          kStore)
          .what,
      ElementsAre("store a[2]"));
}

TEST(ShadowMemory, CopiesAndFillsTakeShadowsAlong) {
  const std::string copy =
      "%b = alloca [4 x i32]\n call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 16, i1 false)\n"
      "%q = getelementptr [4 x i32], ptr %b, i32 0, i32 %n\n %v = load i32, ptr %q\n";
  EXPECT_THAT(run(kElement + copy + kStore).what, ElementsAre("store a[1]"));
  EXPECT_THAT(run(kElement + "store i32 1, ptr %p\n" + copy + kStore).what, IsEmpty());
  EXPECT_THAT(
      run(kElement + "call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 16, i1 false)\n" + copy + kStore).what,
      IsEmpty());
}

TEST(ShadowMemory, ACopyOutOfThreadgroupMemoryIsBornThere) {
  EXPECT_THAT(run(kElement +
                  "call void @llvm.memcpy.p0.p3.i64(ptr %a, ptr addrspace(3) @tile, i64 16, i1 false)\n"
                  "%v = load i32, ptr %p\n" +
                  kStore)
                  .what,
              ElementsAre("store tile 4"));
}

TEST(ShadowMemory, AnUpdateOfUnwrittenThreadgroupMemoryLeavesItSo) {
  const std::string add = "%o = atomicrmw add ptr addrspace(3) @tile, i32 1 monotonic\n";
  const std::string load = "%v = load atomic i32, ptr addrspace(3) @tile monotonic, align 4\n";
  EXPECT_THAT(run(add + load + kStore).what, ElementsAre("store tile 0"));
  EXPECT_THAT(
      run("store atomic i32 0, ptr addrspace(3) @tile monotonic, align 4\n" + add + load + kStore).what,
      IsEmpty());
  EXPECT_THAT(run("%o = atomicrmw xchg ptr addrspace(3) @tile, i32 1 monotonic\n" + load + kStore).what,
              IsEmpty());
}

} // namespace
} // namespace assay::lowering::test
