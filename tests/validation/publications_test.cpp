// Who has read atomically what others wrote so.
#include "emulator/validation/publications.h"

#include <gtest/gtest.h>

namespace assay::validation {
namespace {

constexpr uint64_t kFlag = 64, kOther = 68;

TEST(Publications, GoFromTheWriterToTheReaderOfALocation) {
  Publications publications;
  publications.dispatchBegin();
  publications.groupBegin(0);
  publications.atomic(0, kFlag, AtomicKind::Store);
  publications.atomic(1, kFlag, AtomicKind::Load);
  EXPECT_TRUE(publications.handedOver(0, 0, 1));
  EXPECT_FALSE(publications.handedOver(0, 1, 0)) << "it has only read";
  EXPECT_FALSE(publications.handedOver(0, 0, 2)) << "it has not read";
  publications.atomic(2, kOther, AtomicKind::Update);
  EXPECT_FALSE(publications.handedOver(0, 0, 2)) << "that is another location";
}

TEST(Publications, OfAnotherThreadgroupCountForAllSimdgroups) {
  Publications publications;
  publications.dispatchBegin();
  publications.groupBegin(0);
  publications.atomic(3, kFlag, AtomicKind::Update);
  publications.groupBegin(1);
  EXPECT_FALSE(publications.handedOver(0, 3, 0));
  publications.atomic(0, kFlag, AtomicKind::Update);
  EXPECT_TRUE(publications.handedOver(0, 5, 2)) << "a barrier may lie before and after";
  EXPECT_FALSE(publications.handedOver(7, 5, 2));
  publications.dispatchBegin();
  publications.groupBegin(1);
  EXPECT_FALSE(publications.handedOver(0, 5, 2));
}

// Two threadgroups have their threadgroup memory at one address.
TEST(Publications, OfThreadgroupMemoryStayInTheirThreadgroup) {
  Publications publications;
  publications.dispatchBegin();
  publications.groupBegin(0);
  publications.atomic(0, kFlag, AtomicKind::Update, MemorySpace::Threadgroup);
  publications.atomic(1, kFlag, AtomicKind::Update, MemorySpace::Threadgroup);
  EXPECT_TRUE(publications.handedOver(0, 0, 1));
  publications.groupBegin(1);
  publications.atomic(0, kFlag, AtomicKind::Update, MemorySpace::Threadgroup);
  EXPECT_FALSE(publications.handedOver(0, 0, 0));
}

} // namespace
} // namespace assay::validation
