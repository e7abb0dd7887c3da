// See watched.h.
#include "watched.h"

#include "emulator/frontend/compile.h"
#include "emulator/lowering/lower.h"
#include "emulator/runtime/dispatch.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay::vector_test {

std::string watch(const std::string &body, Observer &observer, const Watched &how) {
  frontend::SourceRequest source;
  source.path = "k.metal";
  source.text =
      "#include <metal_stdlib>\nusing namespace metal;\nkernel void k(device uint *out [[buffer(0)]],\n"
      "uint i [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {\n" +
      body + "\n}\n";
  const auto module = frontend::compile(source);
  EXPECT_TRUE(module) << (module ? "" : renderDiagnostics(module.error().diagnostics));
  if (!module)
    return "it does not compile";
  lowering::LoweringOptions options;
  options.engine = how.engine;
  options.observeMemory = true;
  options.trackUndefined = how.track;
  options.group = groupShapeOf(how.threads, 1, 1, how.threads, 1);
  auto lowered =
      lowering::lowerKernel(module->bitcode, module->info, module->info.kernels.at(0), {}, options);
  EXPECT_TRUE(lowered) << (lowered ? "" : renderDiagnostics(lowered.error().diagnostics));
  if (!lowered)
    return "it is not lowered";
  if (how.engine == Engine::Vector && lowered->info.threadsPerCall == 1)
    return lowered->info.onFibers;
  std::vector<lowering::RuntimeSymbol> symbols;
  for (const auto &[name, address] : runtime::runtimeSymbols())
    symbols.push_back({name, address});
  const auto native = lowering::NativeKernel::load(std::move(*lowered), symbols);
  EXPECT_TRUE(native);
  if (!native)
    return "it cannot be loaded";
  alignas(256) static uint32_t words[256];
  std::fill(std::begin(words), std::end(words), 1u);
  runtime::DispatchRequest request;
  request.code = &(*native)->code();
  request.gridThreads = request.threadsPerThreadgroup = {how.threads, 1, 1};
  request.buffers[0] = {reinterpret_cast<uint8_t *>(words), sizeof words};
  request.observer = &observer;
  const auto report = runtime::run(request);
  EXPECT_TRUE(report) << (report ? "" : renderDiagnostics(report.error().diagnostics));
  return "";
}

} // namespace assay::vector_test
