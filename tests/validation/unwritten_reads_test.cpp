// Reads of memory that nobody has written, by events.
#include "emulator/validation/unwritten_reads.h"

#include <gtest/gtest.h>

#include <array>

namespace assay::validation {
namespace {

struct Dispatch {
  KernelCodeInfo code;
  DispatchAbi dispatch{};
  alignas(64) std::array<uint8_t, 256> arena{}, buffer{}, shadow{};
  GroupEvent group{{0, 0, 0}, {32, 1, 1}, arena, &dispatch};
  UnwrittenReads reads;

  explicit Dispatch(bool threadgroup = true) : reads(threadgroup, {{3, shadow.data()}}) {
    shadow.fill(0xff);
    dispatch.buffers[3] = {buffer.data(), buffer.size()};
    reads.dispatchBegin({&code, &dispatch, {32, 1, 1}, {32, 1, 1}});
    reads.groupBegin(group);
  }
  /// Lane i of the mask accesses byte first + i * step of the memory.
  Dispatch &access(AccessKind kind, MemoryKind memory, uint64_t first, uint64_t step = 4, uint32_t mask = ~0u,
                   AtomicKind atomic = AtomicKind::Update, uint32_t bytes = 4) {
    SiteInfo site;
    site.access = kind;
    site.atomic = atomic;
    site.memory = memory;
    site.slot = 3;
    const auto base =
        reinterpret_cast<uintptr_t>(memory == MemoryKind::Buffer ? buffer.data() : arena.data());
    std::array<uint64_t, kSimdWidth> addresses{};
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
      addresses[lane] = base + first + lane * step;
    reads.access(group, {&site, 0, mask, addresses.data(), bytes});
    return *this;
  }
};

constexpr AccessKind kRead = AccessKind::Read, kWrite = AccessKind::Write, kAtomic = AccessKind::Atomic;
constexpr MemoryKind kArena = MemoryKind::ThreadgroupVariable, kBuffer = MemoryKind::Buffer;

TEST(UnwrittenReads, OfBytesThatNobodyHasWritten) {
  for (const MemoryKind memory : {kArena, kBuffer}) {
    EXPECT_TRUE(Dispatch().access(kRead, memory, 0).reads.found());
    EXPECT_FALSE(Dispatch().access(kWrite, memory, 0).access(kRead, memory, 0).reads.found());
    EXPECT_TRUE(Dispatch().access(kWrite, memory, 0).access(kRead, memory, 4).reads.found())
        << "one word farther";
    EXPECT_FALSE(Dispatch().access(kWrite, memory, 0).access(kRead, memory, 124, 0).reads.found());
    EXPECT_TRUE(Dispatch().access(kWrite, memory, 0).access(kRead, memory, 126, 0).reads.found())
        << "two bytes";
    EXPECT_TRUE(Dispatch().access(kWrite, memory, 0, 8).access(kRead, memory, 0, 4).reads.found()) << "gaps";
    EXPECT_FALSE(Dispatch().access(kWrite, memory, 0, 8).access(kRead, memory, 0, 8).reads.found());
  }
}

TEST(UnwrittenReads, ByTheLanesThatTakePart) {
  EXPECT_TRUE(Dispatch().access(kWrite, kArena, 0, 4, 0xffff).access(kRead, kArena, 0).reads.found());
  EXPECT_FALSE(
      Dispatch().access(kWrite, kArena, 0, 4, 0xf0f).access(kRead, kArena, 0, 4, 0xf0f).reads.found());
  EXPECT_TRUE(
      Dispatch().access(kWrite, kArena, 0, 4, 0xf0f).access(kRead, kArena, 0, 4, 0xf1f).reads.found());
}

TEST(UnwrittenReads, AtomicOperationsReadUnlessTheyStore) {
  EXPECT_TRUE(Dispatch().access(kAtomic, kArena, 0).reads.found());
  EXPECT_TRUE(Dispatch().access(kAtomic, kArena, 0, 4, ~0u, AtomicKind::Load).reads.found());
  EXPECT_FALSE(Dispatch()
                   .access(kAtomic, kArena, 0, 4, ~0u, AtomicKind::Store)
                   .access(kAtomic, kArena, 0, 4, ~0u, AtomicKind::Load)
                   .reads.found());
}

TEST(UnwrittenReads, AThreadgroupBeginsWithoutValues) {
  Dispatch run;
  run.access(kWrite, kArena, 0).access(kWrite, kBuffer, 0);
  run.reads.groupBegin(run.group);
  EXPECT_FALSE(run.access(kRead, kBuffer, 0).reads.found()) << "device memory stays";
  EXPECT_TRUE(run.access(kRead, kArena, 0).reads.found());
  Dispatch given;
  given.code.writtenThreadgroupBytes = {{0, 128}}; // a declaration gives it a value
  given.reads.groupBegin(given.group);
  EXPECT_FALSE(given.access(kRead, kArena, 0).reads.found());
}

TEST(UnwrittenReads, LooksWhereItIsAskedTo) {
  EXPECT_FALSE(Dispatch(false).access(kRead, kArena, 0).reads.found());
  Dispatch run;
  SiteInfo site;
  site.memory = kBuffer;
  site.slot = 2; // all written
  EXPECT_FALSE(run.reads.wantsAccess(site));
  site.slot = 3;
  EXPECT_TRUE(run.reads.wantsAccess(site));
  EXPECT_TRUE(run.access(kRead, MemoryKind::Unknown, 0).reads.found()) << "wherever a pointer leads";
  Dispatch another;
  another.reads.unwrittenVariable();
  EXPECT_TRUE(another.reads.found());
}

} // namespace
} // namespace assay::validation
