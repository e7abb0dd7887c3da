// What lies in front of a binding's offset belongs to the buffer: kernels with negative strides go there.
#include "host/assay.h"

#include <gmock/gmock.h>

#include <numeric>
#include <vector>

namespace assay {
namespace {

using testing::HasSubstr;

constexpr const char *kBoundOffsetSource = R"(
#include <metal_stdlib>
using namespace metal;

kernel void backwards(device const int *in [[buffer(0)]], device int *out [[buffer(1)]],
                      constant int &stride [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  out[-int(i)] = in[int(i) * stride];
}

kernel void loop(device const int *in [[buffer(0)]], device int *out [[buffer(1)]],
                 constant int &stride [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  int sum = 0;
  for (int j = 0; j < 8; ++j)
    sum += in[j * stride];
  out[-int(i)] = sum;
}

kernel void decide(device const int *in [[buffer(0)]], device int *out [[buffer(1)]],
                   constant int &stride [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  if (in[int(i) * stride] > 0)
    out[-int(i)] = 1;
}

kernel void writeThenDecide(device int *in [[buffer(0)]], device int *out [[buffer(1)]],
                            constant int &stride [[buffer(2)]]) {
  in[stride] = stride;
  if (in[stride] < 0)
    out[0] = 1;
}

struct Place { device const int *at; };
kernel void unknown(device const int *in [[buffer(0)]], device int *out [[buffer(1)]],
                    constant int &stride [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  volatile thread Place place{in};
  out[-int(i)] = place.at[int(i) * stride];
}

kernel void either(device const int *in [[buffer(0)]], device int *out [[buffer(1)]],
                   constant int &stride [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  device const int *from = i & 1 ? in : out + 100;
  out[-int(i)] = from[i & 1 ? int(i) * stride : 0];
}
)";

// in[k] is k. `in` is bound at element 40, and `out` at element 31 of 200.
class BoundOffset : public testing::TestWithParam<Engine> {
protected:
  BoundOffset() { std::iota(in_.as<int>().begin(), in_.as<int>().end(), 0); }

  Result<DispatchReport> run(const char *kernel, int stride, uint32_t threads = 32) {
    const Result<Library> library = device_.newLibraryWithSource(kBoundOffsetSource, {});
    if (!library)
      return library.error();
    PipelineOptions options;
    options.engine = GetParam();
    const auto pipeline = device_.newComputePipelineState(*library->newFunction(kernel), options);
    if (!pipeline)
      return pipeline.error();
    ComputeCommandEncoder encoder = device_.computeCommandEncoder();
    DispatchOptions dispatch;
    dispatch.checks = checks_;
    encoder.setOptions(dispatch);
    encoder.setComputePipelineState(*pipeline);
    encoder.setBuffer(in_, inOffset_, 0);
    encoder.setBuffer(out_, 31 * sizeof(int), 1);
    encoder.setBytes(&stride, sizeof stride, 2);
    return encoder.dispatchThreads(Size(threads), Size(32));
  }
  std::string failure(const char *kernel, int stride) {
    const Result<DispatchReport> report = run(kernel, stride);
    return report ? "no error" : renderDiagnostics(report.error().diagnostics);
  }

  Device device_ = Device::systemDefault();
  Buffer in_ = device_.newBuffer(41 * sizeof(int)), out_ = device_.newBuffer(200 * sizeof(int));
  size_t inOffset_ = 40 * sizeof(int);
  CheckRules checks_;
};

} // namespace

TEST_P(BoundOffset, MemoryInFrontOfItIsTheKernels) {
  const Result<DispatchReport> report = run("backwards", -1);
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out_.as<int>()[31 - i], 40 - i);
}

TEST_P(BoundOffset, LoopsGoThere) {
  ASSERT_EQ(failure("loop", -5), "no error");
  EXPECT_EQ(out_.as<int>()[0], 8 * 40 - 5 * 28);
}

TEST_P(BoundOffset, PointersThatWereStoredGoThere) {
  ASSERT_EQ(failure("unknown", -1), "no error");
  EXPECT_EQ(out_.as<int>()[0], 9);
  ASSERT_EQ(failure("either", -1), "no error");
  EXPECT_EQ(out_.as<int>()[0], 9);
}

TEST_P(BoundOffset, TheBeginOfTheBufferIsTheLimit) {
  for (const char *kernel : {"backwards", "either", "loop"})
    EXPECT_THAT(failure(kernel, -6), HasSubstr("[out-of-bounds]")) << kernel;
  if (GetParam() != Engine::Reference) // it says less
    EXPECT_THAT(failure("backwards", -2),
                HasSubstr("error: read of 4 bytes at byte -168 of buffer(0) 'in', which has 4 bytes from its "
                          "offset on and 160 before it [out-of-bounds]"));
  EXPECT_THAT(failure("backwards", 1), HasSubstr("[out-of-bounds]"));
}

TEST_P(BoundOffset, HoldsInCopiesOfMemoryThatIsNotAligned) {
  std::vector<int> memory(300);
  std::iota(memory.begin(), memory.end(), 0);
  // One buffer in both slots: it is one copy, too.
  in_ = out_ = device_.newBufferWithBytesNoCopy(memory.data() + 1, 200 * sizeof(int));
  inOffset_ = 140 * sizeof(int);
  ASSERT_EQ(failure("backwards", -1), "no error");
  EXPECT_EQ(memory[0], 0);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(memory[1 + i], 1 + 140 - (31 - i));
  for (int i = 33; i < 300; ++i)
    EXPECT_EQ(memory[i], i);
}

TEST_P(BoundOffset, CheckersKnowWhatWasWrittenThere) {
  if (GetParam() == Engine::Reference)
    GTEST_SKIP() << "the engine reference has no checkers";
  checks_ = CheckRules::all();
  in_.poison();
  for (int i = 10; i <= 40; ++i) // all but the last that is read, element 9
    in_.as<int>()[i] = i;
  const Result<DispatchReport> report = run("decide", -1);
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  ASSERT_EQ(report->findings.size(), 1u);
  EXPECT_THAT(renderDiagnostics(diagnosticsOf(report->findings[0])),
              HasSubstr("depends on in (124 bytes before its offset), which nobody has written"));
}

TEST_P(BoundOffset, CheckersSeeWhatAKernelWroteThere) {
  if (GetParam() == Engine::Reference)
    GTEST_SKIP() << "the engine reference has no checkers";
  checks_ = CheckRules::all();
  in_.poison();
  const Result<DispatchReport> report = run("writeThenDecide", -1, 1);
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  EXPECT_TRUE(report->findings.empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, BoundOffset,
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
