// Memory with a type, dimensions and strides, which kernels see as a tensor. Dimension 0 is the innermost.
#pragma once

#include <Metal/MTLDataType.h>
#include <Metal/MTLDefines.h>
#include <Metal/MTLResource.h>
#include <Metal/MTLTypes.h>

@protocol MTLBuffer;

MTL_EXTERN NSErrorDomain const MTLTensorDomain;

typedef NS_ENUM(NSInteger, MTLTensorError) {
  MTLTensorErrorNone = 0,
  MTLTensorErrorInternalError = 1,
  MTLTensorErrorInvalidDescriptor = 2
};

typedef NS_ENUM(NSInteger, MTLTensorDataType) {
  MTLTensorDataTypeNone = MTLDataTypeNone,
  MTLTensorDataTypeFloat32 = MTLDataTypeFloat,
  MTLTensorDataTypeFloat16 = MTLDataTypeHalf,
  MTLTensorDataTypeBFloat16 = MTLDataTypeBFloat,
  MTLTensorDataTypeInt8 = MTLDataTypeChar,
  MTLTensorDataTypeUInt8 = MTLDataTypeUChar,
  MTLTensorDataTypeInt4 = 143,
  MTLTensorDataTypeUInt4 = 144,
  MTLTensorDataTypeInt16 = MTLDataTypeShort,
  MTLTensorDataTypeUInt16 = MTLDataTypeUShort,
  MTLTensorDataTypeInt32 = MTLDataTypeInt,
  MTLTensorDataTypeUInt32 = MTLDataTypeUInt
};

typedef NS_OPTIONS(NSUInteger, MTLTensorUsage) {
  MTLTensorUsageCompute = 1,
  MTLTensorUsageRender = 1 << 1,
  MTLTensorUsageMachineLearning = 1 << 2
};

#define MTL_TENSOR_MAX_RANK 16

@interface MTLTensorExtents : NSObject <NSCopying>
- (instancetype)initWithRank:(NSUInteger)rank values:(const NSInteger *)values;
@property(readonly) NSUInteger rank;
- (NSInteger)extentAtDimensionIndex:(NSUInteger)index;
@end

@interface MTLTensorDescriptor : NSObject <NSCopying>
@property(nonatomic, copy) MTLTensorExtents *dimensions;
@property(nonatomic, copy) MTLTensorExtents *strides;
@property(nonatomic) MTLTensorDataType dataType;
@property(nonatomic) MTLTensorUsage usage;
@property(nonatomic) MTLResourceOptions resourceOptions;
@property(nonatomic) MTLCPUCacheMode cpuCacheMode;
@property(nonatomic) MTLStorageMode storageMode;
@property(nonatomic) MTLHazardTrackingMode hazardTrackingMode;
@end

@protocol MTLTensor <MTLResource>
@property(readonly) MTLResourceID gpuResourceID;
@property(readonly) id<MTLBuffer> buffer;
@property(readonly) NSUInteger bufferOffset;
@property(readonly) MTLTensorExtents *strides;
@property(readonly) MTLTensorExtents *dimensions;
@property(readonly) MTLTensorDataType dataType;
@property(readonly) MTLTensorUsage usage;
- (void)replaceSliceOrigin:(MTLTensorExtents *)sliceOrigin
           sliceDimensions:(MTLTensorExtents *)sliceDimensions
                 withBytes:(const void *)bytes
                   strides:(MTLTensorExtents *)strides;
- (void)getBytes:(void *)bytes
            strides:(MTLTensorExtents *)strides
    fromSliceOrigin:(MTLTensorExtents *)sliceOrigin
    sliceDimensions:(MTLTensorExtents *)sliceDimensions;
@end
