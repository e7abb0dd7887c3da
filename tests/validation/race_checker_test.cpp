// Races by events: rules, words and what is no race. Kernels are in pairs/, random runs in oracle_test.cpp.
#include "emulator/validation/race_checker.h"

#include "tests/validation/trace.h"

#include <gmock/gmock.h>

namespace assay::validation::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string onlyRule(Trace &trace) {
  const std::vector<Finding> found = trace.findings();
  return found.size() == 1 ? found[0].warning.rule : std::to_string(found.size()) + " findings";
}

TEST(RaceChecker, NamesTheRuleByWhoAndWhere) {
  const auto rule = [](bool inThreadgroup, uint32_t second, bool anotherGroup) {
    Trace trace;
    const uint64_t address = inThreadgroup ? trace.threadgroup(8) : trace.device(8);
    trace.access(AccessKind::Write, 3, address);
    if (anotherGroup)
      trace.group(1);
    trace.access(AccessKind::Read, second, address);
    return onlyRule(trace);
  };
  EXPECT_EQ(rule(true, 40, false), "race-threadgroup");
  EXPECT_EQ(rule(false, 40, false), "race-device");
  EXPECT_EQ(rule(true, 4, false), "race-lanes");
  EXPECT_EQ(rule(false, 3, true), "race-grid");
  EXPECT_EQ(rule(true, 40, true), "0 findings") << "each threadgroup has memory of its own";
  EXPECT_EQ(rule(false, 3, false), "0 findings") << "a thread is in order with itself";
}

TEST(RaceChecker, SaysBothPlacesThreadsAndWhatHelps) {
  Trace trace;
  trace.access(AccessKind::Write, 3, trace.threadgroup(8));
  trace.access(AccessKind::Read, 40, trace.threadgroup(8));
  const std::vector<Finding> found = trace.findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].warning.where.line, 2u);
  EXPECT_EQ(
      found[0].warning.message,
      "read of threadgroup memory by thread 40 (lane 8 of simdgroup 1) of threadgroup (0,0,0) races with "
      "the write by thread 3 (lane 3 of simdgroup 0)");
  EXPECT_EQ(found[0].notes.at(0).where.line, 1u);
  EXPECT_EQ(found[0].notes.at(0).message, "the write by thread 3 (lane 3 of simdgroup 0)");
  EXPECT_EQ(found[0].warning.hint,
            "a threadgroup_barrier(mem_flags::mem_threadgroup) between lines 1 and 2 would order them");
}

TEST(RaceChecker, NoBarrierIsAdvisedWhereSeveralWriteAtOnce) {
  const auto hint = [](uint32_t second, AccessKind kind) {
    Trace trace;
    const uint32_t line = trace.access(kind, 3, trace.threadgroup(8));
    std::array<uint64_t, kSimdWidth> addresses{};
    addresses[second % kSimdWidth] = trace.threadgroup(8);
    if (kind == AccessKind::Write)
      trace.again(line, second / kSimdWidth, 1u << second % kSimdWidth, addresses);
    else
      trace.access(AccessKind::Write, second, trace.threadgroup(8));
    const std::vector<Finding> found = trace.findings();
    return found.size() == 1 ? found[0].warning.hint : std::to_string(found.size()) + " findings";
  };
  EXPECT_EQ(hint(4, AccessKind::Write),
            "let one lane write; if these are two visits of line 1, a "
            "simdgroup_barrier(mem_flags::mem_threadgroup) between them would order them");
  EXPECT_EQ(hint(40, AccessKind::Write),
            "let one thread write; if these are two visits of line 1, a "
            "threadgroup_barrier(mem_flags::mem_threadgroup) between them would order them");
  EXPECT_EQ(hint(4, AccessKind::Read),
            "a simdgroup_barrier(mem_flags::mem_threadgroup) between lines 1 and 2 would order them");
}

TEST(RaceChecker, AWriteRacesWithEachOfManyReaders) {
  Trace trace(false, 96);
  trace.access(AccessKind::Read, 3, trace.device(0));
  trace.access(AccessKind::Read, 40, trace.device(0));
  trace.access(AccessKind::Read, 70, trace.device(0));
  trace.access(AccessKind::Write, 70, trace.device(0)); // its own read is the last
  EXPECT_EQ(onlyRule(trace), "race-device");
}

