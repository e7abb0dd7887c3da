// Misaligned accesses: by events. Kernels are in pairs/misaligned_accesses.metal.
#include "emulator/validation/alignment_checker.h"

#include "tests/validation/trace.h"

#include <gmock/gmock.h>

namespace assay::validation::test {
namespace {

struct Reads : Trace {
  Reads() : Trace(false, 32, 1, *CheckRules::parse("misaligned-access")) {}
};

TEST(AlignmentChecker, FindsAddressesThatAreNoMultiple) {
  Reads reads;
  reads.read(0, reads.device(32), 16, 16);
  const uint32_t line = reads.read(3, reads.device(40), 16, 16);
  const std::vector<Finding> found = reads.findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found, testing::HasFinding("misaligned-access", line));
  EXPECT_THAT(found[0].warning.message,
              ::testing::AllOf(::testing::HasSubstr("read of 16 bytes at"),
                               ::testing::HasSubstr("by thread 3"),
                               ::testing::HasSubstr("the address is 8 bytes after a multiple of 16")));
}

TEST(AlignmentChecker, LooksAtPromisesOfPointersToo) {
  Reads reads;
  const uint32_t line = reads.read(0, reads.threadgroup(4), 8, 0);
  EXPECT_THAT(reads.findings(), testing::HasFinding("misaligned-access", line));
}

TEST(AlignmentChecker, AsksNothingOfBytesAndOfUnknownTypes) {
  Reads reads;
  reads.read(0, reads.device(3), 1, 1);
  reads.read(0, reads.device(3), 0, 4);
  EXPECT_THAT(reads.findings(), testing::NoFindings());
}

TEST(AlignmentChecker, APromiseIsNoAccessThatRaces) {
  Trace trace(false, 64, 1, *CheckRules::parse("default,misaligned-access"));
  trace.access(AccessKind::Write, 0, trace.device(4));
  trace.read(40, trace.device(4), 8, 0);
  for (const Finding &finding : trace.findings())
    EXPECT_EQ(finding.warning.rule, "misaligned-access");
}

} // namespace
} // namespace assay::validation::test
