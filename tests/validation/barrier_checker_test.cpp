// Barriers that not all pass: by events. Kernels are in pairs/divergent_barriers.metal.
#include "emulator/validation/barrier_checker.h"

#include "tests/validation/trace.h"

#include <gmock/gmock.h>

namespace assay::validation {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

struct BarrierCheckerTest : ::testing::Test {
  BarrierCheckerTest() {
    here.where = {"k.metal", 4, 1};
    copy.where = here.where;
    there.where = {"k.metal", 9, 1};
    checks.groupBegin(group);
    sites.assign(40, &here);
    flags.assign(40, 0);
    iterations.assign(40, 0);
  }
  std::vector<Finding> atBarrier() {
    checks.barrier(group, {sites.data(), 40, flags.data(), iterations.data()});
    return checks.takeFindings();
  }
  SiteInfo here, copy, there;
  std::vector<const SiteInfo *> sites;
  std::vector<uint32_t> flags;
  std::vector<uint64_t> iterations;
  DispatchAbi abi{};
  GroupEvent group{{2, 0, 0}, {40, 1, 1}, {}, &abi};
  Checks checks{*CheckRules::parse("barrier-divergence,barrier-skipped,simdgroup-barrier-lanes"), {}};
};

TEST_F(BarrierCheckerTest, AllAtOneBarrierIsWell) {
  EXPECT_THAT(atBarrier(), SizeIs(0));
}

TEST_F(BarrierCheckerTest, TwoBarriersAreNamed) {
  sites[39] = &there;
  const std::vector<Finding> found = atBarrier();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].warning.rule, "barrier-divergence");
  EXPECT_EQ(found[0].warning.where.line, 9u);
  EXPECT_EQ(found[0].notes.at(0).where.line, 4u);
  EXPECT_THAT(found[0].warning.message,
              HasSubstr("thread 39 (lane 7 of simdgroup 1) of threadgroup (2,0,0)"));
}

TEST_F(BarrierCheckerTest, CopiesOfOneBarrierAreOne) {
  sites[39] = &copy;
  iterations[39] = 1;
  EXPECT_THAT(atBarrier(), SizeIs(0));
}

TEST_F(BarrierCheckerTest, AnotherIterationIsAnotherVisit) {
  iterations[20] = 1;
  const std::vector<Finding> found = atBarrier();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].warning.message, HasSubstr("it in another iteration"));
}

TEST_F(BarrierCheckerTest, ThreadsThatHaveReturnedAreCounted) {
  sites[0] = sites[5] = nullptr;
  const std::vector<Finding> found = atBarrier();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].warning.rule, "barrier-skipped");
  EXPECT_THAT(found[0].warning.message,
              HasSubstr("2 of 40 threads have returned without it, the first is thread 0"));
}

TEST_F(BarrierCheckerTest, ASimdgroupBarrierNeedsTheLanesThatExist) {
  here.op = SimdOp::Barrier;
  const std::array<uint32_t, 32> operand{};
  const auto meet = [&](uint32_t simdgroup, uint32_t mask) {
    checks.simdOp(group, {&here, simdgroup, mask, nullptr, nullptr, operand.data()});
    return checks.takeFindings();
  };
  EXPECT_THAT(meet(0, ~0u), SizeIs(0));
  EXPECT_THAT(meet(1, 0xff), SizeIs(0)) << "it has eight lanes";
  std::vector<Finding> found = meet(0, 0xffff);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].warning.message,
            "simdgroup 0 of threadgroup (2,0,0) is at this simdgroup_barrier without lanes 16 to 31");
  checks.threadEnd(group, 39);
  found = meet(1, 0x7f);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].warning.message, HasSubstr("without lane 7, which returned before"));
}

} // namespace
} // namespace assay::validation
