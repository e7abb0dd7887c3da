// A visible function in a pipeline.
#pragma once

#include <Metal/MTLLibrary.h>

@protocol MTLFunctionHandle <NSObject>
@property(readonly) MTLFunctionType functionType;
@property(readonly) NSString *name;
@property(readonly) id<MTLDevice> device;
@property(readonly) MTLResourceID gpuResourceID;
@end
