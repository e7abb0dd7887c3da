#include "command.h"
#include "command_sink.h"
#include "prepared_dispatch.h"
#include "state.h"
#include "tensor_state.h"
#include "validate.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace assay {
namespace {

// setBytes copies to memory that is aligned for any type a kernel can declare.
constexpr std::align_val_t kInlineAlignment{detail::kBufferAlignment};

std::shared_ptr<uint8_t> copyInline(const void *bytes, size_t length, size_t room) {
  const size_t all = length + 2 * room;
  auto *memory = static_cast<uint8_t *>(::operator new(all ? all : 1, kInlineAlignment));
  std::memset(memory, Buffer::kPoisonByte, room);
  if (length)
    std::memcpy(memory + room, bytes, length);
  std::memset(memory + room + length, Buffer::kPoisonByte, room);
  return {memory + room, [memory](uint8_t *) { ::operator delete(memory, kInlineAlignment); }};
}

} // namespace

struct ComputeCommandEncoder::State {
  std::shared_ptr<const detail::PipelineState> pipeline;
  BindingTable table;
  std::array<std::shared_ptr<void>, kBufferSlots> owners; // keep bound memory alive
  std::array<Texture, kTextureSlots> textures;            // likewise
  std::array<std::shared_ptr<detail::Unwritten>, kBufferSlots> unwritten;
  std::map<uint64_t, Buffer> used;                                      // by address
  std::map<uint64_t, Texture> usedTextures;                             // by gpuResourceID
  std::map<uint64_t, std::shared_ptr<detail::TensorState>> usedTensors; // likewise
  std::optional<StageInRegion> stageInRegion;
  std::optional<detail::PreparedDispatch::IndirectRegion> indirectRegion; // instead of it
  DispatchOptions options;
  std::optional<Error> mistake;              // of a setter; the next dispatch reports it
  std::shared_ptr<detail::CommandSink> sink; // null: a dispatch runs here and now

  void refuse(const Result<void> &result) {
    if (!result && !mistake)
      mistake = result.error();
  }

  // Present bindings count from now on as left over from an earlier dispatch.
  void forgetFresh() {
    for (auto &slot : table.buffers)
      slot.fresh = false;
    for (auto &slot : table.threadgroup)
      slot.fresh = false;
    for (auto &slot : table.textures)
      slot.fresh = false;
    for (auto &slot : table.samplers)
      slot.fresh = false;
  }

  Result<DispatchReport> dispatch(const DispatchSize &size, const Buffer *indirect = nullptr,
                                  size_t indirectOffset = 0);
  Result<detail::PreparedDispatch> prepare(const DispatchSize &size);
  void bindTensor(const ArgumentInfo &argument, detail::PreparedDispatch &prepared) const;
  void bindStageInput(detail::PreparedDispatch &prepared) const;
};

void ComputeCommandEncoder::State::bindStageInput(detail::PreparedDispatch &prepared) const {
  if (!pipeline->options.stageInput || !pipeline->kernel->takesStageInput())
    return;
  detail::FetchedBuffers &buffers = prepared.stageBuffers.emplace();
  for (const StageBuffer &stage : pipeline->stageBuffers) {
    const BufferBinding &binding = *table.buffers[stage.index].binding;
    buffers[stage.index] = {binding.base + binding.offset, binding.length - binding.offset};
    prepared.owners.push_back(owners[stage.index]);
  }
}

// The kernel reaches scales by an address in the tensor's record.
static void useScales(const detail::TensorState &tensor, runtime::DispatchRequest &request) {
  if (tensor.scalesLength != 0)
    request.resources.push_back({tensor.record.scales, tensor.scalesLength});
}

// For the kernel, the buffer is the tensor's elements. Where a dispatch works on a copy, it is the whole
// buffer: another slot may have another part of it, and both have to be in one copy.
void ComputeCommandEncoder::State::bindTensor(const ArgumentInfo &argument,
                                              detail::PreparedDispatch &prepared) const {
  const uint32_t slot = argument.index;
  const BufferBinding &binding = *table.buffers[slot].binding;
  const auto &tensor = *static_cast<const detail::TensorState *>(owners[slot].get());
  runtime::DispatchRequest &request = prepared.request;
  if (reinterpret_cast<uintptr_t>(binding.base) % detail::kBufferAlignment) {
    request.buffers[slot] = {binding.base + binding.offset, tensor.memory.length() - binding.offset,
                             binding.offset};
    prepared.unaligned.push_back({slot, argument.access != Access::Read});
  } else {
    request.buffers[slot] = {binding.base + binding.offset, tensor.length};
  }
  request.tensors.push_back({slot, tensor.record});
  useScales(tensor, request);
  prepared.owners.push_back(owners[slot]);
  if (const auto &bytes = unwritten[slot])
    prepared.unwritten.push_back({slot, binding.offset, tensor.memory.length(), bytes});
}

