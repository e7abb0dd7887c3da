// Room around buffers (Device::newBufferWithRoom, DispatchOptions::inlineRoom): kernels may go there, and not
// a byte further.
#include "host/assay.h"

#include <gmock/gmock.h>

#include <cstring>

namespace assay {
namespace {

using testing::HasSubstr;

constexpr const char *kBufferRoomSource = R"(
#include <metal_stdlib>
using namespace metal;

kernel void copy(device const uchar *in [[buffer(0)]], device uchar *out [[buffer(1)]],
                 constant int2 &places [[buffer(2)]]) {
  out[places.y] = in[places.x];
}

struct Address { device const uchar *in; };
kernel void follow(constant Address &address [[buffer(0)]], device uchar *out [[buffer(1)]],
                   constant int2 &places [[buffer(2)]]) {
  out[places.y] = address.in[places.x];
}
)";

class BufferRoom : public testing::TestWithParam<Engine> {
protected:
  BufferRoom() {
    in_.fill(7);
    out_.fill(8);
  }
  /// Which error there is, or what the copied byte is.
  std::string copied(int from, int to, const char *kernel = "copy", bool inlineIn = false) {
    const Result<Library> library = device_.newLibraryWithSource(kBufferRoomSource, {});
    if (!library)
      return renderDiagnostics(library.error().diagnostics);
    PipelineOptions options;
    options.engine = GetParam();
    const auto pipeline = device_.newComputePipelineState(*library->newFunction(kernel), options);
    if (!pipeline)
      return renderDiagnostics(pipeline.error().diagnostics);
    ComputeCommandEncoder encoder = device_.computeCommandEncoder();
    DispatchOptions dispatch;
    dispatch.inlineRoom = 256;
    dispatch.checks = checks_;
    encoder.setOptions(dispatch);
    encoder.setComputePipelineState(*pipeline);
    const uint64_t address = in_.gpuAddress();
    const int places[] = {from, to};
    const uint8_t five[] = {1, 2, 3, 4, 5};
    if (inlineIn)
      encoder.setBytes(five, sizeof five, 0);
    else if (std::strcmp(kernel, "follow") == 0)
      encoder.setBytes(&address, sizeof address, 0);
    else
      encoder.setBuffer(in_, 0, 0);
    encoder.useResource(in_, ResourceUsage::Read);
    encoder.setBuffer(out_, 0, 1);
    encoder.setBytes(places, sizeof places, 2);
    const Result<DispatchReport> report = encoder.dispatchThreads(Size(1), Size(1));
    return report ? std::to_string(static_cast<const uint8_t *>(out_.contents())[to])
                  : renderDiagnostics(report.error().diagnostics);
  }

  Device device_ = Device::systemDefault();
  Buffer in_ = device_.newBufferWithRoom(5, 512), out_ = device_.newBufferWithRoom(5, 512);
  CheckRules checks_;
};

} // namespace

TEST_P(BufferRoom, IsNotPartOfTheBuffer) {
  EXPECT_EQ(in_.length(), 5u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(in_.contents()) % 4096, 0u);
  EXPECT_EQ(in_.as<uint8_t>().size(), 5u);
}

TEST_P(BufferRoom, IsThereOnBothSidesAndEnds) {
  for (const char *kernel : {"copy", "follow"}) {
    EXPECT_EQ(copied(4, 0, kernel), "7") << kernel;
    for (const int place : {-1, -512, 5, 516})
      EXPECT_EQ(copied(place, 0, kernel), std::to_string(Buffer::kPoisonByte)) << kernel << " at " << place;
    for (const int place : {-513, 517})
      EXPECT_THAT(copied(place, 0, kernel), HasSubstr("[out-of-bounds]")) << kernel << " at " << place;
  }
}

TEST_P(BufferRoom, MayBeWrittenAndReadAgain) {
  for (const int place : {-512, -1, 5, 516}) {
    EXPECT_EQ(copied(0, place), "7") << place;
    std::swap(in_, out_);
    EXPECT_EQ(copied(place, 0), "7") << place;
    std::swap(in_, out_);
  }
  for (const int place : {-513, 517})
    EXPECT_THAT(copied(0, place), HasSubstr("[out-of-bounds]")) << place;
}

TEST_P(BufferRoom, IsAroundInlineBytes) {
  EXPECT_EQ(copied(2, 0, "copy", true), "3");
  for (const int place : {-256, -1, 5, 260})
    EXPECT_EQ(copied(place, 0, "copy", true), std::to_string(Buffer::kPoisonByte)) << place;
  for (const int place : {-257, 261})
    EXPECT_THAT(copied(place, 0, "copy", true), HasSubstr("[out-of-bounds]")) << place;
}

TEST_P(BufferRoom, IsNotForCheckers) {
  if (GetParam() == Engine::Reference)
    GTEST_SKIP() << "the engine reference has no checkers";
  checks_ = CheckRules::all();
  for (const int place : {-1, 5}) {
    EXPECT_THAT(copied(place, 0), HasSubstr("which has 5 bytes [out-of-bounds]"));
    EXPECT_THAT(copied(place, 0, "follow"), HasSubstr("[out-of-bounds]"));
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, BufferRoom,
                         testing::Values(Engine::Fiber, Engine::Vector, Engine::Reference, Engine::Both),
                         [](const auto &engine) {
                           switch (engine.param) {
                           case Engine::Fiber: return "Fiber";
                           case Engine::Vector: return "Vector";
                           case Engine::Reference: return "Reference";
                           default: return "Both";
                           }
                         });

} // namespace assay
