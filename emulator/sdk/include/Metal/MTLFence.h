// Order between two encoders of one queue.
#pragma once

#include <Metal/MTLDefines.h>

@protocol MTLDevice;

@protocol MTLFence <NSObject>
@property(readonly) id<MTLDevice> device;
@property(copy, atomic) NSString *label;
@end
