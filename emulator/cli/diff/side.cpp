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
  KernelRequest &request = side.request_;
  request.file = side.call_.file;
  request.kernel = side.call_.kernel;
  request.compile = side.call_.compile;
  request.compile.kernels = {side.call_.kernel};
  request.compile.mathMode = side.call_.numerics.mathMode;
  request.pipeline.numerics = side.call_.numerics.profile;
  request.pipeline.engine = side.call_.engine;
  const Result<Library> library = compileLibrary(device, request);
  if (!library)
    return library.error();
  Result<FunctionConstantValues> constants = parseConstants(side.call_.constants, library->reflection());
  if (!constants)
    return constants.error();
  request.constants = std::move(*constants);
  Result<BuiltKernel> kernel = buildKernel(device, *library, request);
  if (!kernel)
    return kernel.error();
  side.kernel_ = std::move(*kernel);
  return side;
}

Result<RunBuffers> Side::allocate() const {
  Result<RunBuffers> buffers = readBuffers(call_.buffers, call_.structs, device_);
  if (!buffers)
    return buffers;
  if (Result<void> ok = fillStructs(*buffers, pipeline(), device_); !ok)
    return ok.error();
  for (const auto &[index, image] : call_.images)
    buffers->bound.insert_or_assign(index,
                                    Binding{{{}, std::nullopt, {image.bytes.size()}},
                                            device_.newBuffer(image.bytes.data(), image.bytes.size())});
  return buffers;
}

Result<void> Side::dispatch(const ComputePipeline &pipeline, const RunBuffers &buffers,
                            Observer *observer) const {
  Bindings bindings = bindingsOf(buffers);
  bindings.threadgroupMemory = call_.threadgroupMemory;
  DispatchOptions options = dispatch_;
  options.observer = observer;
  const Result<DispatchReport> done = launch(device_, pipeline, bindings, call_.size, options);
  if (!done)
    return done.error();
  return {};
}

Result<ComputePipeline> Side::watchedPipeline() const {
  KernelRequest request = request_;
  request.pipeline.observeMemory = true;
  request.pipeline.engine = Engine::Fiber;
  Result<BuiltKernel> kernel = buildKernel(device_, kernel_->library, request);
  if (!kernel)
    return kernel.error();
  return std::move(kernel->pipeline);
}

Result<void> Side::run(const std::map<uint32_t, uint64_t> &granules) {
  const Result<RunBuffers> buffers = allocate();
  if (!buffers)
    return buffers.error();
  Contents before;
  for (const auto &[index, granule] : granules)
    if (const auto binding = buffers->bound.find(index); binding != buffers->bound.end())
      before[index] = contentsOf(binding->second.buffer);
  if (Result<void> ok = dispatch(pipeline(), *buffers, nullptr); !ok)
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
  const Size &group = call_.size.threadgroup;
  const uint32_t threads[3] = {uint32_t(group.width), uint32_t(group.height), uint32_t(group.depth)};
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
