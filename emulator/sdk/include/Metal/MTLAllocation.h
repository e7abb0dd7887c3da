// What memory of the device an object takes; residency sets hold allocations.
#pragma once

#include <Metal/MTLDefines.h>

@protocol MTLAllocation <NSObject>
@property(readonly) NSUInteger allocatedSize;
@end
