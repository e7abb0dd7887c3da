// Order through fences and atomic operations. Random runs are in oracle_test.cpp.
#include "emulator/validation/fence_order.h"

#include <gtest/gtest.h>

namespace assay::validation {
namespace {

constexpr uint32_t kDevice = 1, kGroupScope = 1, kDeviceScope = 2;
constexpr uint64_t kFlag = 0x1000;

Knowledge ownTime(uint32_t group, uint32_t thread, uint32_t time) {
  Knowledge own;
  own.threads[threadId(group, thread)] = time;
  return own;
}
uint32_t knownTime(const FenceOrder &order, uint32_t reader, uint32_t group, uint32_t thread) {
  const Knowledge *known = order.known(reader, MemorySpace::Device);
  const auto found = known ? known->threads.find(threadId(group, thread)) : decltype(known->threads.end())();
  return known && found != known->threads.end() ? found->second : 0;
}

TEST(FenceOrder, GoesFromAReleaseThroughALocationToAnAcquire) {
  FenceOrder order;
  order.dispatchBegin();
  order.groupBegin(0, 64);
  order.release(3, MemorySpace::Device, kDeviceScope, ownTime(0, 3, 5));
  order.atomic(3, kFlag, AtomicKind::Store, MemorySpace::Device);
  order.atomic(40, kFlag, AtomicKind::Load, MemorySpace::Device);
  EXPECT_EQ(knownTime(order, 40, 0, 3), 0u) << "before the fence that acquires";
  order.acquire(40, kDevice, kDeviceScope);
  EXPECT_EQ(knownTime(order, 40, 0, 3), 5u);
  EXPECT_EQ(knownTime(order, 41, 0, 3), 0u);
}

TEST(FenceOrder, GoesOnThroughUpdatesAndEndsAtAStore) {
  for (const AtomicKind between : {AtomicKind::Update, AtomicKind::Store}) {
    FenceOrder order;
    order.dispatchBegin();
    order.groupBegin(0, 64);
    order.release(3, MemorySpace::Device, kDeviceScope, ownTime(0, 3, 5));
    order.atomic(3, kFlag, AtomicKind::Update, MemorySpace::Device);
    order.atomic(20, kFlag, between, MemorySpace::Device); // has released nothing
    order.atomic(40, kFlag, AtomicKind::Load, MemorySpace::Device);
    order.acquire(40, kDevice, kDeviceScope);
    EXPECT_EQ(knownTime(order, 40, 0, 3), between == AtomicKind::Update ? 5u : 0u);
  }
}

TEST(FenceOrder, LeavesTheThreadgroupOnlyWithTheScopeOfTheDevice) {
  for (const uint32_t scope : {kGroupScope, kDeviceScope}) {
    FenceOrder order;
    order.dispatchBegin();
    order.groupBegin(0, 32);
    order.release(3, MemorySpace::Device, scope, ownTime(0, 3, 5));
    order.atomic(3, kFlag, AtomicKind::Store, MemorySpace::Device);
    order.groupBegin(1, 32);
    order.atomic(4, kFlag, AtomicKind::Load, MemorySpace::Device);
    order.acquire(4, kDevice, kGroupScope);
    EXPECT_EQ(knownTime(order, 4, 0, 3), 0u);
    order.acquire(4, kDevice, kDeviceScope);
    EXPECT_EQ(knownTime(order, 4, 0, 3), scope == kDeviceScope ? 5u : 0u);
  }
}

TEST(FenceOrder, IsSharedByThoseThatMeetAtABarrier) {
  FenceOrder order;
  order.dispatchBegin();
  order.groupBegin(0, 64);
  order.release(3, MemorySpace::Device, kDeviceScope, ownTime(0, 3, 5));
  order.atomic(3, kFlag, AtomicKind::Store, MemorySpace::Device);
  order.atomic(32, kFlag, AtomicKind::Load, MemorySpace::Device);
  order.acquire(32, kDevice, kDeviceScope);
  order.share(MemorySpace::Device, 32, 64, 0b11);
  EXPECT_EQ(knownTime(order, 33, 0, 3), 5u);
  EXPECT_EQ(knownTime(order, 34, 0, 3), 0u);
}

TEST(FenceOrder, JoinsWhatTwoKnow) {
  const auto a = std::make_shared<const Knowledge>(Knowledge{{{0, 2}}, {{7, 1}}});
  const auto b = std::make_shared<const Knowledge>(Knowledge{{{0, 1}, {1, 4}}, {{7, 3}}});
  const SharedKnowledge both = join(a, b);
  EXPECT_EQ(both->groups, (std::map<uint32_t, uint32_t>{{0, 2}, {1, 4}}));
  EXPECT_EQ(both->threads, (std::map<uint64_t, uint32_t>{{7, 3}}));
  EXPECT_EQ(join(a, nullptr), a);
  EXPECT_EQ(join(nullptr, b), b);
}

} // namespace
} // namespace assay::validation
