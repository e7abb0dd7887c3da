// The comparison of engines finds a difference.
#include "host/assay.h"

#include <gmock/gmock.h>

#include <optional>
#include <sys/mman.h>

namespace assay {
namespace {

Result<void> runOn(Engine engine, const char *body, std::optional<Buffer> out = {}) {
  const Device device = Device::systemDefault();
  const Result<Library> library = device.newLibraryWithSource(
      "#include <metal_stdlib>\nusing namespace metal;\nkernel void k(device uint *out [[buffer(0)]],\n"
      "uint lane [[thread_index_in_simdgroup]]) {\nthreadgroup uint shared[32];\n" +
          std::string(body) + "\n}\n",
      {});
  if (!library)
    return library.error();
  PipelineOptions options;
  options.engine = engine;
  const auto pipeline = device.newComputePipelineState(*library->newFunction("k"), options);
  if (!pipeline)
    return pipeline.error();
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*pipeline);
  encoder.setBuffer(out ? *out : device.newBuffer(32 * 4), 0, 0);
  if (const auto done = encoder.dispatchThreads({32, 1, 1}, {32, 1, 1}); !done)
    return done.error();
  return {};
}

} // namespace

TEST(BothEngines, AgreeOnAKernelWithoutRaces) {
  EXPECT_TRUE(runOn(Engine::Both, "out[lane] = lane * 3;"));
}

// Lanes that read what their neighbours store, without a barrier: fibers run one after the other.
TEST(BothEngines, ARaceIsNamedWithItsPlace) {
  const char *race = "shared[lane] = lane + 1; out[lane] = shared[31 - lane];";
  EXPECT_TRUE(runOn(Engine::Fiber, race));
  EXPECT_TRUE(runOn(Engine::Vector, race));
  const Result<void> both = runOn(Engine::Both, race);
  ASSERT_FALSE(both);
  EXPECT_TRUE(both.error().is("engine-difference"));
  EXPECT_THAT(renderDiagnostics(both.error().diagnostics),
              testing::HasSubstr("kernel k: byte 0 of the 128 bytes"));
}

// Nothing of the memory is touched before it is refused.
TEST(BothEngines, BuffersThatAreTooLargeToCopyAreRefused) {
  constexpr size_t kBytes = size_t(5) << 30;
  void *memory = mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const Buffer large = Device::systemDefault().newBufferWithBytesNoCopy(memory, kBytes);
  const Result<void> both = runOn(Engine::Both, "out[lane] = lane;", large);
  ASSERT_FALSE(both);
  EXPECT_TRUE(both.error().is("out-of-memory"));
  munmap(memory, kBytes);
}

} // namespace assay