Result<DispatchReport> ComputeCommandEncoder::State::dispatch(const DispatchSize &size,
                                                              const Buffer *indirect, size_t indirectOffset) {
  Result<detail::PreparedDispatch> prepared = prepare(size);
  if (prepared && indirect) {
    if (indirectOffset > indirect->length() || indirect->length() - indirectOffset < 12 || indirectOffset % 4)
      prepared = Error::usage(
          "indirect-range",
          fmt::format("an indirect dispatch reads 12 bytes at byte {} of a buffer that has {} bytes{}",
                      indirectOffset, indirect->length(),
                      indirectOffset % 4 ? ", at an offset that is not a multiple of 4" : ""));
    else
      prepared->indirect = {indirect->data_, indirectOffset, size.threadgroup};
  }
  if (!prepared) {
    if (sink)
      sink->refuse(prepared.error());
    return prepared.error();
  }
  if (!sink)
    return prepared->run();
  DispatchReport report;
  report.threads = prepared->request.gridThreads.count();
  report.workers = 0;
  std::function<void()> before = prepared->prepareCode();
  const Result<void> recorded = sink->record(
      [dispatch = *std::move(prepared)]() mutable -> Result<void> {
        const Result<DispatchReport> done = dispatch.run();
        return done ? Result<void>() : done.error();
      },
      std::move(before));
  if (!recorded)
    return recorded.error();
  return report;
}

Result<detail::PreparedDispatch> ComputeCommandEncoder::State::prepare(const DispatchSize &size) {
  if (mistake)
    return *std::exchange(mistake, std::nullopt);
  if (!pipeline)
    return Error::usage("no-pipeline", "a dispatch needs a compute pipeline, none is set",
                        "call setComputePipelineState first");
  const PipelineFacts facts{pipeline->kernel,
                            pipeline->activeArguments,
                            pipeline->maxThreads(),
                            pipeline->codes->facts().staticThreadgroupBytes,
                            pipeline->codes->facts().usedBuffers,
                            pipeline->codes->facts().usedThreadgroup,
                            pipeline.get(),
                            pipeline->options.requiredThreadsPerThreadgroup,
                            pipeline->stageBuffers};
  if (options.surplusBindings)
    forgetFresh();
  if (Result<void> ok = validateBindings(facts, table); !ok)
    return ok.error();
  const Result<Size> threads = validateSize(facts, size);
  if (!threads)
    return threads.error();

  const auto size3 = [](const Size &s) {
    return runtime::Size3{static_cast<uint32_t>(s.width), static_cast<uint32_t>(s.height),
                          static_cast<uint32_t>(s.depth)};
  };
  detail::PreparedDispatch prepared;
  runtime::DispatchRequest &request = prepared.request;
  request.numerics = pipeline->options.numerics;
  request.gridThreads = size3(*threads);
  request.threadsPerThreadgroup = size3(size.threadgroup);
  request.schedule = options.schedule;
  request.workers = options.workers;
  request.groupTimeout = options.groupTimeout;
  request.observer = options.observer;
  request.countWork = options.countWork;
  request.logLevel = options.logState.level();
  if (!options.logState.handlers_->empty())
    request.logHandler = [handlers = options.logState.handlers_](const LogMessage &message) {
      for (const LogHandler &handler : *handlers)
        handler(message);
    };
  // Only bindings that the kernel has an argument for: it must not touch one that was left over.
  for (const ArgumentInfo &argument : facts.activeArguments) {
    if (argument.kind == ArgumentKind::Buffer || argument.kind == ArgumentKind::FunctionTable) {
      if (const std::optional<BufferBinding> &binding = table.buffers[argument.index].binding) {
        // Checkers judge by the buffer that the host asked for.
        const uint64_t room = options.checks.any() ? 0 : binding->room;
        request.buffers[argument.index] = {binding->base + binding->offset,
                                           binding->length - binding->offset + room, binding->offset + room};
        prepared.owners.push_back(owners[argument.index]);
        if (const auto &bytes = unwritten[argument.index])
          prepared.unwritten.push_back({argument.index, binding->offset, binding->length, bytes});
        if (reinterpret_cast<uintptr_t>(binding->base) % detail::kBufferAlignment)
          prepared.unaligned.push_back({argument.index, argument.access != Access::Read});
      }
    } else if (argument.kind == ArgumentKind::Tensor) {
      if (table.buffers[argument.index].binding)
        bindTensor(argument, prepared);
    } else if (argument.kind == ArgumentKind::ThreadgroupMemory) {
      request.threadgroupBytes[argument.index] =
          static_cast<uint32_t>(table.threadgroup[argument.index].length);
    } else if (argument.kind == ArgumentKind::Texture) {
      request.textures.resize(std::max<size_t>(request.textures.size(), argument.index + argument.count));
      for (uint32_t i = argument.index; i < argument.index + argument.count; ++i) {
        request.textures[i] = table.textures[i].binding.value_or(TextureView());
        prepared.textures.push_back(textures[i]);
      }
    } else if (argument.kind == ArgumentKind::Sampler) {
      request.samplers.resize(std::max<size_t>(request.samplers.size(), argument.index + argument.count));
      for (uint32_t i = argument.index; i < argument.index + argument.count; ++i)
        request.samplers[i] = *table.samplers[i].binding;
    }
  }
  prepared.stageInRegion = stageInRegion;
  prepared.indirectRegion = indirectRegion;
  bindStageInput(prepared);
  for (auto &[address, buffer] : used) {
    const uint64_t room = options.checks.any() ? 0 : buffer.room_;
    request.resources.push_back(
        {static_cast<uint8_t *>(buffer.contents()) - room, buffer.length() + 2 * room});
    prepared.owners.push_back(buffer.data_);
  }
  for (const auto &[id, tensor] : usedTensors) {
    request.resources.push_back({tensor->record.first, tensor->length});
    request.resources.push_back({reinterpret_cast<uint8_t *>(&tensor->record), sizeof tensor->record});
    useScales(*tensor, request);
    prepared.owners.push_back(tensor);
  }
  for (const auto &[id, texture] : usedTextures) { // in the order of the numbers
    request.residentTextures.push_back({id, texture.view()});
    prepared.textures.push_back(texture);
  }
  prepared.pipeline = pipeline;
  prepared.judge = options.judge;
  prepared.finished = options.finished;
  prepared.checks = options.checks;
  forgetFresh();
  return prepared;
}

