// What the tests of Metal's classes share: the device, the kernels, and a dispatch in one line.
// For files with ARC.
#pragma once

#import <Metal/Metal.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace metal_test {

inline id<MTLDevice> device() {
  static const id<MTLDevice> one = MTLCreateSystemDefaultDevice();
  return one;
}

inline std::string textOf(NSString *text) {
  return text ? text.UTF8String : "(nil)";
}
inline std::string textOf(NSError *error) {
  return error ? textOf(error.localizedDescription) : "(no error)";
}

inline id<MTLLibrary> library() {
  static const id<MTLLibrary> kernels = [] {
    NSError *error = nil;
    id<MTLLibrary> made = [device() newLibraryWithURL:[NSURL fileURLWithPath:@ASSAY_API_KERNELS]
                                                error:&error];
    EXPECT_TRUE(made != nil) << textOf(error);
    return made;
  }();
  return kernels;
}

inline id<MTLComputePipelineState> pipeline(NSString *name) {
  NSError *error = nil;
  id<MTLFunction> function = [library() newFunctionWithName:name];
  EXPECT_TRUE(function != nil) << textOf(name);
  id<MTLComputePipelineState> state = [device() newComputePipelineStateWithFunction:function error:&error];
  EXPECT_TRUE(state != nil) << textOf(error);
  return state;
}

template <class T> id<MTLBuffer> bufferOf(const std::vector<T> &values) {
  return [device() newBufferWithBytes:values.data()
                               length:values.size() * sizeof(T)
                              options:MTLResourceStorageModeShared];
}
template <class T> std::vector<T> valuesOf(id<MTLBuffer> buffer) {
  const T *values = static_cast<const T *>(buffer.contents);
  return std::vector<T>(values, values + buffer.length / sizeof(T));
}

inline void encode(id<MTLCommandBuffer> commands, NSString *kernel, NSUInteger threads,
                   const std::function<void(id<MTLComputeCommandEncoder>)> &bind) {
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline(kernel)];
  bind(encoder);
  [encoder dispatchThreads:MTLSizeMake(threads, 1, 1) threadsPerThreadgroup:MTLSizeMake(threads, 1, 1)];
  [encoder endEncoding];
}

inline void encodeDigit(id<MTLCommandBuffer> commands, id<MTLBuffer> number, uint32_t digit) {
  encode(commands, @"append_digit", 1, [&](id<MTLComputeCommandEncoder> encoder) {
    [encoder setBuffer:number offset:0 atIndex:0];
    [encoder setBytes:&digit length:sizeof digit atIndex:1];
  });
}

/// Commits and waits; the error that the buffer ends with.
inline NSError *finish(id<MTLCommandBuffer> commands) {
  [commands commit];
  [commands waitUntilCompleted];
  EXPECT_EQ(commands.status, commands.error ? MTLCommandBufferStatusError : MTLCommandBufferStatusCompleted);
  return commands.error;
}

inline NSError *run(NSString *kernel, NSUInteger threads,
                    const std::function<void(id<MTLComputeCommandEncoder>)> &bind) {
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  encode(commands, kernel, threads, bind);
  return finish(commands);
}

/// What a command says, errors included.
inline std::string outputOf(const std::string &command) {
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  for (int c; (c = fgetc(pipe)) != EOF;)
    text += char(c);
  pclose(pipe);
  return text;
}

inline bool within(double seconds, const std::function<bool()> &holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

} // namespace metal_test
