#include "kernel_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::kernels {
namespace {

std::string keyOf(const FunctionConstantValues &constants) {
  std::string key;
  for (const auto &[index, value] : constants.byIndex())
    key += fmt::format(" {}={}:{}", index, int(value.type), fmt::join(value.components, ","));
  for (const auto &[name, value] : constants.byName())
    key += fmt::format(" {}={}:{}", name, int(value.type), fmt::join(value.components, ","));
  return key;
}

} // namespace

Result<ComputePipeline> KernelSet::pipeline(std::string_view file, std::string_view kernel,
                                            const FunctionConstantValues &constants) {
  const std::string path = (folder_ / file).string();
  const std::string libraryKey = fmt::format("{}\n{}", path, kernel);
  const std::string key = libraryKey + keyOf(constants);
  if (const auto it = pipelines_.find(key); it != pipelines_.end())
    return it->second;
  auto library = libraries_.find(libraryKey);
  if (library == libraries_.end()) {
    CompileOptions compile;
    compile.kernels = {std::string(kernel)};
    compile.forPipelines(pipeline_);
    Result<Library> made = device_.newLibraryWithFile(path, compile);
    if (!made)
      return made.error();
    library = libraries_.emplace(libraryKey, *made).first;
  }
  const Result<Function> function = library->second.newFunction(kernel, constants);
  if (!function)
    return function.error();
  Result<ComputePipeline> pipeline = device_.newComputePipelineState(*function, pipeline_);
  if (pipeline)
    pipelines_.emplace(key, *pipeline);
  return pipeline;
}

ComputeCommandEncoder KernelSet::encoder(const ComputePipeline &pipeline) const {
  ComputeCommandEncoder encoder = device_.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline);
  encoder.setOptions(options_);
  return encoder;
}

} // namespace assay::kernels