ComputeCommandEncoder::ComputeCommandEncoder(std::shared_ptr<detail::CommandSink> sink)
    : ComputeCommandEncoder() {
  state_->sink = std::move(sink);
}
void ComputeCommandEncoder::endEncoding() {
  if (!state_->sink)
    return;
  state_->sink->end();
  // The commands keep what they need; an encoder that lives on must not keep it longer.
  state_->owners = {};
  state_->unwritten = {};
  state_->textures = {};
  state_->used.clear();
  state_->usedTextures.clear();
  state_->usedTensors.clear();
  state_->indirectRegion.reset();
  state_->table = {};
}

ComputeCommandEncoder::ComputeCommandEncoder() : state_(std::make_unique<State>()) {}
ComputeCommandEncoder::ComputeCommandEncoder(ComputeCommandEncoder &&) noexcept = default;
ComputeCommandEncoder &ComputeCommandEncoder::operator=(ComputeCommandEncoder &&) noexcept = default;
ComputeCommandEncoder::~ComputeCommandEncoder() = default;

void ComputeCommandEncoder::setComputePipelineState(const ComputePipeline &pipeline) {
  state_->pipeline = pipeline.state_;
}

void ComputeCommandEncoder::setBuffer(const Buffer &buffer, size_t offset, uint32_t index) {
  if (Result<void> ok = validateIndex(index, SlotKind::Buffer); !ok)
    return state_->refuse(ok);
  if (!buffer.data_)
    return setBuffer(nullptr, offset, index);
  state_->owners[index] = buffer.data_;
  state_->unwritten[index] = buffer.unwritten_;
  state_->table.buffers[index] = {
      BufferBinding{reinterpret_cast<uint8_t *>(buffer.data_.get()), buffer.length(), offset, buffer.room_},
      true};
}

void ComputeCommandEncoder::setBuffer(std::nullptr_t, size_t, uint32_t index) {
  if (Result<void> ok = validateIndex(index, SlotKind::Buffer); !ok)
    return state_->refuse(ok);
  state_->owners[index].reset();
  state_->unwritten[index].reset();
  state_->table.buffers[index] = {.binding = {}, .null = true};
}

void ComputeCommandEncoder::setBytes(const void *bytes, size_t length, uint32_t index) {
  if (Result<void> ok = validateIndex(index, SlotKind::Buffer); !ok)
    return state_->refuse(ok);
  if (Result<void> ok = validateInlineBytes(length, index); !ok)
    return state_->refuse(ok);
  const size_t room = state_->options.inlineRoom;
  std::shared_ptr<uint8_t> copy = copyInline(bytes, length, room);
  state_->table.buffers[index] = {BufferBinding{copy.get(), length, 0, room}, true};
  state_->owners[index] = std::move(copy);
  state_->unwritten[index].reset();
}

void ComputeCommandEncoder::setVisibleFunctionTable(const VisibleFunctionTable &table, uint32_t index) {
  setBuffer(table.memory_, 0, index);
  if (index < kBufferSlots && table)
    state_->table.buffers[index].binding->tableOf = table.pipeline_.get();
}

