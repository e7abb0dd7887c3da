// What the site of an access says about its memory.
#include "tests/lowering/kernel_runner.h"

namespace assay::lowering::test {
namespace {

TEST(AccessSites, NameTheMemoryAndTheBytes) {
  Kernel k(R"(
@tile = external addrspace(3) global [8 x i32], align 4
define void @k() {
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 2)
  %t = call ptr addrspace(3) @__assay_threadgroup_slot(i32 1)
  store i64 1, ptr addrspace(5) %d
  store i32 1, ptr addrspace(3) %t
  store i16 1, ptr addrspace(3) @tile
  ret void
}
)");
  ArgumentInfo buffer;
  buffer.name = "out";
  buffer.index = 2;
  k.info.arguments.push_back(buffer);
  k.options.observeMemory = true;
  std::vector<uint64_t> data(1);
  k.bind(2, data);
  k.dispatch.threadgroupOffset[1] = 64;
  k.dispatch.threadgroupBytes[1] = 16;
  ASSERT_TRUE(k.run());
  ASSERT_EQ(k.calls.size(), 3u);
  const SiteInfo &device = k.siteOf(k.calls[0]), &slot = k.siteOf(k.calls[1]), &tile = k.siteOf(k.calls[2]);
  EXPECT_EQ(device.memory, MemoryKind::Buffer);
  EXPECT_EQ(device.memoryName, "out");
  EXPECT_EQ(device.slot, 2u);
  EXPECT_EQ(device.bytes, 8u);
  EXPECT_EQ(slot.memory, MemoryKind::ThreadgroupSlot);
  EXPECT_EQ(slot.slot, 1u);
  EXPECT_EQ(tile.memory, MemoryKind::ThreadgroupVariable);
  EXPECT_EQ(tile.bytes, 2u);
  EXPECT_EQ(tile.memoryBytes, 32u);
  EXPECT_EQ(k.code().threadgroupVariables.at(0).extents, std::vector<uint32_t>{8});
}

} // namespace
} // namespace assay::lowering::test
