// Sets of allocations that are made resident together.
#pragma once

#include <Metal/MTLAllocation.h>

@protocol MTLDevice;

@interface MTLResidencySetDescriptor : NSObject <NSCopying>
@property(copy, nonatomic) NSString *label;
@property(nonatomic) NSUInteger initialCapacity;
@end

@protocol MTLResidencySet <NSObject>
@property(readonly) id<MTLDevice> device;
@property(readonly) NSString *label;
@property(readonly) uint64_t allocatedSize;
@property(readonly, copy) NSArray<id<MTLAllocation>> *allAllocations;
@property(readonly) NSUInteger allocationCount;
- (void)requestResidency;
- (void)endResidency;
- (void)addAllocation:(id<MTLAllocation>)allocation;
- (void)addAllocations:(const id<MTLAllocation> __unsafe_unretained[])allocations count:(NSUInteger)count;
- (void)removeAllocation:(id<MTLAllocation>)allocation;
- (void)removeAllocations:(const id<MTLAllocation> __unsafe_unretained[])allocations count:(NSUInteger)count;
- (void)removeAllAllocations;
- (BOOL)containsAllocation:(id<MTLAllocation>)allocation;
- (void)commit;
@end
