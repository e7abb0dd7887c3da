// A program for macOS: kernels from default.metallib, over memory of Mach's.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>
#include <TargetConditionals.h>
#include <mach/mach.h>

#include <iostream>
#include <vector>

#ifndef __APPLE__
#error "this program is for Apple's systems"
#endif

extern "C" int countProcessors(char *name, size_t size);
float scaleOf(int kind);

int main() {
  @autoreleasepool {
    const id<MTLDevice> device = MTLCreateSystemDefaultDevice();
    const id<MTLLibrary> library = [device newDefaultLibrary];
    if (!library)
      return 1;
    vm_address_t memory = 0;
    const vm_size_t size = vm_page_size;
    if (vm_allocate(mach_task_self(), &memory, size, VM_FLAGS_ANYWHERE) != KERN_SUCCESS)
      return 2;
    id<MTLBuffer> buffer = [device newBufferWithBytesNoCopy:reinterpret_cast<void *>(memory)
                                                     length:size
                                                    options:MTLResourceStorageModeShared
                                                deallocator:nil];
    float *values = static_cast<float *>(buffer.contents);
    std::cout << "fresh memory: " << values[0] << " " << values[size / sizeof(float) - 1] << "\n";

    const id<MTLCommandQueue> queue = [device newCommandQueue];
    for (NSString *name in @[ @"add", @"scale" ]) {
      NSError *error = nil;
      const id<MTLComputePipelineState> pipeline =
          [device newComputePipelineStateWithFunction:[library newFunctionWithName:name] error:&error];
      if (!pipeline)
        return 3;
      const float by = scaleOf([name isEqualToString:@"add"] ? 0 : 1);
      const id<MTLCommandBuffer> commands = [queue commandBuffer];
      const id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
      [encoder setComputePipelineState:pipeline];
      [encoder setBuffer:buffer offset:0 atIndex:0];
      [encoder setBytes:&by length:sizeof by atIndex:1];
      [encoder dispatchThreads:MTLSizeMake(4, 1, 1) threadsPerThreadgroup:MTLSizeMake(4, 1, 1)];
      [encoder endEncoding];
      [commands commit];
      [commands waitUntilCompleted];
    }
    const std::vector<float> results(values, values + 4);
    for (const float result : results)
      std::cout << result << " ";
    char name[8];
    std::cout << "\n" << (countProcessors(name, sizeof name) > 0 ? "processors" : "none") << " " << name;
    std::cout << " " << TARGET_OS_OSX << " "
              << ([NSProcessInfo processInfo].operatingSystemVersion.majorVersion > 12) << "\n";
    buffer = nil;
    return vm_deallocate(mach_task_self(), memory, size);
  }
}
