// The bytes that a dispatch writes, by events.
#include "emulator/validation/written_bytes.h"

#include <gtest/gtest.h>

#include <array>

namespace assay::validation {
namespace {

// Two lanes, the second one `step` bytes after the first.
RowBytes writtenIn(uint64_t row, AccessKind kind, AtomicKind atomic, MemoryKind memory, uint64_t address,
                   uint64_t step, uint64_t bytes) {
  SiteInfo site;
  site.access = kind;
  site.atomic = atomic;
  site.memory = memory;
  const GroupEvent group{};
  std::array<uint64_t, kSimdWidth> addresses{};
  addresses[4] = address;
  addresses[9] = address + step;
  WrittenBytes written;
  written.access(group, {&site, 0, 1u << 4 | 1u << 9, addresses.data(), bytes});
  const auto found = written.all().find(row);
  return found == written.all().end() ? RowBytes(0) : found->second;
}

TEST(WrittenBytes, AreThoseOfEachLane) {
  constexpr auto in = [](uint64_t row, AccessKind kind, AtomicKind atomic, MemoryKind memory) {
    return writtenIn(row, kind, atomic, memory, 5 * kRowBytes + 120, 9, 4);
  };
  constexpr AtomicKind kAny = AtomicKind::Update;
  EXPECT_EQ(in(5, AccessKind::Write, kAny, MemoryKind::Buffer), rowBytes(120, 124));
  EXPECT_EQ(in(6, AccessKind::Write, kAny, MemoryKind::Buffer), rowBytes(1, 5));
  EXPECT_EQ(in(5, AccessKind::Write, kAny, MemoryKind::Unknown), rowBytes(120, 124));
  EXPECT_EQ(in(5, AccessKind::Atomic, kAny, MemoryKind::Buffer), rowBytes(120, 124));
  EXPECT_EQ(in(5, AccessKind::Atomic, AtomicKind::Load, MemoryKind::Buffer), RowBytes(0));
  EXPECT_EQ(in(5, AccessKind::Read, kAny, MemoryKind::Buffer), RowBytes(0));
  EXPECT_EQ(in(5, AccessKind::Write, kAny, MemoryKind::ThreadgroupVariable), RowBytes(0));
}

TEST(WrittenBytes, OfLongCopiesAreAllRows) {
  const auto in = [](uint64_t row) {
    return writtenIn(row, AccessKind::Write, AtomicKind::Update, MemoryKind::Buffer, kRowBytes + 100, 0, 300);
  };
  EXPECT_EQ(in(1), rowBytes(100, 128));
  EXPECT_EQ(in(2), rowBytes(0, 128));
  EXPECT_EQ(in(3), rowBytes(0, 128));
  EXPECT_EQ(in(4), rowBytes(0, 16));
}

} // namespace
} // namespace assay::validation
