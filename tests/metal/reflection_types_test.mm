// What reflection says of the structures that arguments point to.
#import "api_support.h"

#include <gmock/gmock.h>

using namespace metal_test;

// Names, offsets and strides are those of the declarations in C's layout (MSL 2.1 to 2.4).
TEST(MetalReflection, DescribesStructures) {
  NSArray<id<MTLBinding>> *bindings = pipeline(@"reflect_structures").reflection.bindings;
  ASSERT_EQ(bindings.count, 2u);
  id<MTLBufferBinding> buffer = (id<MTLBufferBinding>)bindings[0];
  EXPECT_EQ(buffer.bufferDataType, MTLDataTypeStruct);
  MTLStructType *type = buffer.bufferStructType;
  EXPECT_EQ(type.dataType, MTLDataTypeStruct);
  std::vector<std::string> names;
  std::vector<NSUInteger> offsets, types;
  for (MTLStructMember *member in type.members) {
    names.push_back(textOf(member.name));
    offsets.push_back(member.offset);
    types.push_back(member.dataType);
  }
  EXPECT_THAT(names, testing::ElementsAre("count", "centre", "turn", "weights", "lights", "next", "photos"));
  EXPECT_THAT(offsets, testing::ElementsAre(0, 16, 32, 96, 112, 176, 184));
  EXPECT_THAT(types,
              testing::ElementsAre(MTLDataTypeUInt, MTLDataTypeFloat3, MTLDataTypeFloat4x4, MTLDataTypeArray,
                                   MTLDataTypeArray, MTLDataTypePointer, MTLDataTypeArray));
  MTLArrayType *weights = [type memberByName:@"weights"].arrayType;
  EXPECT_EQ(weights.elementType, MTLDataTypeHalf);
  EXPECT_EQ(weights.arrayLength, 5u);
  EXPECT_EQ(weights.stride, 2u);
  EXPECT_EQ(weights.elementStructType, nil);
  MTLArrayType *lights = [type memberByName:@"lights"].arrayType;
  EXPECT_EQ(lights.arrayLength, 2u);
  EXPECT_EQ(lights.stride, 32u);
  MTLStructType *light = lights.elementStructType;
  ASSERT_EQ(light.members.count, 3u);
  EXPECT_EQ(light.members[1].offset, 16u);
  EXPECT_EQ(light.members[1].dataType, MTLDataTypeFloat);
  MTLArrayType *rows = light.members[2].arrayType; // short range[2][3]
  EXPECT_EQ(light.members[2].offset, 20u);
  EXPECT_EQ(rows.stride, 6u);
  EXPECT_EQ(rows.elementType, MTLDataTypeArray);
  EXPECT_EQ(rows.elementArrayType.arrayLength, 3u);
  EXPECT_EQ(rows.elementArrayType.elementType, MTLDataTypeShort);
  MTLPointerType *next = [type memberByName:@"next"].pointerType;
  EXPECT_EQ(next.elementType, MTLDataTypeStruct);
  EXPECT_EQ(next.access, MTLBindingAccessReadWrite);
  EXPECT_EQ(next.dataSize, 208u);
  EXPECT_EQ(next.alignment, 16u);
  EXPECT_TRUE(next.elementIsArgumentBuffer);
  EXPECT_EQ(next.elementStructType.members.count, 7u);
  MTLArrayType *photos = [type memberByName:@"photos"].arrayType;
  EXPECT_EQ(photos.elementType, MTLDataTypeTexture);
  EXPECT_EQ(photos.elementTextureReferenceType.textureType, MTLTextureType2D);
  EXPECT_EQ(photos.elementTextureReferenceType.textureDataType, MTLDataTypeHalf);
  EXPECT_EQ(photos.argumentIndexStride, 1u);
  EXPECT_EQ([type memberByName:@"photos"].argumentIndex, 20u);
  EXPECT_EQ([type memberByName:@"centre"].argumentIndex, 1u);
  EXPECT_EQ([type memberByName:@"lights"].argumentIndex, 8u);
  EXPECT_EQ([type memberByName:@"none"], nil);
  EXPECT_EQ(buffer.bufferPointerType.elementType, MTLDataTypeStruct);
  EXPECT_EQ(buffer.bufferPointerType.elementStructType.members.count, 7u);

  id<MTLBufferBinding> out = (id<MTLBufferBinding>)bindings[1];
  EXPECT_EQ(out.bufferStructType, nil);
  EXPECT_EQ(out.bufferPointerType.elementType, MTLDataTypeFloat);
  EXPECT_EQ(out.bufferPointerType.dataSize, 4u);
}
