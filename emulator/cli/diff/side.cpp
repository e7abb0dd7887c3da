#include "side.h"

#include <cstring>
#include <fmt/format.h>

namespace assay::cli::diff {
namespace {

constexpr uint8_t kPoison = Buffer::kPoisonByte, kOtherPoison = uint8_t(~kPoison);

std::string contentsOf(const Buffer &buffer) {
  return {static_cast<const char *>(buffer.contents()), buffer.length()};
}

} // namespace

Result<Side> Side::compile(std::string name, Call call, const Device &device, const DispatchOptions &dispatch) {
  Side side;
  side.name_ = std::move(name);
  side.call_ = std::move(call);
  side.device_ = device;
  side.dispatch_ = dispatch;
  CompileOptions options = side.call_.compile;
  options.kernels = {side.call_.kernel};
  options.mathMode = side.call_.numerics.mathMode;
  Result<Library> library = device.newLibraryWithFile(side.call_.file, options);
  if (!library)
    return library.error();
  Result<FunctionConstantValues> constants = parseConstants(side.call_.constants, *library);
  if (!constants)
    return constants.error();
  Result<Function> function = library->newFunction(side.call_.kernel, *constants);
  if (!function)
    return function.error();
  PipelineOptions pipelineOptions;
  pipelineOptions.numerics = side.call_.numerics.profile;
  Result<ComputePipeline> pipeline = device.newComputePipelineState(*function, pipelineOptions);
  if (!pipeline)
    return pipeline.error();
  side.library_ = std::move(*library);
  side.function_ = std::move(*function);
  side.pipeline_ = std::move(*pipeline);
  return side;
}

// The same bytes each time but for the poison.
Result<RunBuffers> Side::allocate(uint8_t poison) const {
  Result<RunBuffers> buffers = readBuffers(call_.buffers, device_);
  if (!buffers)
    return buffers;
  for (const std::string &text : call_.buffers) {
    const size_t equals = text.find('=');
    if (std::string_view(text).substr(equals + 1).starts_with("poison:"))
      if (const Binding *binding = buffers->find(text.substr(0, equals)))
        Buffer(binding->buffer).fill(poison);
  }
  for (const auto &[index, image] : call_.images) {
    std::string bytes = image.bytes;
    for (size_t i = 0; i < bytes.size(); ++i)
      if (!image.given[i])
        bytes[i] = static_cast<char>(poison);
    buffers->bound.insert_or_assign(
        index, Binding{{{}, std::nullopt, {bytes.size()}}, device_.newBuffer(bytes.data(), bytes.size())});
  }
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
  const Result<DispatchReport> done = call_.wholeThreadgroups ? encoder.dispatchThreadgroups(call_.grid, call_.threads)
                                                              : encoder.dispatchThreads(call_.grid, call_.threads);
  if (!done)
    return done.error();
  return {};
}

Result<void> Side::run() {
  const Result<RunBuffers> first = allocate(kPoison), second = allocate(kOtherPoison);
  if (!first || !second)
    return first ? second.error() : first.error();
  // What is poison: the bytes that follow it. (Addresses of other buffers differ between the two, as well.)
  std::map<uint32_t, std::string> poisoned;
  for (const auto &[index, binding] : first->bound) {
    const std::string one = contentsOf(binding.buffer), other = contentsOf(second->bound.at(index).buffer);
    std::string &mask = poisoned[index];
    mask.assign(one.size(), 0);
    for (size_t i = 0; i < one.size(); ++i)
      mask[i] = uint8_t(one[i]) == kPoison && uint8_t(other[i]) == kOtherPoison;
  }
  if (Result<void> ok = dispatch(*pipeline_, *first, nullptr); !ok)
    return ok;
  bool suspicious = false;
  for (const auto &[index, binding] : first->bound) {
    const std::string &bytes = contents_[index] = contentsOf(binding.buffer);
    for (size_t i = 0; i < bytes.size() && !suspicious; ++i)
      suspicious = poisoned[index][i] && uint8_t(bytes[i]) == kPoison;
  }
  if (!suspicious)
    return {};
  if (Result<void> ok = dispatch(*pipeline_, *second, nullptr); !ok)
    return ok;
  for (const auto &[index, bytes] : contents_) {
    const std::string other = contentsOf(second->bound.at(index).buffer);
    std::string &stale = poisoned[index];
    bool any = false;
    for (size_t i = 0; i < bytes.size(); ++i) {
      stale[i] = stale[i] && uint8_t(bytes[i]) == kPoison && uint8_t(other[i]) == kOtherPoison;
      any |= stale[i] != 0;
    }
    if (any)
      stale_[index] = std::move(stale);
  }
  return {};
}

const std::string &Side::stale(uint32_t buffer) const {
  static const std::string kNone;
  const auto found = stale_.find(buffer);
  return found == stale_.end() ? kNone : found->second;
}

Result<std::vector<Writer>> Side::writersOf(const std::vector<Place> &places) {
  PipelineOptions options = pipeline_->options();
  options.observeMemory = true;
  const Result<ComputePipeline> watched = device_.newComputePipelineState(*function_, options);
  if (!watched)
    return watched.error();
  const Result<RunBuffers> buffers = allocate(kPoison);
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
