#include "side.h"

#include "../run_tensors.h"

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
  for (size_t i = 0; i < side.call_.stepCount(); ++i) {
    const Step &step = side.call_.step(i);
    KernelRequest request;
    request.file = step.file;
    request.moreFiles = side.call_.linkedFiles;
    std::erase(request.moreFiles, step.file);
    request.kernel = step.kernel;
    request.compile = side.call_.compile;
    request.compile.kernels = {step.kernel};
    request.compile.mathMode = side.call_.numerics.mathMode;
    request.pipeline.numerics = side.call_.numerics.profile;
    request.pipeline.engine = side.call_.engine;
    const Result<Library> library = compileLibrary(device, request);
    if (!library)
      return library.error();
    Result<FunctionConstantValues> constants =
        parseConstants(step.constants, library->reflection(), step.kernel);
    if (!constants)
      return constants.error();
    request.constants = std::move(*constants);
    Result<BuiltKernel> kernel = buildKernel(device, *library, request);
    if (!kernel)
      return kernel.error();
    side.requests_.push_back(std::move(request));
    side.kernels_.push_back(std::move(*kernel));
  }
  return side;
}

namespace {

// Whether a whole element has the bytes that it had.
bool hasUnchanged(const SparseCopy &before, const char *after, uint64_t bytes) {
  std::string piece;
  for (uint64_t at = 0; at + bytes <= before.size(); at += piece.size()) {
    piece.resize(std::min(before.size() - at, uint64_t(1) << 16) / bytes * bytes);
    before.read(at, piece.data(), piece.size());
    for (uint64_t i = 0; i < piece.size(); i += bytes)
      if (std::memcmp(&piece[i], after + at + i, bytes) == 0)
        return true;
  }
  return false;
}

} // namespace

