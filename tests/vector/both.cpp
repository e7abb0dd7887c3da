// See both.h.
#include "both.h"

#include <gtest/gtest.h>

namespace assay::vector_test {
namespace {

constexpr size_t kWords = 256;

Result<ComputePipeline> pipelineOf(const std::string &body, const std::string &before, Engine engine) {
  const std::string source =
      "#include <metal_stdlib>\nusing namespace metal;\n" + before +
      "\nkernel void k(device uint *out [[buffer(0)]],\n"
      "  const device uint *in [[buffer(1)]], threadgroup uint *shared [[threadgroup(0)]],\n"
      "  uint3 grid [[thread_position_in_grid]], uint3 local [[thread_position_in_threadgroup]],\n"
      "  uint3 at [[threadgroup_position_in_grid]], uint3 size [[threads_per_grid]],\n"
      "  uint3 extent [[threads_per_threadgroup]], uint t [[thread_index_in_threadgroup]],\n"
      "  uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]],\n"
      "  uint quad [[quadgroup_index_in_threadgroup]]) {\nconst uint i = grid.x, group = at.x;\n" +
      body + "\n}\n";
  const Device device = Device::systemDefault();
  const Result<Library> library = device.newLibraryWithSource(source, {});
  if (!library)
    return library.error();
  PipelineOptions options;
  options.engine = engine;
  return device.newComputePipelineState(*library->newFunction("k"), options);
}

Result<std::vector<uint32_t>> runOn(const ComputePipeline &pipeline, Shape shape) {
  const Device device = Device::systemDefault();
  std::vector<uint32_t> words(kWords, 0xa5a5a5a5), inputs(kWords);
  for (uint32_t i = 0; i < kWords; ++i)
    inputs[i] = input(i);
  const Buffer out = device.newBuffer(words.data(), kWords * 4),
               in = device.newBuffer(inputs.data(), kWords * 4);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline);
  encoder.setBuffer(out, 0, 0);
  encoder.setBuffer(in, 0, 1);
  encoder.setThreadgroupMemoryLength(kWords * 4, 0);
  const auto done = encoder.dispatchThreads(shape.grid, shape.group);
  if (!done)
    return done.error();
  const auto stored = out.as<uint32_t>();
  return std::vector<uint32_t>(stored.begin(), stored.end());
}

} // namespace

uint32_t input(uint32_t index) {
  return index * 2654435761u;
}

std::vector<uint32_t> run(const std::string &body, Shape shape, const std::string &before) {
  const Result<ComputePipeline> pipeline = pipelineOf(body, before, Engine::Both);
  const std::vector<uint32_t> nothing(kWords);
  if (!pipeline) {
    ADD_FAILURE() << renderDiagnostics(pipeline.error().diagnostics);
    return nothing;
  }
  EXPECT_TRUE(pipeline->isVectorised()) << pipeline->onFibers();
  const Result<std::vector<uint32_t>> words = runOn(*pipeline, shape);
  if (!words) {
    ADD_FAILURE() << renderDiagnostics(words.error().diagnostics);
    return nothing;
  }
  return *words;
}

std::string onFibers(const std::string &body, const std::string &before) {
  const Result<ComputePipeline> pipeline = pipelineOf(body, before, Engine::Vector);
  return pipeline ? pipeline->onFibers() : renderDiagnostics(pipeline.error().diagnostics);
}

std::string failure(const std::string &body, Engine engine, Shape shape) {
  const Result<ComputePipeline> pipeline = pipelineOf(body, "", engine);
  if (!pipeline)
    return renderDiagnostics(pipeline.error().diagnostics);
  const Result<std::vector<uint32_t>> words = runOn(*pipeline, shape);
  return words ? "" : renderDiagnostics(words.error().diagnostics);
}

} // namespace assay::vector_test
