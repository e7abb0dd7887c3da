// Dispatches on the reference interpreter. What is expected follows from the kernels' own lines.
#include "host/assay.h"

#include <gmock/gmock.h>

#include <numeric>

namespace assay {
namespace {

constexpr const char *kReferenceRunSource = R"(#include <metal_stdlib>
using namespace metal;

kernel void sums(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                 uint i [[thread_position_in_grid]], uint index [[thread_index_in_threadgroup]]) {
  threadgroup uint shared[48];
  shared[index] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = simd_sum(shared[index ^ 1]);
}
kernel void beyond(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (i == 37)
    out[i + 100] = 1;
}
kernel void for_ever(device uint *out [[buffer(0)]]) {
  for (uint i = 0; out[i % 2] == 0; ++i)
    out[2] = i;
}
struct Pointers { device uint *p; };
kernel void through_pointers(device uint *out [[buffer(0)]], constant Pointers &a [[buffer(1)]],
                             uint i [[thread_position_in_grid]]) {
  out[i] = a.p[i] + 1;
}
kernel void picture(texture2d<float, access::read> from [[texture(0)]], device float *out [[buffer(0)]]) {
  out[0] = from.read(uint2(0)).x;
}
)";

struct ReferenceRun : testing::Test {
  ReferenceRun() : library(device.newLibraryWithSource(kReferenceRunSource, {})) {
    EXPECT_TRUE(library) << (library ? "" : renderDiagnostics(library.error().diagnostics));
  }
  Result<ComputePipeline> pipeline(const char *kernel) {
    PipelineOptions options;
    options.engine = Engine::Reference;
    return device.newComputePipelineState(*library->newFunction(kernel), options);
  }
  Result<DispatchReport> run(const char *kernel, DispatchOptions options = {}) {
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline(kernel));
    encoder.setBuffer(out, 0, 0);
    if (kernel == std::string("sums"))
      encoder.setBuffer(in, 0, 1);
    encoder.setOptions(options);
    return encoder.dispatchThreads({96, 1, 1}, {48, 1, 1});
  }

  Device device = Device::systemDefault();
  Result<Library> library;
  Buffer in = device.newBuffer(96 * 4), out = device.newBuffer(96 * 4);
};

TEST_F(ReferenceRun, RunsEveryThreadgroupWithItsBarriersAndPartialSimdgroups) {
  std::iota(in.as<uint32_t>().begin(), in.as<uint32_t>().end(), 1);
  const Result<DispatchReport> done = run("sums");
  ASSERT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
  EXPECT_EQ(done->threadgroups, 2u);
  EXPECT_EQ(done->threads, 96u);
  // Each threadgroup has a simdgroup of 32 threads and one of 16; 1 + 2 + .. + 32 = 528.
  const auto sum = [](uint32_t first, uint32_t count) { return count * first + count * (count - 1) / 2; };
  for (uint32_t i = 0; i < 96; ++i) {
    const uint32_t group = i / 48 * 48, inGroup = i % 48;
    EXPECT_EQ(out.as<uint32_t>()[i], inGroup < 32 ? sum(group + 1, 32) : sum(group + 33, 16)) << i;
  }
}

TEST_F(ReferenceRun, ReachesMemoryByAddressesThatTheDispatchUses) {
  std::iota(in.as<uint32_t>().begin(), in.as<uint32_t>().end(), 1);
  Buffer arguments = device.newBuffer(8);
  arguments.as<uint64_t>()[0] = in.gpuAddress();
  const auto dispatch = [&](bool use) {
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline("through_pointers"));
    encoder.setBuffer(out, 0, 0);
    encoder.setBuffer(arguments, 0, 1);
    if (use)
      encoder.useResource(in, ResourceUsage::Read);
    return encoder.dispatchThreads({96, 1, 1}, {48, 1, 1});
  };
  const Result<DispatchReport> done = dispatch(true);
  ASSERT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
  for (uint32_t i = 0; i < 96; ++i)
    EXPECT_EQ(out.as<uint32_t>()[i], i + 2);
  const Result<DispatchReport> unknown = dispatch(false);
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().is("out-of-bounds"));
}

TEST_F(ReferenceRun, AFaultNamesTheThread) {
  const Result<DispatchReport> done = run("beyond");
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().is("out-of-bounds"));
  EXPECT_THAT(renderDiagnostics(done.error().diagnostics),
              testing::HasSubstr("threadgroup (0,0,0), thread (37,0,0) in threadgroup, simdgroup 1, lane 5"));
}

TEST_F(ReferenceRun, AnEndlessLoopIsAnError) {
  DispatchOptions options;
  options.groupTimeout = std::chrono::milliseconds(200);
  const Result<DispatchReport> done = run("for_ever", options);
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().is("no-progress"));
}

TEST_F(ReferenceRun, WhatItDoesNotDoIsAnErrorOfItsOwn) {
  const auto isUnsupported = [](const auto &result) { return !result && result.error().is("unsupported"); };
  struct : Observer {
  } observer;
  DispatchOptions observed, shuffled;
  observed.observer = &observer;
  shuffled.schedule = {ScheduleKind::Shuffle, 1};
  EXPECT_TRUE(isUnsupported(run("sums", observed)));
  EXPECT_TRUE(isUnsupported(run("sums", shuffled)));
  const auto picture = pipeline("picture");
  if (!picture) {
    EXPECT_TRUE(isUnsupported(picture));
    return;
  }
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*picture);
  encoder.setBuffer(out, 0, 0);
  TextureDescriptor descriptor;
  descriptor.width = descriptor.height = 1;
  encoder.setTexture(*device.newTexture(descriptor), 0);
  const auto done = encoder.dispatchThreads({1, 1, 1}, {1, 1, 1});
  ASSERT_TRUE(isUnsupported(done));
  EXPECT_EQ(done.error().message(), "the reference does not do this: textures");
}

} // namespace
} // namespace assay
