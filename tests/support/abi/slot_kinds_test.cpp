// How many slots arguments have. The numbers: Metal Feature Set Tables, "maximum number of entries in the
// buffer, texture and sampler state argument table, per compute function".
#include "support/abi/slot_kinds.h"

#include <gtest/gtest.h>

namespace assay {

TEST(SlotKinds, HaveTheNumbersOfTheFeatureSetTables) {
  EXPECT_EQ(slotsOf(SlotKind::Buffer).slots, 31u);
  EXPECT_EQ(slotsOf(SlotKind::Texture).slots, 128u);
  EXPECT_EQ(slotsOf(SlotKind::Sampler).slots, 16u);
  EXPECT_EQ(slotsOf(SlotKind::Threadgroup).slots, 31u);
  EXPECT_EQ(slotsOf(SlotKind::Attribute).slots, 31u);
}

TEST(SlotKinds, OfArgumentsAreThoseOfTheirAttribute) {
  EXPECT_STREQ(slotsOf(ArgumentKind::Buffer).attribute, "buffer");
  EXPECT_STREQ(slotsOf(ArgumentKind::FunctionTable).attribute, "buffer");
  EXPECT_STREQ(slotsOf(ArgumentKind::Tensor).attribute, "buffer");
  EXPECT_STREQ(slotsOf(ArgumentKind::ThreadgroupMemory).attribute, "threadgroup");
  EXPECT_STREQ(slotsOf(ArgumentKind::Texture).attribute, "texture");
  EXPECT_STREQ(slotsOf(ArgumentKind::Sampler).attribute, "sampler");
  EXPECT_STREQ(slotsOf(ArgumentKind::Attribute).attribute, "attribute");
  for (const SlotKindInfo &bound : kBoundSlotKinds)
    EXPECT_STRNE(bound.attribute, "attribute");
  EXPECT_EQ(kBoundSlotKinds.size(), 4u);
}

TEST(SlotKinds, AnArrayNeedsASlotForEachElement) {
  const SlotKindInfo &samplers = slotsOf(SlotKind::Sampler);
  EXPECT_TRUE(samplers.has(0));
  EXPECT_TRUE(samplers.has(15));
  EXPECT_FALSE(samplers.has(16));
  EXPECT_FALSE(samplers.has(-1));
  EXPECT_TRUE(samplers.has(0, 16));
  EXPECT_FALSE(samplers.has(0, 17));
  EXPECT_FALSE(samplers.has(1, 16));
  EXPECT_FALSE(samplers.has(INT64_MAX, 2));
}

TEST(SlotKinds, MessagesNameTheSlotThatThereIsNot) {
  const SlotKindInfo &textures = slotsOf(SlotKind::Texture);
  EXPECT_EQ(slotRange(textures), "texture has slots 0 to 127");
  EXPECT_EQ(slotOutOfRange(textures, 128), "texture(128) is out of range: texture has slots 0 to 127");
  EXPECT_EQ(slotOutOfRange(textures, 126, 4), "texture(129) is out of range: texture has slots 0 to 127");
  EXPECT_EQ(slotOutOfRange(textures, -1, 4), "texture(-1) is out of range: texture has slots 0 to 127");
  EXPECT_EQ(slotTaken(textures, 3, "a"), "texture(3) is already used by argument 'a'");
}

} // namespace assay
