#include "side.h"

#include "../../support/process/sparse_pages.h"

#include <cstring>
#include <fmt/format.h>

namespace assay::cli::diff {
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
  Result<RunBuffers> buffers = allocate();
  if (!buffers)
    return buffers.error();
  std::map<uint32_t, SparseCopy> before;
  for (const auto &[index, granule] : granules)
    if (const auto binding = buffers->bound.find(index); binding != buffers->bound.end())
      before[index] = SparseCopy(binding->second.buffer.contents(), binding->second.buffer.length());
  if (Result<void> ok = dispatch(pipeline(), *buffers, nullptr); !ok)
    return ok;
  buffers_ = std::move(*buffers);

  bool unchanged = false;
  for (const auto &[index, copy] : before) {
    const auto *after = static_cast<const char *>(buffers_.bound.at(index).buffer.contents());
    std::string element(granules.at(index), '\0');
    for (uint64_t at = 0; at + element.size() <= copy.size() && !unchanged; at += element.size()) {
      copy.read(at, element.data(), element.size());
      unchanged = std::memcmp(element.data(), after + at, element.size()) == 0;
    }
  }
  if (!unchanged)
    return {};
  const Result<ComputePipeline> watched = watchedPipeline();
  if (!watched)
    return watched.error();
  const Result<RunBuffers> again = allocate();
  if (!again)
    return again.error();
  StoreObserver observer;
  for (const auto &[index, copy] : before)
    observer.watch(index, again->bound.at(index).buffer.contents(), copy.size());
  if (Result<void> ok = dispatch(*watched, *again, &observer); !ok)
    return ok;
  for (const auto &[index, copy] : before)
    if (StoreObserver::Untouched untouched = observer.untouched(index); untouched.any())
      stale_[index] = std::move(untouched);
  return {};
}

std::optional<std::string_view> Side::contents(uint32_t buffer) const {
  const auto found = buffers_.bound.find(buffer);
  if (found == buffers_.bound.end())
    return std::nullopt;
  const Buffer &memory = found->second.buffer;
  return std::string_view(static_cast<const char *>(memory.contents()), memory.length());
}

std::string_view Side::stale(uint32_t buffer) const {
  const auto found = stale_.find(buffer);
  return found == stale_.end() ? std::string_view() : found->second.text();
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
