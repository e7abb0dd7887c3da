// A library whose kernels each test runs in every way: on each engine, and compiled for a debugger.
#pragma once

#include "host/assay.h"
#include "temporary_folder.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace assay::testing_support {

enum class Way { Vector, Fiber, Both, Reference, Debug };

class EveryWay : public testing::TestWithParam<Way> {
protected:
  explicit EveryWay(const char *source, LanguageVersion language = LanguageVersion::Any) {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    CompileOptions options;
    options.debug = GetParam() == Way::Debug;
    options.languageVersion = language;
    auto result = device.newLibraryWithSource(source, options);
    EXPECT_TRUE(result) << (result ? "" : renderDiagnostics(result.error().diagnostics));
    if (result)
      library = *result;
  }

  /// The options of the way are added.
  Result<ComputePipeline> pipelineWith(PipelineOptions options, const char *kernel,
                                       const FunctionConstantValues &constants) {
    options.debug = GetParam() == Way::Debug;
    options.engine = GetParam() == Way::Vector      ? Engine::Vector
                     : GetParam() == Way::Fiber     ? Engine::Fiber
                     : GetParam() == Way::Both      ? Engine::Both
                     : GetParam() == Way::Reference ? Engine::Reference
                                                    : Engine::Auto;
    return device.newComputePipelineState(*library.newFunction(kernel, constants), options);
  }

  Result<DispatchReport> run(const Result<ComputePipeline> &pipeline, const Bindings &bindings, Size threads,
                             Size group) {
    if (!pipeline)
      return pipeline.error();
    return launch(device, *pipeline, bindings, DispatchSize::threads(threads, group));
  }

  TemporaryFolder folder;
  Device device = Device::systemDefault();
  Library library;
};

inline auto everyWay() {
  return testing::Values(Way::Vector, Way::Fiber, Way::Both, Way::Reference, Way::Debug);
}

inline std::string nameOfWay(const testing::TestParamInfo<Way> &info) {
  constexpr const char *kNames[] = {"Vector", "Fiber", "Both", "Reference", "Debug"};
  return kNames[size_t(info.param)];
}

} // namespace assay::testing_support
