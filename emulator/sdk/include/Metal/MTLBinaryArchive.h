// Compiled pipelines on disk.
#pragma once

#include <Metal/MTLDefines.h>

@protocol MTLDevice
, MTLLibrary;
@class MTLComputePipelineDescriptor, MTLFunctionDescriptor;

typedef NS_ENUM(NSUInteger, MTLBinaryArchiveError) {
  MTLBinaryArchiveErrorNone = 0,
  MTLBinaryArchiveErrorInvalidFile = 1,
  MTLBinaryArchiveErrorUnexpectedElement = 2,
  MTLBinaryArchiveErrorCompilationFailure = 3,
  MTLBinaryArchiveErrorInternalError = 4
};
MTL_EXTERN NSErrorDomain const MTLBinaryArchiveDomain;

@interface MTLBinaryArchiveDescriptor : NSObject <NSCopying>
@property(copy, nonatomic) NSURL *url;
@end

@protocol MTLBinaryArchive <NSObject>
@property(copy, atomic) NSString *label;
@property(readonly) id<MTLDevice> device;
- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                            error:(NSError **)error;
- (BOOL)addFunctionWithDescriptor:(MTLFunctionDescriptor *)descriptor
                          library:(id<MTLLibrary>)library
                            error:(NSError **)error;
- (BOOL)serializeToURL:(NSURL *)url error:(NSError **)error;
@end
