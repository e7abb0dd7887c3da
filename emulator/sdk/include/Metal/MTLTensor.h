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
  MTLTensorDataTypeMetalFloat8E5M2 = 141,
  MTLTensorDataTypeMetalFloat8E4M3 = 142,
  MTLTensorDataTypeInt4 = 143,
  MTLTensorDataTypeUInt4 = 144,
  MTLTensorDataTypeMetalFloat8UE8M0 = 145,
  MTLTensorDataTypeMetalFloat4E2M1 = 148,
  MTLTensorDataTypeUInt2 = 149,
  MTLTensorDataTypeInt2 = 150,
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

typedef NS_ENUM(NSInteger, MTLTensorPlaneType) { MTLTensorPlaneTypeData = 0, MTLTensorPlaneTypeScales = 1 };

#define MTL_TENSOR_MAX_RANK 16

@interface MTLTensorExtents : NSObject <NSCopying>
- (instancetype)initWithRank:(NSUInteger)rank values:(const NSInteger *)values;
@property(readonly) NSUInteger rank;
- (NSInteger)extentAtDimensionIndex:(NSUInteger)index;
@end

/// Of the plane of scales, each of which counts for blockFactors elements: 32 of dimension 0.
@interface MTLTensorAuxiliaryPlaneDescriptor : NSObject <NSCopying>
@property(nonatomic) MTLTensorDataType dataType;
@property(nonatomic, copy) MTLTensorExtents *blockFactors;
@end

@interface MTLTensorAuxiliaryPlaneDescriptorMap : NSObject <NSCopying>
- (void)setDescriptor:(MTLTensorAuxiliaryPlaneDescriptor *)descriptor forPlane:(MTLTensorPlaneType)plane;
- (MTLTensorAuxiliaryPlaneDescriptor *)descriptorForPlane:(MTLTensorPlaneType)plane;
- (void)reset;
@end

@interface MTLTensorDescriptor : NSObject <NSCopying>
@property(nonatomic, copy) MTLTensorExtents *dimensions;
@property(nonatomic, copy) MTLTensorExtents *strides;
@property(nonatomic) MTLTensorDataType dataType;
@property(nonatomic) MTLTensorUsage usage;
@property(nonatomic, retain) MTLTensorAuxiliaryPlaneDescriptorMap *auxiliaryPlanes;
@property(nonatomic) MTLResourceOptions resourceOptions;
@property(nonatomic) MTLCPUCacheMode cpuCacheMode;
@property(nonatomic) MTLStorageMode storageMode;
@property(nonatomic) MTLHazardTrackingMode hazardTrackingMode;
@end

/// The memory of each plane of a tensor.
@interface MTLTensorBufferAttachments : NSObject <NSCopying>
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset forPlane:(MTLTensorPlaneType)plane;
- (id<MTLBuffer>)bufferForPlane:(MTLTensorPlaneType)plane;
- (NSUInteger)offsetForPlane:(MTLTensorPlaneType)plane;
- (void)reset;
@end

@protocol MTLTensorAuxiliaryPlane <NSObject>
@property(readonly) MTLTensorDataType dataType;
@property(readonly) MTLTensorExtents *blockFactors;
@property(readonly) id<MTLBuffer> buffer;
@property(readonly) NSUInteger bufferOffset;
@property(readonly) MTLTensorPlaneType planeType;
@end

@protocol MTLTensor <MTLResource>
@property(readonly) MTLResourceID gpuResourceID;
@property(readonly) id<MTLBuffer> buffer;
@property(readonly) NSUInteger bufferOffset;
@property(readonly) MTLTensorExtents *strides;
@property(readonly) MTLTensorExtents *dimensions;
@property(readonly) MTLTensorDataType dataType;
@property(readonly) MTLTensorUsage usage;
@property(readonly) NSArray<id<MTLTensorAuxiliaryPlane>> *auxiliaryPlanes;
- (void)replaceSliceOrigin:(MTLTensorExtents *)sliceOrigin
           sliceDimensions:(MTLTensorExtents *)sliceDimensions
                 withBytes:(const void *)bytes
                   strides:(MTLTensorExtents *)strides;
- (void)getBytes:(void *)bytes
            strides:(MTLTensorExtents *)strides
    fromSliceOrigin:(MTLTensorExtents *)sliceOrigin
    sliceDimensions:(MTLTensorExtents *)sliceDimensions;
- (void)replaceSliceOrigin:(MTLTensorExtents *)sliceOrigin
           sliceDimensions:(MTLTensorExtents *)sliceDimensions
                     plane:(MTLTensorPlaneType)plane
                 withBytes:(const void *)bytes
                   strides:(MTLTensorExtents *)strides;
- (void)getBytes:(void *)bytes
            strides:(MTLTensorExtents *)strides
    fromSliceOrigin:(MTLTensorExtents *)sliceOrigin
    sliceDimensions:(MTLTensorExtents *)sliceDimensions
              plane:(MTLTensorPlaneType)plane;
@end
