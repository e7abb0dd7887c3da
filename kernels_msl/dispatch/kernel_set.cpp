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

void KernelSet::registerSource(std::string_view kernel, std::string_view source) {
  registered_.insert_or_assign(std::string(kernel), source);
  pipelines_.clear(); // some may be of another text
}

Result<ComputePipeline> KernelSet::pipeline(std::string_view file, std::string_view kernel,
                                            const FunctionConstantValues &constants) {
  KernelRequest request;
  request.file = (folder_ / file).string();
  request.kernel = kernel;
  request.compile.kernels = {request.kernel};
  request.constants = constants;
  request.pipeline = pipeline_;
  const std::string key = fmt::format("{}\n{}{}", request.file, kernel, keyOf(constants));
  if (const auto it = pipelines_.find(key); it != pipelines_.end())
    return it->second;
  if (const auto text = registered_.find(kernel); text != registered_.end()) {
    request.compile.name = request.kernel + ".metal"; // what messages call it
    request.source = std::string(text->second);
  } else if (source_) {
    Result<std::optional<std::string>> text = source_(file, kernel);
    if (!text)
      return text.error();
    if (*text)
      request.compile.name = request.kernel + ".metal"; // what messages call it
    request.source = std::move(*text);
  }
  const Result<Library> library = libraries_.compile(device_, request);
  if (!library)
    return library.error();
  const Result<BuiltKernel> built = buildKernel(device_, *library, request);
  if (!built)
    return built.error();
  pipelines_.emplace(key, built->pipeline);
  return built->pipeline;
}

ComputeCommandEncoder KernelSet::encoder(const ComputePipeline &pipeline) const {
  return encoderFor(device_, pipeline, {}, options_);
}

} // namespace assay::kernels