void ComputeCommandEncoder::setTensor(const Tensor &tensor, uint32_t index) {
  if (!tensor)
    return setBuffer(nullptr, 0, index);
  const detail::TensorState &state = *tensor.state_;
  setBuffer(state.memory, state.offset, index);
  if (index >= kBufferSlots)
    return;
  state_->owners[index] = tensor.state_;
  state_->table.buffers[index].binding->length = state.offset + state.length;
  state_->table.buffers[index].binding->tensor = &state.descriptor;
}

void ComputeCommandEncoder::setTexture(const Texture &texture, uint32_t index) {
  if (Result<void> ok = validateIndex(index, SlotKind::Texture); !ok)
    return state_->refuse(ok);
  if (!texture)
    return setTexture(nullptr, index);
  state_->textures[index] = texture;
  state_->table.textures[index] = {texture.view(), true};
}

void ComputeCommandEncoder::setTexture(std::nullptr_t, uint32_t index) {
  if (Result<void> ok = validateIndex(index, SlotKind::Texture); !ok)
    return state_->refuse(ok);
  state_->textures[index] = {};
  state_->table.textures[index] = {.binding = {}, .null = true};
}

void ComputeCommandEncoder::setSamplerState(const SamplerState &sampler, uint32_t index) {
  if (Result<void> ok = validateIndex(index, SlotKind::Sampler); !ok)
    return state_->refuse(ok);
  state_->table.samplers[index] = {};
  if (sampler)
    state_->table.samplers[index] = {sampler.view(), true};
}

void ComputeCommandEncoder::useResource(const Buffer &buffer, ResourceUsage) {
  if (buffer.data_)
    state_->used.insert_or_assign(buffer.gpuAddress(), buffer);
}

void ComputeCommandEncoder::useResource(const Texture &texture, ResourceUsage) {
  if (texture)
    state_->usedTextures.insert_or_assign(texture.gpuResourceID(), texture);
}

void ComputeCommandEncoder::useResource(const VisibleFunctionTable &table, ResourceUsage usage) {
  useResource(table.memory_, usage);
}

void ComputeCommandEncoder::useResource(const Tensor &tensor, ResourceUsage) {
  if (tensor)
    state_->usedTensors.insert_or_assign(tensor.gpuResourceID(), tensor.state_);
}

void ComputeCommandEncoder::useResources(std::span<const Buffer> buffers, ResourceUsage usage) {
  for (const Buffer &buffer : buffers)
    useResource(buffer, usage);
}

void ComputeCommandEncoder::setThreadgroupMemoryLength(size_t length, uint32_t index) {
  if (Result<void> ok = validateIndex(index, SlotKind::Threadgroup); !ok)
    return state_->refuse(ok);
  state_->table.threadgroup[index] = {length, true};
}

void ComputeCommandEncoder::setStageInRegion(const StageInRegion &region) {
  state_->stageInRegion = region;
  state_->indirectRegion.reset();
}

void ComputeCommandEncoder::setStageInRegion(const Buffer &buffer, size_t offset) {
  if (offset > buffer.length() || buffer.length() - offset < sizeof(StageInRegion) || offset % 4)
    return state_->refuse(Error::usage(
        "indirect-range",
        fmt::format("a region of [[stage_in]] is {} bytes at byte {} of a buffer that has {} bytes{}",
                    sizeof(StageInRegion), offset, buffer.length(),
                    offset % 4 ? ", at an offset that is not a multiple of 4" : "")));
  state_->stageInRegion.reset();
  state_->indirectRegion = {buffer.data_, offset};
}

void ComputeCommandEncoder::setOptions(const DispatchOptions &options) {
  state_->options = options;
}

Result<void> ComputeCommandEncoder::checkDeclared(const Function &kernel, const DispatchSize &size) const {
  if (state_->mistake)
    return *state_->mistake;
  return validateDeclared(kernel.info(), state_->table, size);
}

Result<DispatchReport> ComputeCommandEncoder::dispatchThreadgroups(Size threadgroupsPerGrid,
                                                                   Size threadsPerThreadgroup) {
  return state_->dispatch({threadgroupsPerGrid, threadsPerThreadgroup, true});
}

Result<DispatchReport> ComputeCommandEncoder::dispatchThreads(Size threadsPerGrid,
                                                              Size threadsPerThreadgroup) {
  return state_->dispatch({threadsPerGrid, threadsPerThreadgroup, false});
}

Result<DispatchReport> ComputeCommandEncoder::dispatchThreadgroups(const Buffer &indirectBuffer,
                                                                   size_t indirectBufferOffset,
                                                                   Size threadsPerThreadgroup) {
  return state_->dispatch({{1, 1, 1}, threadsPerThreadgroup, true}, &indirectBuffer, indirectBufferOffset);
}

} // namespace assay