TEST(RaceChecker, BytesOfOneWordAreDifferentMemory) {
  Trace trace;
  trace.access(AccessKind::Write, 3, trace.device(0), 1);
  trace.access(AccessKind::Write, 40, trace.device(1), 1);
  trace.access(AccessKind::Write, 41, trace.device(2), 2);
  EXPECT_THAT(trace.findings(), SizeIs(0));
}

TEST(RaceChecker, AccessesOfSeveralWordsMeetWhereTheyOverlap) {
  Trace trace;
  trace.access(AccessKind::Write, 3, trace.device(2), 8);
  trace.access(AccessKind::Read, 40, trace.device(10), 16);
  EXPECT_THAT(trace.findings(), SizeIs(0));
  trace.access(AccessKind::Read, 40, trace.device(9), 1);
  EXPECT_THAT(trace.findings(), SizeIs(1));
}

TEST(RaceChecker, TakesLanesTogether) {
  Trace trace;
  std::array<uint64_t, kSimdWidth> addresses{};
  for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
    addresses[lane] = trace.device(4 * lane);
  trace.access(AccessKind::Write, 0, ~0u, addresses);
  EXPECT_THAT(trace.findings(), SizeIs(0));
  addresses.fill(trace.device(200));
  trace.access(AccessKind::Read, 0, ~0u, addresses);
  EXPECT_THAT(trace.findings(), SizeIs(0));
  trace.access(AccessKind::Write, 1, ~0u, addresses);
  const std::vector<Finding> found = trace.findings();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].warning.rule, "race-device");
  EXPECT_EQ(found[0].count, 32u) << "once for each lane";
  EXPECT_EQ(found[1].warning.rule, "race-lanes") << "the lanes race with each other, too";
}

TEST(RaceChecker, AtomicOperationsRaceWithPlainOnesOnly) {
  Trace trace;
  trace.access(AccessKind::Atomic, 3, trace.device(0), 4, AtomicKind::Update);
  trace.access(AccessKind::Atomic, 40, trace.device(0), 4, AtomicKind::Store);
  trace.access(AccessKind::Atomic, 41, trace.device(8), 4, AtomicKind::Load);
  trace.access(AccessKind::Read, 3, trace.device(8));
  EXPECT_THAT(trace.findings(), SizeIs(0));
  trace.access(AccessKind::Read, 5, trace.device(0));
  EXPECT_EQ(onlyRule(trace), "mixed-atomic");
}

TEST(RaceChecker, NamesTheBarrierThatLeavesTheMemoryOut) {
  Trace trace;
  trace.access(AccessKind::Write, 3, trace.device(0));
  trace.barrier(kThreadgroup);
  trace.access(AccessKind::Read, 40, trace.device(0));
  const std::vector<Finding> found = trace.findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].warning.rule, "barrier-memory");
  EXPECT_EQ(found[0].warning.hint, "the threadgroup_barrier at line 2 does not name mem_flags::mem_device");
}

// What a user has accepted by its rule must not hide another race of the same access.
TEST(RaceChecker, OneAccessBreaksSeveralRules) {
  Trace trace;
  trace.access(AccessKind::Read, 3, trace.device(0));
  trace.barrier(kThreadgroup);
  trace.access(AccessKind::Write, 4, trace.device(0));
  trace.access(AccessKind::Write, 5, trace.device(0));
  const std::vector<Finding> found = trace.findings();
  std::vector<std::string> rules;
  for (const Finding &finding : found)
    rules.push_back(finding.warning.rule);
  EXPECT_THAT(rules, ::testing::UnorderedElementsAre("barrier-memory", "barrier-memory", "race-lanes"));
}

TEST(RaceChecker, RunsOnRulesThatAreAskedForOnly) {
  Trace trace(false, 64, 1, *CheckRules::parse("race-lanes"));
  trace.access(AccessKind::Write, 3, trace.device(0));
  trace.access(AccessKind::Write, 4, trace.device(0));
  trace.access(AccessKind::Write, 40, trace.device(0));
  EXPECT_EQ(onlyRule(trace), "race-lanes");
}

} // namespace
} // namespace assay::validation::test
