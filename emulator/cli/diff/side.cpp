#include "side.h"

#include <cstring>
#include <fmt/format.h>

namespace assay::cli::diff {
namespace {

std::string contentsOf(const Buffer &buffer) {
  return {static_cast<const char *>(buffer.contents()), buffer.length()};
}

} // namespace

Result<Side> Side::compile(std::string name, Call call, const Device &device,
                           const DispatchOptions &dispatch) {
  Side side;
  side.name_ = std::move(name);
  side.call_ = std::move(call);
  side.device_ = device;
  side.dispatch_ = dispatch;
  PipelineOptions pipelineOptions;
  pipelineOptions.numerics = side.call_.numerics.profile;
  CompileOptions options = side.call_.compile;
  options.forPipelines(pipelineOptions);
  options.kernels = {side.call_.kernel};
  options.mathMode = side.call_.numerics.mathMode;
  Result<Library> library = device.newLibraryWithFile(side.call_.file, options);
  if (!library)
    return library.error();
  Result<FunctionConstantValues> constants = parseConstants(side.call_.constants, library->reflection());
  if (!constants)
    return constants.error();
  Result<Function> function = library->newFunction(side.call_.kernel, *constants);
  if (!function)
    return function.error();
  Result<ComputePipeline> pipeline = device.newComputePipelineState(*function, pipelineOptions);
  if (!pipeline)
    return pipeline.error();
  side.library_ = std::move(*library);
  side.function_ = std::move(*function);
  side.pipeline_ = std::move(*pipeline);
  return side;
}

Result<RunBuffers> Side::allocate() const {
  Result<RunBuffers> buffers = readBuffers(call_.buffers, device_);
  if (!buffers)
    return buffers;
  for (const auto &[index, image] : call_.images)
    buffers->bound.insert_or_assign(index,
                                    Binding{{{}, std::nullopt, {image.bytes.size()}},
                                            device_.newBuffer(image.bytes.data(), image.bytes.size())});
  return buffers;
}

Result<void> Side::dispatch(const ComputePipeline &pipeline, const RunBuffers &buffers,
                            runtime::Observer *observer) const {
  ComputeCommandEncoder encoder = device_.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline);
  for (const auto &[index, binding] : buffers.bound)
    encoder.setBuffer(binding.buffer, 0, index);
  for (const auto &[key, binding] : buffers.named)
    encoder.useResource(binding.buffer, ResourceUsage::ReadWrite);
  for (const auto &[index, bytes] : call_.threadgroupMemory)
    encoder.setThreadgroupMemoryLength(bytes, index);
  DispatchOptions options = dispatch_;
  options.observer = observer;
  encoder.setOptions(options);
  const Result<DispatchReport> done = call_.wholeThreadgroups
                                          ? encoder.dispatchThreadgroups(call_.grid, call_.threads)
                                          : encoder.dispatchThreads(call_.grid, call_.threads);
  if (!done)
    return done.error();
  return {};
}

Result<ComputePipeline> Side::watchedPipeline() const {
  PipelineOptions options = pipeline_->options();
  options.observeMemory = true;
  return device_.newComputePipelineState(*function_, options);
}

Result<void> Side::run(const std::map<uint32_t, uint64_t> &granules) {
  const Result<RunBuffers> buffers = allocate();
  if (!buffers)
    return buffers.error();
  Contents before;
  for (const auto &[index, granule] : granules)
    if (const auto binding = buffers->bound.find(index); binding != buffers->bound.end())
      before[index] = contentsOf(binding->second.buffer);
  if (Result<void> ok = dispatch(*pipeline_, *buffers, nullptr); !ok)
    return ok;
  for (const auto &[index, binding] : buffers->bound)
    contents_[index] = contentsOf(binding.buffer);

  bool unchanged = false;
  for (const auto &[index, bytes] : before)
    for (uint64_t at = 0, size = granules.at(index); at + size <= bytes.size() && !unchanged; at += size)
      unchanged = std::memcmp(&bytes[at], &contents_[index][at], size) == 0;
  if (!unchanged)
    return {};
  const Result<ComputePipeline> watched = watchedPipeline();
  if (!watched)
    return watched.error();
  const Result<RunBuffers> again = allocate();
  if (!again)
    return again.error();
  StoreObserver observer;
  for (const auto &[index, bytes] : before)
    observer.watch(index, again->bound.at(index).buffer.contents(), bytes.size());
  if (Result<void> ok = dispatch(*watched, *again, &observer); !ok)
    return ok;
  for (const auto &[index, bytes] : before)
    if (std::string untouched = observer.untouched(index); untouched.find('\1') != std::string::npos)
      stale_[index] = std::move(untouched);
  return {};
}

const std::string &Side::stale(uint32_t buffer) const {
  static const std::string kNone;
  const auto found = stale_.find(buffer);
  return found == stale_.end() ? kNone : found->second;
}

Result<std::vector<Writer>> Side::writersOf(const std::vector<Place> &places) {
  const Result<ComputePipeline> watched = watchedPipeline();
  if (!watched)
    return watched.error();
  const Result<RunBuffers> buffers = allocate();
  if (!buffers)
    return buffers.error();
  const uint32_t threads[3] = {uint32_t(call_.threads.width), uint32_t(call_.threads.height),
                               uint32_t(call_.threads.depth)};
  WriterObserver observer(threads);
  for (const Place &place : places)
    observer.watch(static_cast<const char *>(buffers->bound.at(place.buffer).buffer.contents()) + place.byte,
                   place.bytes);
  if (Result<void> ok = dispatch(*watched, *buffers, &observer); !ok)
    return ok.error();
  std::vector<Writer> writers;
  for (size_t i = 0; i < places.size(); ++i)
    writers.push_back(observer.writer(i));
  return writers;
}

} // namespace assay::cli::diff
