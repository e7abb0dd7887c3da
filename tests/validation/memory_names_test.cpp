// Addresses by the names of arguments and variables.
#include "emulator/validation/memory_names.h"

#include <gtest/gtest.h>

namespace assay::validation {
namespace {

struct MemoryNamesTest : ::testing::Test {
  MemoryNamesTest() {
    code.threadgroupVariables = {{"tile", "k::tile", 0, 48, {3, 4}}, {"flag", "k::flag", 48, 4, {}}};
    abi.buffers[0] = {buffer, 32};
    abi.buffers[1] = {buffer, 64};
    abi.threadgroupOffset[2] = 64;
    abi.threadgroupBytes[2] = 32;
    arguments.resize(3);
    arguments[0].name = "a";
    arguments[0].index = 0;
    arguments[0].pointeeBytes = 4;
    arguments[1].name = "b";
    arguments[1].index = 1;
    arguments[1].pointeeBytes = 8;
    arguments[2].name = "dynamic";
    arguments[2].kind = ArgumentKind::ThreadgroupMemory;
    arguments[2].index = 2;
    arguments[2].pointeeBytes = 2;
  }
  std::string inArena(uint32_t offset) {
    SiteInfo site;
    site.memory = MemoryKind::ThreadgroupVariable;
    return names.of(site, group, reinterpret_cast<uintptr_t>(arena) + offset);
  }
  std::string inBuffer(uint32_t slot, uint32_t offset, MemoryKind memory = MemoryKind::Buffer) {
    SiteInfo site;
    site.memory = memory;
    site.slot = slot;
    return names.of(site, group, reinterpret_cast<uintptr_t>(buffer) + offset);
  }
  KernelCodeInfo code;
  DispatchAbi abi{};
  std::vector<ArgumentInfo> arguments;
  uint8_t buffer[64] = {}, arena[96] = {};
  GroupEvent group{{0, 0, 0}, {1, 1, 1}, arena, &abi};
  MemoryNames names{{&code, &abi, {1, 1, 1}, {1, 1, 1}}, arguments};
};

TEST_F(MemoryNamesTest, InFrontOfAnOffsetCountBackFromIt) {
  abi.buffers[0] = {buffer + 32, 32, 32};
  EXPECT_EQ(inBuffer(0, 36), "a[1]");
  EXPECT_EQ(inBuffer(0, 28), "a (4 bytes before its offset)");
  EXPECT_EQ(inBuffer(0, 0), "a (32 bytes before its offset)");
  EXPECT_EQ(inBuffer(1, 28), "b[3] (byte 4 of it)");
  EXPECT_EQ(inBuffer(5, 28, MemoryKind::Unknown), "b[3] (byte 4 of it)") << "there is one that begins before";
  abi.buffers[1] = {};
  EXPECT_EQ(inBuffer(5, 28, MemoryKind::Unknown), "a (4 bytes before its offset)");
}

TEST_F(MemoryNamesTest, OfThreadgroupMemoryHaveTheirIndices) {
  EXPECT_EQ(inArena(0), "tile[0][0]");
  EXPECT_EQ(inArena(16 + 8), "tile[1][2]");
  EXPECT_EQ(inArena(16 + 9), "tile[1][2] (byte 1 of it)");
  EXPECT_EQ(inArena(48), "flag");
  EXPECT_EQ(inArena(64 + 6), "dynamic[3]");
}

TEST_F(MemoryNamesTest, OfABufferThatIsBoundTwiceFollowTheAccess) {
  EXPECT_EQ(inBuffer(0, 16), "a[4]");
  EXPECT_EQ(inBuffer(1, 16), "b[2]");
  EXPECT_EQ(inBuffer(1, 20), "b[2] (byte 4 of it)");
  EXPECT_EQ(inBuffer(7, 16, MemoryKind::Unknown), "a[4]");
  EXPECT_EQ(inBuffer(7, 40, MemoryKind::Unknown), "b[5]");
}

TEST_F(MemoryNamesTest, MemoryOfUnknownOriginIsWhereItLies) {
  SiteInfo site;
  EXPECT_EQ(spaceOf(site, group, reinterpret_cast<uintptr_t>(arena) + 95), MemorySpace::Threadgroup);
  EXPECT_EQ(spaceOf(site, group, reinterpret_cast<uintptr_t>(buffer)), MemorySpace::Device);
  site.memory = MemoryKind::Texture;
  EXPECT_EQ(spaceOf(site, group, reinterpret_cast<uintptr_t>(arena)), MemorySpace::Texture);
  site.memoryName = "photo";
  EXPECT_EQ(names.of(site, group, 0), "texture photo");
}

} // namespace
} // namespace assay::validation
