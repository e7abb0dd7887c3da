// What a function takes: the reflection of its arguments.
#pragma once

#include <Metal/MTLDataType.h>
#include <Metal/MTLTensor.h>
#include <Metal/MTLTexture.h>

@class MTLStructType, MTLArrayType, MTLPointerType, MTLTensorReferenceType, MTLTextureReferenceType;

typedef NS_ENUM(NSUInteger, MTLIndexType) { MTLIndexTypeUInt16 = 0, MTLIndexTypeUInt32 = 1 };

typedef NS_ENUM(NSInteger, MTLBindingType) {
  MTLBindingTypeBuffer = 0,
  MTLBindingTypeThreadgroupMemory = 1,
  MTLBindingTypeTexture = 2,
  MTLBindingTypeSampler = 3,
  MTLBindingTypeImageblockData = 16,
  MTLBindingTypeImageblock = 17,
  MTLBindingTypeVisibleFunctionTable = 24,
  MTLBindingTypePrimitiveAccelerationStructure = 25,
  MTLBindingTypeInstanceAccelerationStructure = 26,
  MTLBindingTypeIntersectionFunctionTable = 27,
  MTLBindingTypeObjectPayload = 34,
  MTLBindingTypeTensor = 37
};

typedef NS_ENUM(NSUInteger, MTLBindingAccess) {
  MTLBindingAccessReadOnly = 0,
  MTLBindingAccessReadWrite = 1,
  MTLBindingAccessWriteOnly = 2,
  MTLArgumentAccessReadOnly = 0,
  MTLArgumentAccessReadWrite = 1,
  MTLArgumentAccessWriteOnly = 2
};

typedef NS_ENUM(NSUInteger, MTLArgumentType) {
  MTLArgumentTypeBuffer = 0,
  MTLArgumentTypeThreadgroupMemory = 1,
  MTLArgumentTypeTexture = 2,
  MTLArgumentTypeSampler = 3,
  MTLArgumentTypeImageblockData = 16,
  MTLArgumentTypeImageblock = 17,
  MTLArgumentTypeVisibleFunctionTable = 24,
  MTLArgumentTypePrimitiveAccelerationStructure = 25,
  MTLArgumentTypeInstanceAccelerationStructure = 26,
  MTLArgumentTypeIntersectionFunctionTable = 27
};
typedef MTLBindingAccess MTLArgumentAccess;

@interface MTLType : NSObject
@property(readonly) MTLDataType dataType;
@end

@interface MTLStructMember : NSObject
@property(readonly) NSString *name;
@property(readonly) NSUInteger offset;
@property(readonly) MTLDataType dataType;
@property(readonly) NSUInteger argumentIndex;
- (MTLStructType *)structType;
- (MTLArrayType *)arrayType;
- (MTLPointerType *)pointerType;
- (MTLTextureReferenceType *)textureReferenceType;
- (MTLTensorReferenceType *)tensorReferenceType;
@end

@interface MTLStructType : MTLType
@property(readonly) NSArray<MTLStructMember *> *members;
- (MTLStructMember *)memberByName:(NSString *)name;
@end

@interface MTLArrayType : MTLType
@property(readonly) MTLDataType elementType;
@property(readonly) NSUInteger arrayLength;
@property(readonly) NSUInteger stride;
@property(readonly) NSUInteger argumentIndexStride;
- (MTLStructType *)elementStructType;
- (MTLArrayType *)elementArrayType;
- (MTLPointerType *)elementPointerType;
- (MTLTextureReferenceType *)elementTextureReferenceType;
- (MTLTensorReferenceType *)elementTensorReferenceType;
@end

@interface MTLPointerType : MTLType
@property(readonly) MTLDataType elementType;
@property(readonly) MTLBindingAccess access;
@property(readonly) NSUInteger alignment;
@property(readonly) NSUInteger dataSize;
@property(readonly) BOOL elementIsArgumentBuffer;
- (MTLStructType *)elementStructType;
- (MTLArrayType *)elementArrayType;
@end

@interface MTLTextureReferenceType : MTLType
@property(readonly) MTLDataType textureDataType;
@property(readonly) MTLTextureType textureType;
@property(readonly) MTLBindingAccess access;
@property(readonly) BOOL isDepthTexture;
@end

@interface MTLTensorReferenceType : MTLType
@property(readonly) MTLTensorDataType tensorDataType;
@property(readonly) MTLDataType indexType;
@property(readonly) MTLTensorExtents *dimensions;
@property(readonly) MTLBindingAccess access;
@end

@interface MTLArgument : NSObject
@property(readonly) NSString *name;
@property(readonly) MTLArgumentType type;
@property(readonly) MTLBindingAccess access;
@property(readonly) NSUInteger index;
@property(readonly, getter=isActive) BOOL active;
@property(readonly) NSUInteger bufferAlignment;
@property(readonly) NSUInteger bufferDataSize;
@property(readonly) MTLDataType bufferDataType;
@property(readonly) MTLStructType *bufferStructType;
@property(readonly) MTLPointerType *bufferPointerType;
@property(readonly) NSUInteger threadgroupMemoryAlignment;
@property(readonly) NSUInteger threadgroupMemoryDataSize;
@property(readonly) MTLTextureType textureType;
@property(readonly) MTLDataType textureDataType;
@property(readonly) BOOL isDepthTexture;
@property(readonly) NSUInteger arrayLength;
@end

@protocol MTLBinding <NSObject>
@property(readonly) NSString *name;
@property(readonly) MTLBindingType type;
@property(readonly) MTLBindingAccess access;
@property(readonly) NSUInteger index;
@property(readonly, getter=isUsed) BOOL used;
@property(readonly, getter=isArgument) BOOL argument;
@end

@protocol MTLBufferBinding <MTLBinding>
@property(readonly) NSUInteger bufferAlignment;
@property(readonly) NSUInteger bufferDataSize;
@property(readonly) MTLDataType bufferDataType;
@property(readonly) MTLStructType *bufferStructType;
@property(readonly) MTLPointerType *bufferPointerType;
@end

@protocol MTLThreadgroupBinding <MTLBinding>
@property(readonly) NSUInteger threadgroupMemoryAlignment;
@property(readonly) NSUInteger threadgroupMemoryDataSize;
@end

@protocol MTLTextureBinding <MTLBinding>
@property(readonly) MTLTextureType textureType;
@property(readonly) MTLDataType textureDataType;
@property(readonly, getter=isDepthTexture) BOOL depthTexture;
@property(readonly) NSUInteger arrayLength;
@end

@protocol MTLTensorBinding <MTLBinding>
@property(readonly) MTLTensorDataType tensorDataType;
@property(readonly) MTLDataType indexType;
@property(readonly) MTLTensorExtents *dimensions;
@end