std::vector<Diagnostic> Side::warnings() const {
  std::vector<Diagnostic> all;
  for (const BuiltKernel &kernel : kernels_) {
    const std::vector<Diagnostic> &some = kernel.library.warnings();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

namespace {

// What a step gives itself. Its structs are those of the kernel's declarations.
Result<RunBuffers> allocated(const Step &step, const ComputePipeline &pipeline, const Device &device) {
  Result<RunBuffers> buffers = readBuffers(step.buffers, step.structs, device);
  if (!buffers)
    return buffers;
  if (Result<void> ok = completeBuffers(*buffers, pipeline, device); !ok)
    return ok.error();
  for (const auto &[index, image] : step.images) {
    Buffer buffer = device.newBuffer(image.bytes.size());
    image.bytes.copyInto(buffer.contents());
    buffers->bound.insert_or_assign(index, Binding{{{}, std::nullopt, {image.bytes.size()}}, buffer});
  }
  return buffers;
}

} // namespace

Result<Side::Memory> Side::allocate() const {
  Memory memory;
  Result<RunBuffers> shared = allocated(call_, pipeline(), device_);
  if (!shared)
    return shared.error();
  memory.shared = std::move(*shared);
  for (size_t i = 0; i < call_.steps.size(); ++i) {
    Result<RunBuffers> own = allocated(call_.steps[i], pipeline(i), device_);
    if (!own)
      return own.error();
    memory.own.push_back(std::move(*own));
  }
  Result<TexturePlan> textures = planTextures({call_.textures, call_.samplers, {}}, device_);
  if (!textures)
    return textures.error();
  memory.textures = std::move(*textures);
  return memory;
}

// Of several steps each takes what it has arguments for.
Result<Bindings> Side::bindings(size_t step, const ComputePipeline &pipeline, Memory &memory) const {
  Bindings bindings = bindingsOf(memory.shared);
  std::map<uint32_t, const Binding *> bound;
  for (const auto &[index, binding] : memory.shared.bound)
    bound[index] = &binding;
  if (!call_.steps.empty()) {
    const Step &one = call_.steps[step];
    const RunBuffers &own = memory.own[step];
    bindings.buffers.clear();
    bound.clear();
    for (const ArgumentInfo &argument : pipeline.activeArguments()) {
      if (argument.kind != ArgumentKind::Buffer && argument.kind != ArgumentKind::Tensor)
        continue;
      const auto to = one.bind.find(argument.index);
      const uint32_t index = to == one.bind.end() ? argument.index : to->second;
      const auto mine = own.bound.find(argument.index);
      if (mine != own.bound.end() && to == one.bind.end())
        bound[argument.index] = &mine->second;
      else if (const auto found = memory.shared.bound.find(index); found != memory.shared.bound.end())
        bound[argument.index] = &found->second;
    }
    for (const auto &[index, binding] : bound)
      bindings.buffers[index] = binding->buffer;
    for (const auto &[name, binding] : own.named)
      bindings.usedBuffers.push_back(binding.buffer);
  }
  if (Result<void> ok = bindTensors(bound, pipeline, bindings); !ok)
    return ok.error();
  bindings.threadgroupMemory = call_.step(step).threadgroupMemory;
  if (Result<void> ok = bindTextures(memory.textures, device_, pipeline, memory.shared, bindings); !ok)
    return ok.error();
  return bindings;
}

Result<void> Side::dispatch(const std::vector<ComputePipeline> &pipelines, Memory &memory,
                            Observer *observer) const {
  for (size_t i = 0; i < pipelines.size(); ++i) {
    const Result<Bindings> bound = bindings(i, pipelines[i], memory);
    if (!bound)
      return bound.error();
    DispatchOptions options = dispatch_;
    options.observer = observer;
    const Result<DispatchReport> done = launch(device_, pipelines[i], *bound, call_.step(i).size, options);
    if (!done)
      return done.error();
  }
  return {};
}

Result<std::vector<ComputePipeline>> Side::watchedPipelines() const {
  std::vector<ComputePipeline> pipelines;
  for (size_t i = 0; i < requests_.size(); ++i) {
    KernelRequest request = requests_[i];
    request.pipeline.observeMemory = true;
    request.pipeline.engine = Engine::Fiber;
    Result<BuiltKernel> kernel = buildKernel(device_, kernels_[i].library, request);
    if (!kernel)
      return kernel.error();
    pipelines.push_back(std::move(kernel->pipeline));
  }
  return pipelines;
}

Result<std::vector<ComputePipeline>> Side::probedPipelines(const std::vector<SourceProbe> &probes) const {
  std::vector<ComputePipeline> pipelines;
  for (size_t i = 0; i < requests_.size(); ++i) {
    KernelRequest request = requests_[i];
    for (SourceProbe probe : probes) {
      if (probe.file == request.file)
        probe.file.clear(); // the file that is compiled
      request.compile.probes.push_back(std::move(probe));
    }
    request.pipeline.engine = Engine::Fiber;
    Result<BuiltKernel> kernel = buildKernel(device_, request);
    if (!kernel)
      return kernel.error();
    pipelines.push_back(std::move(kernel->pipeline));
  }
  return pipelines;
}

Result<bool> Side::runAgain(const std::vector<ComputePipeline> &pipelines, Observer &observer) const {
  Result<Memory> memory = allocate();
  if (!memory)
    return memory.error();
  if (Result<void> ok = dispatch(pipelines, *memory, &observer); !ok)
    return ok.error();
  const auto copyOf = [](const Buffer &buffer) { return SparseCopy(buffer.contents(), buffer.length()); };
  for (const auto &[index, binding] : memory->shared.bound) {
    const Binding &first = memory_.shared.bound.at(index);
    if (!first.null && !first.holdsAddresses && copyOf(first.buffer).firstDifference(copyOf(binding.buffer)))
      return false;
  }
  for (const auto &[key, planned] : memory->textures.textures)
    for (uint64_t level = 0; planned.texture && level < planned.texture.mipmapLevelCount(); ++level)
      if (textureArray(planned.texture, level).bytes !=
          textureArray(memory_.textures.textures.at(key).texture, level).bytes)
        return false;
  return true;
}

Result<void> Side::run(const std::map<uint32_t, uint64_t> &granules) {
  Result<Memory> memory = allocate();
  if (!memory)
    return memory.error();
  std::map<uint32_t, SparseCopy> before;
  for (const auto &[index, granule] : granules)
    if (const auto binding = memory->shared.bound.find(index); binding != memory->shared.bound.end())
      before[index] = SparseCopy(binding->second.buffer.contents(), binding->second.buffer.length());
  std::vector<ComputePipeline> pipelines;
  for (const BuiltKernel &kernel : kernels_)
    pipelines.push_back(kernel.pipeline);
  if (Result<void> ok = dispatch(pipelines, *memory, nullptr); !ok)
    return ok;
  memory_ = std::move(*memory);
  for (const auto &[key, planned] : memory_.textures.textures)
    if (!key.isMember() && planned.texture)
      texels_[key.slot] = textureArray(planned.texture);

  bool unchanged = false;
  for (const auto &[index, copy] : before) {
    const auto *after = static_cast<const char *>(memory_.shared.bound.at(index).buffer.contents());
    unchanged = unchanged || hasUnchanged(copy, after, granules.at(index));
  }
  if (!unchanged)
    return {};
  const Result<std::vector<ComputePipeline>> watched = watchedPipelines();
  if (!watched)
    return watched.error();
  Result<Memory> again = allocate();
  if (!again)
    return again.error();
  StoreObserver observer;
  for (const auto &[index, copy] : before)
    observer.watch(index, again->shared.bound.at(index).buffer.contents(), copy.size());
  if (Result<void> ok = dispatch(*watched, *again, &observer); !ok)
    return ok;
  for (const auto &[index, copy] : before)
    if (PagedBytes untouched = observer.untouched(index); untouched.size())
      stale_[index] = std::move(untouched);
  return {};
}

std::optional<ScalarType> Side::texelType(const Placement &place) const {
  const auto texels = texels_.find(place.buffer);
  return place.texture && texels != texels_.end() ? std::optional(texels->second.type) : std::nullopt;
}

std::optional<std::string_view> Side::contents(const Placement &place) const {
  if (place.texture) {
    const auto texels = texels_.find(place.buffer);
    return texels == texels_.end() ? std::nullopt : std::optional<std::string_view>(texels->second.bytes);
  }
  const auto found = memory_.shared.bound.find(place.buffer);
  if (found == memory_.shared.bound.end())
    return std::nullopt;
  const Buffer &memory = found->second.buffer;
  return std::string_view(static_cast<const char *>(memory.contents()), memory.length());
}

std::string_view Side::stale(uint32_t buffer) const {
  const auto found = stale_.find(buffer);
  return found == stale_.end() ? std::string_view() : found->second.text();
}

Result<std::vector<Writer>> Side::writersOf(const std::vector<Place> &places) {
  const Result<std::vector<ComputePipeline>> watched = watchedPipelines();
  if (!watched)
    return watched.error();
  Result<Memory> memory = allocate();
  if (!memory)
    return memory.error();
  WriterObserver observer;
  for (const Place &place : places)
    observer.watch(static_cast<const char *>(memory->shared.bound.at(place.buffer).buffer.contents()) +
                       place.byte,
                   place.bytes);
  if (Result<void> ok = dispatch(*watched, *memory, &observer); !ok)
    return ok.error();
  std::vector<Writer> writers;
  for (size_t i = 0; i < places.size(); ++i)
    writers.push_back(observer.writer(i));
  return writers;
}

} // namespace assay::cli::diff
