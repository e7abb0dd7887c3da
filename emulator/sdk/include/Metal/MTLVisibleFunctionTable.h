// A table of visible functions that kernels call.
#pragma once

#include <Metal/MTLFunctionHandle.h>
#include <Metal/MTLResource.h>
#include <Metal/MTLTypes.h>

@interface MTLVisibleFunctionTableDescriptor : NSObject <NSCopying>
+ (MTLVisibleFunctionTableDescriptor *)visibleFunctionTableDescriptor;
@property(nonatomic) NSUInteger functionCount;
@end

@protocol MTLVisibleFunctionTable <MTLResource>
@property(readonly) MTLResourceID gpuResourceID;
- (void)setFunction:(id<MTLFunctionHandle>)function atIndex:(NSUInteger)index;
- (void)setFunctions:(const id<MTLFunctionHandle> __unsafe_unretained[])functions withRange:(NSRange)range;
@end
