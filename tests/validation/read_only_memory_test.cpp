// Which buffers a dispatch only reads: by its sites, and by where its buffers lie.
#include "emulator/validation/read_only_memory.h"

#include <gtest/gtest.h>

#include <array>

namespace assay::validation {
namespace {

struct Memory {
  Memory() { event = {&code, &dispatch, {}, {}}; }
  Memory &bind(uint32_t slot, uint32_t offset, uint32_t bytes, uint32_t before = 0) {
    dispatch.buffers[slot] = {bytes_.data() + offset, bytes, before};
    return *this;
  }
  Memory &site(AccessKind access, MemoryKind memory, uint32_t slot = 0,
               AtomicKind atomic = AtomicKind::Update) {
    SiteInfo &site = code.sites.emplace_back();
    site.access = access;
    site.atomic = atomic;
    site.memory = memory;
    site.slot = slot;
    return *this;
  }
  /// For each site, whether its memory is only read.
  std::string held() const {
    const ReadOnlyMemory memory(event);
    std::string text;
    for (const SiteInfo &site : code.sites)
      text += memory.holds(site) ? 'r' : '-';
    return text;
  }

  KernelCodeInfo code;
  DispatchAbi dispatch{};
  DispatchEvent event{};
  std::array<uint8_t, 256> bytes_{};
};

constexpr AccessKind kRead = AccessKind::Read, kWrite = AccessKind::Write, kAtomic = AccessKind::Atomic;
constexpr MemoryKind kBuffer = MemoryKind::Buffer;

TEST(ReadOnlyMemory, IsABufferThatNoSiteWrites) {
  EXPECT_EQ(Memory().bind(0, 0, 64).bind(1, 64, 64).site(kRead, kBuffer, 0).site(kWrite, kBuffer, 1).held(),
            "r-");
  EXPECT_EQ(Memory().bind(0, 0, 64).site(kRead, kBuffer, 0).site(kWrite, kBuffer, 0).held(), "--");
}

TEST(ReadOnlyMemory, AtomicOperationsWriteButLoadsDoNot) {
  EXPECT_EQ(Memory().bind(0, 0, 64).site(kRead, kBuffer).site(kAtomic, kBuffer).held(), "--");
  EXPECT_EQ(Memory().bind(0, 0, 64).site(kRead, kBuffer).site(kAtomic, kBuffer, 0, AtomicKind::Load).held(),
            "rr");
  EXPECT_EQ(Memory().bind(0, 0, 64).site(kRead, kBuffer).site(kAtomic, kBuffer, 0, AtomicKind::Store).held(),
            "--");
}

TEST(ReadOnlyMemory, OverlapsNoBufferThatIsWritten) {
  const auto held = [](uint32_t offset, uint32_t bytes, uint32_t before) {
    return Memory()
        .bind(0, 64, 64)
        .bind(1, offset, bytes, before)
        .site(kRead, kBuffer, 0)
        .site(kWrite, kBuffer, 1)
        .held();
  };
  EXPECT_EQ(held(128, 64, 0), "r-");
  EXPECT_EQ(held(0, 64, 0), "r-");
  EXPECT_EQ(held(0, 65, 0), "--");
  EXPECT_EQ(held(127, 1, 0), "--");
  EXPECT_EQ(held(64, 64, 0), "--");
  EXPECT_EQ(held(160, 32, 32), "r-"); // a kernel may go back to where the buffer begins
  EXPECT_EQ(held(160, 32, 33), "--");
}

TEST(ReadOnlyMemory, IsNothingIfASiteMayWriteAnywhere) {
  for (const MemoryKind anywhere : {MemoryKind::Unknown, MemoryKind::Texture})
    EXPECT_EQ(Memory().bind(0, 0, 64).site(kRead, kBuffer).site(kWrite, anywhere).held(), "--");
  for (const MemoryKind elsewhere :
       {MemoryKind::ThreadgroupVariable, MemoryKind::ThreadgroupSlot, MemoryKind::ThreadVariable})
    EXPECT_EQ(Memory().bind(0, 0, 64).site(kRead, kBuffer).site(kWrite, elsewhere).held(), "r-");
  EXPECT_EQ(Memory().bind(0, 0, 64).site(kRead, kBuffer).site(kRead, MemoryKind::Unknown).held(), "r-");
}

TEST(ReadOnlyMemory, IsNothingBeforeADispatch) {
  SiteInfo site;
  site.memory = kBuffer;
  EXPECT_FALSE(ReadOnlyMemory().holds(site));
}

} // namespace
} // namespace assay::validation
