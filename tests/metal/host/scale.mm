// The part of the host that is Objective-C++.
#include <Metal/Metal.h>
#include <vector>

extern "C" NSArray<NSNumber *> *scaled(NSURL *file, NSArray<NSNumber *> *values, float by) {
  id<MTLDevice> device = MTLCreateSystemDefaultDevice();
  NSError *error = nil;
  id<MTLLibrary> library =
      file ? [device newLibraryWithURL:file error:&error]
           : [device newLibraryWithSource:@"kernel void scale(device float *x [[buffer(0)]], "
                                          @"constant float &by [[buffer(1)]], "
                                          @"uint i [[thread_position_in_grid]]) { x[i] = 10 * by * x[i]; }"
                                  options:nil
                                    error:&error];
  id<MTLComputePipelineState> pipeline =
      [device newComputePipelineStateWithFunction:[library newFunctionWithName:@"scale"] error:&error];
  if (!pipeline) {
    NSLog(@"%@", error);
    exit(1);
  }
  std::vector<float> numbers;
  for (NSNumber *value in values)
    numbers.push_back([value floatValue]);
  id<MTLBuffer> buffer = [device newBufferWithBytes:numbers.data()
                                             length:numbers.size() * sizeof(float)
                                            options:MTLResourceStorageModeShared];
  id<MTLCommandBuffer> commands = [[device newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline];
  [encoder setBuffer:buffer offset:0 atIndex:0];
  [encoder setBytes:&by length:sizeof by atIndex:1];
  [encoder dispatchThreads:MTLSizeMake(numbers.size(), 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  [encoder endEncoding];
  [commands commit];
  [commands waitUntilCompleted];
  NSMutableArray *result = [NSMutableArray array];
  for (size_t i = 0; i < numbers.size(); ++i)
    [result addObject:@(static_cast<const float *>(buffer.contents)[i])];
  return result;
}
