// The span of work that a capture records.
#pragma once

#include <Metal/MTLDefines.h>

@protocol MTLDevice
, MTLCommandQueue;

@protocol MTLCaptureScope <NSObject>
- (void)beginScope;
- (void)endScope;
@property(copy, atomic) NSString *label;
@property(readonly, nonatomic) id<MTLDevice> device;
@property(readonly, nonatomic) id<MTLCommandQueue> commandQueue;
@end
