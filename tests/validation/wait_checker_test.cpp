// Waiting for another threadgroup: by events. Kernels are in pairs/threadgroup_waits.metal.
#include "emulator/validation/wait_checker.h"

#include "tests/validation/trace.h"

#include <gmock/gmock.h>

namespace assay::validation::test {
namespace {

struct Waits : Trace {
  Waits() : Trace(false, 32, 4, *CheckRules::parse("threadgroup-wait"), true) {}
  uint32_t store(uint32_t byte) { return access(AccessKind::Atomic, 0, device(byte), 4, AtomicKind::Store); }
  uint32_t update(uint32_t byte) {
    return access(AccessKind::Atomic, 0, device(byte), 4, AtomicKind::Update);
  }
  void next(uint32_t position) {
    endGroup();
    group(position);
  }
};

TEST(WaitChecker, FindsAValueOfAnotherThreadgroup) {
  Waits waits;
  const uint32_t stored = waits.store(4);
  waits.next(1);
  const uint32_t polled = waits.poll(5, waits.device(4));
  waits.endGroup();
  const std::vector<Finding> found = waits.findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found, testing::HasFinding("threadgroup-wait", polled, stored));
  EXPECT_THAT(found[0].warning.message,
              ::testing::HasSubstr("thread 5 (lane 5 of simdgroup 0) of threadgroup (1,0,0) waits here for "
                                   "what threadgroup (0,0,0) writes to"));
}

TEST(WaitChecker, WaitingForItsOwnThreadgroupIsNone) {
  Waits waits;
  waits.store(4);
  waits.poll(5, waits.device(4));
  waits.poll(5, waits.threadgroup(4));
  waits.endGroup();
  EXPECT_THAT(waits.findings(), testing::NoFindings());
}

TEST(WaitChecker, ATicketTellsThatLowerOnesHaveBegun) {
  for (const bool takes : {false, true}) {
    Waits waits;
    waits.update(0);
    waits.store(4);
    waits.next(1);
    if (takes)
      waits.update(0);
    waits.poll(5, waits.device(4));
    waits.endGroup();
    EXPECT_EQ(waits.findings().empty(), takes);
  }
}

TEST(WaitChecker, AStoreTellsNothing) {
  Waits waits;
  waits.store(0);
  waits.store(4);
  waits.next(1);
  waits.store(0);
  waits.poll(5, waits.device(4));
  waits.endGroup();
  EXPECT_THAT(waits.findings(), testing::HasFinding("threadgroup-wait"));
}

TEST(WaitChecker, ADispatchThatEndsInAWaitWaitedForThoseThatHadNotBegun) {
  for (const uint32_t times : {10u, 5000u}) {
    Waits waits;
    waits.update(4);
    const uint32_t polled = waits.poll(5, waits.device(4), times);
    const std::vector<Finding> found = waits.findings();
    if (times < 100) {
      EXPECT_THAT(found, testing::NoFindings()) << "something else has ended it";
      continue;
    }
    EXPECT_THAT(found, testing::HasFinding("threadgroup-wait", polled));
    EXPECT_THAT(found[0].warning.message, ::testing::HasSubstr("3 of 4 threadgroups have not begun"));
  }
}

TEST(WaitChecker, WhereAllHaveBegunOrTheThreadgroupHasEndedThereIsNone) {
  Waits all;
  for (uint32_t position = 1; position < 4; ++position)
    all.next(position);
  all.poll(5, all.device(4), 5000);
  EXPECT_THAT(all.findings(), testing::NoFindings());
  Waits ended;
  ended.poll(5, ended.device(4), 5000);
  ended.endGroup();
  EXPECT_THAT(ended.findings(), testing::NoFindings());
}

} // namespace
} // namespace assay::validation::test
