// The table of attributes: its record, and the slot in which a kernel finds it.
#include "support/abi/limits.h"
#include "support/abi/module_info.h"
#include "support/abi/stage_input_abi.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

ArgumentInfo argument(ArgumentKind kind, uint32_t index) {
  ArgumentInfo info;
  info.kind = kind;
  info.index = index;
  return info;
}

} // namespace

TEST(StageInputAbi, ARecordIsThreeNumbersThatTheEntryLoads) {
  EXPECT_EQ(sizeof(StageAttributeAbi), 24u);
  EXPECT_EQ(offsetof(StageAttributeAbi, columnStride), 8u);
  EXPECT_EQ(offsetof(StageAttributeAbi, rowStride), 16u);
}

TEST(StageInputAbi, TheTableTakesTheLastSlotThatNoArgumentHas) {
  KernelInfo kernel;
  EXPECT_FALSE(kernel.takesStageInput());
  kernel.arguments = {argument(ArgumentKind::Attribute, 30), argument(ArgumentKind::Texture, 30),
                      argument(ArgumentKind::ThreadgroupMemory, 29), argument(ArgumentKind::Builtin, 0)};
  EXPECT_TRUE(kernel.takesStageInput());
  EXPECT_EQ(kernel.stageInputSlot(), 30u);
  kernel.arguments.push_back(argument(ArgumentKind::Buffer, 30));
  kernel.arguments.push_back(argument(ArgumentKind::FunctionTable, 29));
  kernel.arguments.push_back(argument(ArgumentKind::Tensor, 28));
  EXPECT_EQ(kernel.stageInputSlot(), 27u);
  for (uint32_t slot = 0; slot < kBufferSlots; ++slot)
    kernel.arguments.push_back(argument(ArgumentKind::Buffer, slot));
  EXPECT_EQ(kernel.stageInputSlot(), std::nullopt);
}

} // namespace assay
