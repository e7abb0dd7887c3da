// What is not followed counts as defined.
#include "lowering/shadow_flow.h"

#include "tests/lowering/tracked_kernel.h"

namespace assay::lowering::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kStore = "store i32 %v, ptr addrspace(5) %out\n ret void\n";

TEST(ShadowFlow, FollowsAPointerToAPartOfAVariable) {
  EXPECT_THAT(run("%p = getelementptr i8, ptr %a, i32 8\n %v = load i32, ptr %p\n" + kStore).what,
              ElementsAre("store a[2]"));
}

TEST(ShadowFlow, AVariableWhoseAddressIsChosenCountsAsDefined) {
  EXPECT_THAT(run("%n = load i32, ptr addrspace(5) %in\n %w = and i32 %n, 3\n %c = icmp eq i32 %n, 1\n"
                  "%e = getelementptr [4 x i32], ptr %a, i32 0, i32 %w\n"
                  "%b = alloca [4 x i32]\n %f = getelementptr [4 x i32], ptr %b, i32 0, i32 %w\n"
                  "%p = select i1 %c, ptr %e, ptr %f\n %v = load i32, ptr %p\n" +
                  kStore)
                  .what,
              IsEmpty());
}

TEST(ShadowFlow, AStoreThroughAnUnknownPointerIsToldToTheRuntime) {
  Kernel k = tracked("%n = load i64, ptr addrspace(5) %in\n %p = inttoptr i64 %n to ptr\n"
                     "store i32 5, ptr %p\n ret void\n");
  std::vector<uint32_t> out(4);
  std::vector<uint64_t> in{reinterpret_cast<uintptr_t>(out.data())};
  k.bind(0, out);
  k.bind(1, in);
  ASSERT_TRUE(k.run());
  EXPECT_EQ(out[0], 5u);
  const auto told =
      std::find_if(k.calls.begin(), k.calls.end(), [](const Call &call) { return call.name == "written"; });
  ASSERT_NE(told, k.calls.end());
  EXPECT_EQ(told->address, reinterpret_cast<uintptr_t>(out.data()));
  EXPECT_EQ(told->bytes, 4u);
}

TEST(ShadowFlow, AStoreToAnUnknownBufferIsADecision) {
  Kernel k = tracked("%n = load i64, ptr addrspace(5) %in\n %p = inttoptr i64 %n to ptr addrspace(5)\n"
                     "%v = load i32, ptr %x\n store i32 %v, ptr addrspace(5) %p\n ret void\n");
  std::vector<uint32_t> out(4);
  std::vector<uint64_t> in{reinterpret_cast<uintptr_t>(out.data())};
  k.bind(0, out);
  k.bind(1, in);
  ASSERT_TRUE(k.run());
  EXPECT_TRUE(
      std::any_of(k.calls.begin(), k.calls.end(), [](const Call &call) { return call.name == "undefined"; }));
}

TEST(ShadowFlow, AKernelWithoutUndefinedValuesHasNoDecisions) {
  Kernel k = tracked("store i32 1, ptr %x\n %v = load i32, ptr %x\n" + kStore);
  EXPECT_THAT(run(k).what, IsEmpty());
  for (const SiteInfo &site : k.code().sites)
    EXPECT_NE(site.kind, SiteKind::Decision);
}

} // namespace
} // namespace assay::lowering::test
