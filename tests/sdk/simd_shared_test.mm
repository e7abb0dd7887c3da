// One header for a host and its kernels: every type is as large, and begins where the other side reads it.
#include "simd_shared.h"

#import <Metal/Metal.h>
#include <cstdint>
#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace {

/// Runs a kernel of one thread.
void run(NSString *name, const std::vector<id<MTLBuffer>> &buffers) {
  const id<MTLDevice> device = buffers.front().device;
  NSError *error = nil;
  const id<MTLLibrary> library = [device newLibraryWithURL:[NSURL fileURLWithPath:@ASSAY_SHARED_KERNELS]
                                                     error:&error];
  ASSERT_TRUE(library != nil) << error.localizedDescription.UTF8String;
  const id<MTLComputePipelineState> state =
      [device newComputePipelineStateWithFunction:[library newFunctionWithName:name] error:&error];
  ASSERT_TRUE(state != nil) << error.localizedDescription.UTF8String;
  const id<MTLCommandBuffer> commands = [[device newCommandQueue] commandBuffer];
  const id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:state];
  for (size_t i = 0; i < buffers.size(); ++i)
    [encoder setBuffer:buffers[i] offset:0 atIndex:i];
  [encoder dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  [encoder endEncoding];
  [commands commit];
  [commands waitUntilCompleted];
  ASSERT_EQ(commands.error, nil);
}

id<MTLBuffer> buffer(size_t bytes) {
  return [MTLCreateSystemDefaultDevice() newBufferWithLength:bytes options:MTLResourceStorageModeShared];
}

struct Layout {
  std::string name;
  uint32_t size, alignment, between;
};

TEST(SimdShared, HostAndKernelLayEveryTypeOutAlike) {
#define ROW(type) {#type, sizeof(type), alignof(type), sizeof(shared_##type)},
  const std::vector<Layout> layouts = {SHARED_TYPES(ROW)};
  const id<MTLBuffer> out = buffer((3 * layouts.size() + 4) * sizeof(uint32_t));
  run(@"layouts", {out});
  const uint32_t *kernel = static_cast<const uint32_t *>(out.contents);
  ASSERT_GT(layouts.size(), 70u);
  for (const Layout &host : layouts) {
    EXPECT_EQ(host.size, *kernel++) << host.name;
    EXPECT_EQ(host.alignment, *kernel++) << host.name;
    EXPECT_EQ(host.between, *kernel++) << host.name;
  }
  EXPECT_EQ(sizeof(Uniforms), *kernel++);
  EXPECT_EQ(sizeof(Computed), *kernel++);
  // What simd_shared.h says of 64-bit integers.
  EXPECT_EQ(alignof(simd_long3), 16u);
  EXPECT_EQ(*kernel++, 32u);
  EXPECT_EQ(alignof(simd_ulong4), 16u);
  EXPECT_EQ(*kernel, 32u);
}

TEST(SimdShared, AKernelReadsWhatTheHostWroteAndTheOtherWayRound) {
  const id<MTLBuffer> in = buffer(sizeof(Uniforms)), out = buffer(sizeof(Computed));
  Uniforms &uniforms = *static_cast<Uniforms *>(in.contents);
  uniforms.transform = simd::float4x4(simd::float4{1, 5, 9, 13}, simd::float4{2, 6, 10, 14},
                                      simd::float4{3, 7, 11, 15}, simd::float4{4, 8, 12, 16});
  uniforms.point = {1, 2, 3};
  uniforms.scale = 0.5f;
  uniforms.normal = simd_matrix(simd::float3{1, 2, 3}, simd::float3{4, 5, 6}, simd::float3{7, 8, 9});
  uniforms.color = simd::float4{0.25f, 0.5f, 0.75f, 1};
  uniforms.halves = simd_half4{1, -2, 0.5f16, 2047};
  uniforms.bytes = simd::char3{-1, 127, -128};
  uniforms.pair = simd::ushort2{65535, 1};
  uniforms.wide = simd_long2{1L << 40, (1L << 40) - 7};
  run(@"compute", {in, out});

  // By hand: rows (1 2 3 4), (5 6 7 8), .. times (1 2 3 1), and so on.
  const Computed &computed = *static_cast<const Computed *>(out.contents);
  EXPECT_TRUE(simd_equal(computed.transformed, simd::float4{18, 46, 74, 102}));
  EXPECT_TRUE(simd_equal(computed.turned, simd::float3{30, 36, 42}));
  EXPECT_EQ(computed.scale, 1);
  EXPECT_TRUE(simd_equal(simd::float4(computed.color), simd::float4{1, 0.75f, 0.5f, 0.25f}));
  EXPECT_TRUE(simd_equal(computed.halves, simd::half4{2, -1, 1.5f16, 2048}));
  EXPECT_TRUE(simd_equal(computed.integers, simd::int4{-1, 127, -128, 65543}));
  EXPECT_TRUE(simd_equal(computed.columns.columns[0], simd::float3{1, 2, 3}));
  EXPECT_TRUE(simd_equal(computed.columns.columns[1], simd::float3{7, 8, 9}));
  EXPECT_TRUE(simd_equal(computed.transformed, uniforms.transform * simd_make_float4(uniforms.point, 1)));
}

} // namespace
