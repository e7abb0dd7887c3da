// Where variables without a value are born.
#include "lowering/unwritten_values.h"

#include "tests/lowering/tracked_kernel.h"

namespace assay::lowering::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(UnwrittenValues, EachIterationHasANewVariable) {
  const std::string loop = R"(
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %again ]
  call void @llvm.lifetime.start.p0(i64 4, ptr %x)
  %first = icmp eq i32 %i, 0
  br i1 %first, label %write, label %again
write:
  store i32 6, ptr %x
  br label %again
again:
  %v = load i32, ptr %x
  %p = getelementptr i32, ptr addrspace(5) %out, i32 %i
  store i32 %v, ptr addrspace(5) %p
  call void @llvm.lifetime.end.p0(i64 4, ptr %x)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 3
  br i1 %more, label %loop, label %exit
exit:
  ret void
)";
  const Reports reports = run(loop);
  EXPECT_THAT(reports.what, ElementsAre("store x", "store x"));
  EXPECT_THAT(reports.out, ElementsAre(6u, 0u, 0u, 77u)) << "as without tracking";
  EXPECT_EQ(run(loop, TrackUndefined::No).out, reports.out);
}

TEST(UnwrittenValues, PartsHaveNamesAndTheDeclaration) {
  Kernel k = tracked("%p = getelementptr i8, ptr %a, i32 12\n %v = load i32, ptr %p\n"
                     "store i32 %v, ptr addrspace(5) %out\n ret void\n");
  EXPECT_THAT(run(k).what, ElementsAre("store a[3]"));
  for (const Birth &birth : k.code().births)
    if (birth.name == "a[3]") {
      EXPECT_EQ(birth.where.file, "test.metal");
      EXPECT_EQ(birth.where.line, 5u);
      EXPECT_EQ(birth.where.column, 7u);
    }
}

TEST(UnwrittenValues, WhatIsNoPartIsDefined) {
  Kernel k = tracked("%p = getelementptr i8, ptr %a, i32 4\n %v = load i32, ptr %p\n"
                     "store i32 %v, ptr addrspace(5) %out\n ret void\n");
  const std::string part = "4 4 0 a[1]\\0A";
  ASSERT_NE(k.ir.find(part), k.ir.npos);
  k.ir.erase(k.ir.find(part), part.size());
  EXPECT_THAT(run(k).what, IsEmpty());
}

} // namespace
} // namespace assay::lowering::test
