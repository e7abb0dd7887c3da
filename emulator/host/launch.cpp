#include "launch.h"

#include <mutex>
#include <tuple>

namespace assay {

Result<Library> compileLibrary(const Device &device, const KernelRequest &request) {
  const CompileOptions options = CompileOptions(request.compile).forPipelines(request.pipeline);
  std::vector<LibrarySource> sources = {{request.file, request.source, options}};
  for (const std::string &file : request.moreFiles) {
    sources.push_back({.file = file, .options = options});
    // A probe is for the first file, for what it includes, or for another file by its name.
    std::vector<SourceProbe> &first = sources.front().options.probes, &own = sources.back().options.probes;
    const auto isForFile = [&](const SourceProbe &probe) {
      return !probe.file.empty() && (file == probe.file || file.ends_with("/" + probe.file));
    };
    std::erase_if(own, [&](const SourceProbe &probe) { return !isForFile(probe); });
    std::erase_if(first, isForFile);
  }
  return device.newLibraryWithSources(sources);
}

Result<BuiltKernel> buildKernel(const Device &device, const Library &library, const KernelRequest &request) {
  Result<Function> function = library.newFunction(request.kernel, request.constants);
  if (!function)
    return function.error();
  Result<ComputePipeline> pipeline = device.newComputePipelineState(*function, request.pipeline);
  if (!pipeline)
    return pipeline.error();
  return BuiltKernel{library, std::move(*function), std::move(*pipeline)};
}

Result<BuiltKernel> buildKernel(const Device &device, const KernelRequest &request) {
  const Result<Library> library = compileLibrary(device, request);
  if (!library)
    return library.error();
  return buildKernel(device, *library, request);
}

struct LibraryMemo::State {
  using Key = std::tuple<std::string, std::optional<std::string>, std::vector<std::string>, CompileOptions>;
  std::mutex mutex;
  std::map<Key, Library> libraries;
};

LibraryMemo::LibraryMemo() : state_(std::make_shared<State>()) {}

Result<Library> LibraryMemo::compile(const Device &device, const KernelRequest &request) const {
  if (!request.compile.probes.empty() || !request.compile.cache)
    return compileLibrary(device, request);
  State::Key key{request.file, request.source, request.moreFiles,
                 CompileOptions(request.compile).forPipelines(request.pipeline)};
  const std::lock_guard lock(state_->mutex);
  if (const auto found = state_->libraries.find(key); found != state_->libraries.end())
    return found->second;
  Result<Library> library = compileLibrary(device, request);
  if (library)
    state_->libraries.emplace(std::move(key), *library);
  return library;
}

// The first mistake of a setter is the one that the dispatch reports, so this order is part of the behaviour.
void Bindings::setOn(ComputeCommandEncoder &encoder) const {
  for (const auto &[index, buffer] : buffers)
    encoder.setBuffer(buffer, 0, index);
  for (const auto &[index, value] : bytes)
    encoder.setBytes(value.data(), value.size(), index);
  for (const auto &[index, table] : functionTables)
    encoder.setVisibleFunctionTable(table, index);
  for (const auto &[index, tensor] : tensors)
    encoder.setTensor(tensor, index);
  encoder.useResources(usedBuffers, ResourceUsage::ReadWrite);
  for (const Texture &texture : usedTextures)
    encoder.useResource(texture, ResourceUsage::ReadWrite);
  for (const Tensor &tensor : usedTensors)
    encoder.useResource(tensor, ResourceUsage::ReadWrite);
  for (const VisibleFunctionTable &table : usedTables)
    encoder.useResource(table, ResourceUsage::ReadWrite);
  for (const auto &[index, length] : threadgroupMemory)
    encoder.setThreadgroupMemoryLength(length, index);
  if (stageInRegion)
    encoder.setStageInRegion(*stageInRegion);
  for (const auto &[index, texture] : textures)
    encoder.setTexture(texture, index);
  for (const auto &[index, sampler] : samplers)
    encoder.setSamplerState(sampler, index);
}

ComputeCommandEncoder encoderFor(const Device &device, const ComputePipeline &pipeline,
                                 const Bindings &bindings, const DispatchOptions &options) {
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline);
  encoder.setOptions(options);
  bindings.setOn(encoder);
  return encoder;
}

Result<void> checkDeclared(const Device &device, const Function &kernel, const Bindings &bindings,
                           const DispatchSize &size) {
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  bindings.setOn(encoder);
  return encoder.checkDeclared(kernel, size);
}

Result<DispatchReport> dispatch(ComputeCommandEncoder &encoder, const DispatchSize &size) {
  return size.wholeThreadgroups ? encoder.dispatchThreadgroups(size.grid, size.threadgroup)
                                : encoder.dispatchThreads(size.grid, size.threadgroup);
}

Result<DispatchReport> launch(const Device &device, const ComputePipeline &pipeline, const Bindings &bindings,
                              const DispatchSize &size, const DispatchOptions &options) {
  ComputeCommandEncoder encoder = encoderFor(device, pipeline, bindings, options);
  return dispatch(encoder, size);
}

} // namespace assay
