#include "validate.h"

#include "../support/abi/texture_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay {
namespace {

std::string argumentText(const ArgumentInfo &argument) {
  const char last = argument.type.empty() ? ' ' : argument.type.back();
  return fmt::format("{}{}{}", argument.type, last == '*' || last == '&' || last == ' ' ? "" : " ",
                     argument.name);
}

const char *kindName(ArgumentKind kind) {
  switch (kind) {
  case ArgumentKind::Texture: return "texture";
  case ArgumentKind::Sampler: return "sampler";
  case ArgumentKind::ThreadgroupMemory: return "threadgroup";
  case ArgumentKind::FunctionTable: return "function table";
  case ArgumentKind::Tensor: return "tensor";
  case ArgumentKind::Attribute: return "attribute";
  default: return "buffer";
  }
}

std::string argumentList(const KernelInfo &kernel) {
  std::string list;
  for (const ArgumentInfo &argument : kernel.arguments)
    if (argument.kind != ArgumentKind::Builtin)
      list += fmt::format("{}{} {} ({})", list.empty() ? "" : ", ", kindName(argument.kind), argument.index,
                          argumentText(argument));
  return list.empty() ? fmt::format("kernel '{}' has no arguments that are bound", kernel.name)
                      : fmt::format("kernel '{}' has: {}", kernel.name, list);
}

bool hasArgument(const KernelInfo &kernel, ArgumentKind kind, uint32_t index) {
  for (const ArgumentInfo &argument : kernel.arguments)
    if (argument.kind == kind && index - argument.index < argument.count)
      return true;
  return false;
}

Result<void> checkSurplusTextures(const KernelInfo &kernel, const BindingTable &bindings) {
  const auto surplus = [&](const char *what, uint32_t index) {
    return Error::usage(
        "surplus-binding",
        fmt::format("a {} is bound at index {}, kernel '{}' has no argument there", what, index, kernel.name),
        argumentList(kernel));
  };
  for (uint32_t i = 0; i < kTextureSlots; ++i)
    if (bindings.textures[i].fresh && !hasArgument(kernel, ArgumentKind::Texture, i))
      return surplus("texture", i);
  for (uint32_t i = 0; i < kSamplerSlots; ++i)
    if (bindings.samplers[i].fresh && !hasArgument(kernel, ArgumentKind::Sampler, i))
      return surplus("sampler", i);
  return {};
}

bool hasBufferSlot(const KernelInfo &kernel, uint32_t index) {
  return hasArgument(kernel, ArgumentKind::Buffer, index) ||
         hasArgument(kernel, ArgumentKind::FunctionTable, index) ||
         hasArgument(kernel, ArgumentKind::Tensor, index);
}

const char *kindName(const BufferBinding &binding) {
  return binding.tableOf ? "function table" : binding.tensor ? "tensor" : "buffer";
}

bool isForStageInput(const PipelineFacts &pipeline, uint32_t index) {
  return std::ranges::find(pipeline.stageBuffers, index, &StageBuffer::index) != pipeline.stageBuffers.end();
}

Result<void> checkSurplus(const PipelineFacts &pipeline, const BindingTable &bindings) {
  const KernelInfo &kernel = *pipeline.kernel;
  for (uint32_t i = 0; i < kBufferSlots; ++i)
    if (bindings.buffers[i].fresh && bindings.buffers[i].binding && !hasBufferSlot(kernel, i) &&
        !isForStageInput(pipeline, i))
      return Error::usage("surplus-binding",
                          fmt::format("a {} is bound at index {}, kernel '{}' has no argument there",
                                      kindName(*bindings.buffers[i].binding), i, kernel.name),
                          argumentList(kernel));
  for (uint32_t i = 0; i < kThreadgroupSlots; ++i)
    if (bindings.threadgroup[i].fresh && bindings.threadgroup[i].length &&
        !hasArgument(kernel, ArgumentKind::ThreadgroupMemory, i))
      return Error::usage("surplus-binding",
                          fmt::format("a threadgroup memory length is set at index {}, kernel '{}' has no "
                                      "argument there",
                                      i, kernel.name),
                          argumentList(kernel));
  return checkSurplusTextures(kernel, bindings);
}

Result<void> checkBuffer(const KernelInfo &kernel, const ArgumentInfo &argument,
                         const BindingTable &bindings) {
  const std::optional<BufferBinding> &binding = bindings.buffers[argument.index].binding;
  const bool null = bindings.buffers[argument.index].null;
  if (!binding && null && !argument.isReference)
    return {};
  if (!binding)
    return Error::usage("missing-binding",
                        fmt::format("kernel '{}' needs a buffer at index {} ({}), {} is bound", kernel.name,
                                    argument.index, argumentText(argument), null ? "null" : "none"),
                        null ? "a pointer may be null, a reference may not" : argumentList(kernel));
  if (binding->tableOf)
    return Error::usage("function-table",
                        fmt::format("kernel '{}' needs a buffer at index {} ({}), a function table is bound",
                                    kernel.name, argument.index, argumentText(argument)),
                        argumentList(kernel));
  if (binding->tensor)
    return Error::usage("tensor",
                        fmt::format("kernel '{}' needs a buffer at index {} ({}), a tensor is bound",
                                    kernel.name, argument.index, argumentText(argument)),
                        argumentList(kernel));
  if (binding->offset > binding->length)
    return Error::usage(
        "buffer-offset",
        fmt::format("offset {} at buffer index {} is past the end of the buffer, which has {} bytes",
                    binding->offset, argument.index, binding->length));
  if (argument.pointeeAlign > 1 && binding->offset % argument.pointeeAlign)
    return Error::usage(
        "misaligned-offset",
        fmt::format("offset {} at buffer index {} is not a multiple of {}, the alignment of {}",
                    binding->offset, argument.index, argument.pointeeAlign, argumentText(argument)));
  const uint64_t rest = binding->length - binding->offset;
  if (argument.isReference && rest < argument.pointeeBytes)
    return Error::usage("buffer-too-small",
                        fmt::format("{} bytes are bound at buffer index {}, {} refers to {} bytes", rest,
                                    argument.index, argumentText(argument), argument.pointeeBytes));
  return {};
}

Result<void> checkStageBuffer(const KernelInfo &kernel, const StageBuffer &stage,
                              const std::optional<BufferBinding> &binding) {
  if (!binding || binding->tableOf || binding->tensor)
    return Error::usage("missing-binding",
                        fmt::format("kernel '{}' needs a buffer at index {} for {}, {} is bound", kernel.name,
                                    stage.index, stage.what,
                                    binding ? fmt::format("a {}", kindName(*binding)) : "none"),
                        "[[stage_in]] comes from the buffers that the stage input descriptor names");
  if (binding->offset > binding->length)
    return Error::usage(
        "buffer-offset",
        fmt::format("offset {} at buffer index {} is past the end of the buffer, which has {} bytes",
                    binding->offset, stage.index, binding->length));
  return {};
}

std::string text(const std::vector<int64_t> &dimensions) {
  return fmt::format("({})", fmt::join(dimensions, ", "));
}

std::string text(const std::vector<uint64_t> &extents) {
  std::string list;
  for (const uint64_t extent : extents)
    list += (list.empty() ? "" : ", ") +
            (extent == TensorUse::kAnyExtent ? std::string("any") : fmt::format("{}", extent));
  return "(" + list + ")";
}

// The greatest extent that the kernel's index type can express.
uint64_t mostOf(ScalarType index) {
  const ScalarTypeInfo &type = scalarTypeInfo(index);
  return ~uint64_t(0) >> (64 - type.bytes * 8 + (type.cls == ScalarClass::Signed));
}

Result<void> checkTensor(const KernelInfo &kernel, const ArgumentInfo &argument,
                         const BindingTable &bindings) {
  const std::optional<BufferBinding> &binding = bindings.buffers[argument.index].binding;
  if (!binding)
    return Error::usage("missing-binding",
                        fmt::format("kernel '{}' needs a tensor at buffer index {} ({}), none is bound",
                                    kernel.name, argument.index, argumentText(argument)),
                        argumentList(kernel));
  const auto refused = [&](std::string what, std::string hint) {
    return Error::usage("tensor",
                        fmt::format("kernel '{}' needs a tensor at buffer index {} ({}), {}", kernel.name,
                                    argument.index, argumentText(argument), what),
                        std::move(hint));
  };
  if (!binding->tensor)
    return refused(fmt::format("a {} is bound", kindName(*binding)), "make a tensor in it by newTensor");
  const TensorUse &use = *argument.tensor;
  const TensorDescriptor &tensor = *binding->tensor;
  if (tensor.dataType != use.element)
    return refused(fmt::format("one of {} is bound", tensor.dataType.metalName()),
                   fmt::format("its elements are {}", use.element.metalName()));
  if (use.scales && !tensor.scales)
    return refused("one without scales is bound", "make it with scales: TensorDescriptor::scales");
  if (tensor.dimensions.size() != use.rank())
    return refused(
        fmt::format("one of {} dimensions, {}, is bound", tensor.dimensions.size(), text(tensor.dimensions)),
        fmt::format("it has {}", use.rank()));
  for (size_t r = 0; r < use.rank(); ++r) {
    if (use.extents[r] != TensorUse::kAnyExtent && use.extents[r] != uint64_t(tensor.dimensions[r]))
      return refused(
          fmt::format("one with dimensions {} is bound", text(tensor.dimensions)),
          fmt::format("the kernel's type has {}; the innermost dimension is the first", text(use.extents)));
    if (const uint64_t most = mostOf(use.index);
        uint64_t(tensor.dimensions[r]) > most || uint64_t(tensor.strides[r]) > most)
      return refused(
          fmt::format("one with dimensions {} and strides {} is bound", text(tensor.dimensions),
                      text(tensor.strides)),
          fmt::format("its index type is {}, up to {}", scalarTypeInfo(use.index).metalName, most));
  }
  return {};
}

// Without a binding the table is null, for which a kernel can ask.
Result<void> checkFunctionTable(const PipelineFacts &pipeline, const ArgumentInfo &argument,
                                const BindingTable &bindings) {
  const std::optional<BufferBinding> &binding = bindings.buffers[argument.index].binding;
  if (!binding || binding->tableOf == pipeline.pipeline)
    return {};
  if (!binding->tableOf)
    return Error::usage(
        "function-table",
        fmt::format("kernel '{}' needs a function table at buffer index {} ({}), a {} is bound",
                    pipeline.kernel->name, argument.index, argumentText(argument), kindName(*binding)),
        "bind it by setVisibleFunctionTable");
  return Error::usage(
      "function-table",
      fmt::format("the function table at buffer index {} was made by another pipeline than the "
                  "one of kernel '{}' that runs",
                  argument.index, pipeline.kernel->name),
      "make it by newVisibleFunctionTable of the pipeline that is set");
}

Result<void> checkTexture(const KernelInfo &kernel, const ArgumentInfo &argument, uint32_t index,
                          const BindingTable &bindings) {
  const std::optional<TextureView> &texture = bindings.textures[index].binding;
  if (!texture && bindings.textures[index].null)
    return {};
  if (!texture)
    return Error::usage("missing-binding",
                        fmt::format("kernel '{}' needs a texture at index {} ({}), none is bound",
                                    kernel.name, index, argumentText(argument)),
                        argumentList(kernel));
  if (const auto misfit =
          textureMisfit(*texture, argument.textureUse(), fmt::format("the texture at index {}", index),
                        argumentText(argument)))
    return Error::usage(misfit->rule, misfit->message, misfit->hint);
  return {};
}

Result<void> checkSampler(const KernelInfo &kernel, const ArgumentInfo &argument, uint32_t index,
                          const BindingTable &bindings) {
  if (bindings.samplers[index].binding)
    return {};
  return Error::usage("missing-binding",
                      fmt::format("kernel '{}' needs a sampler at index {} ({}), none is bound", kernel.name,
                                  index, argumentText(argument)),
                      argumentList(kernel));
}

Result<void> checkThreadgroupLength(const KernelInfo &kernel, const ArgumentInfo &argument,
                                    const BindingTable &bindings) {
  const uint64_t length = bindings.threadgroup[argument.index].length;
  if (!length)
    return Error::usage(
        "missing-binding",
        fmt::format("kernel '{}' needs a threadgroup memory length at index {} ({}), none is set",
                    kernel.name, argument.index, argumentText(argument)),
        argumentList(kernel));
  if (length % kThreadgroupMemoryAlignment)
    return Error::usage("threadgroup-memory-length",
                        fmt::format("threadgroup memory length {} at index {} is not a multiple of {}",
                                    length, argument.index, kThreadgroupMemoryAlignment),
                        fmt::format("{} is the next that is", (length / kThreadgroupMemoryAlignment + 1) *
                                                                  kThreadgroupMemoryAlignment));
  return {};
}

Result<void> checkThreadgroupTotal(const PipelineFacts &pipeline, const BindingTable &bindings) {
  uint64_t dynamic = 0;
  bool counted[kThreadgroupSlots] = {}; // two arguments may share a slot
  for (const ArgumentInfo &argument : pipeline.activeArguments) {
    if (argument.kind != ArgumentKind::ThreadgroupMemory || counted[argument.index])
      continue;
    counted[argument.index] = true;
    const uint64_t length = bindings.threadgroup[argument.index].length;
    dynamic = length > UINT64_MAX - dynamic ? UINT64_MAX : dynamic + length;
  }
  const uint64_t fixed = pipeline.staticThreadgroupBytes;
  if (dynamic > kMaxThreadgroupMemory || dynamic + fixed > kMaxThreadgroupMemory)
    return Error::usage(
        "threadgroup-memory",
        fmt::format("{} bytes of threadgroup memory ({} of the kernel's variables, {} of lengths "
                    "set) are more than {}",
                    dynamic + fixed, fixed, dynamic, kMaxThreadgroupMemory));
  return {};
}

std::string text(const Size &size) {
  return fmt::format("{} x {} x {}", size.width, size.height, size.depth);
}

bool isEmpty(const Size &size) {
  return !size.width || !size.height || !size.depth;
}

using Wide = unsigned __int128;
Wide count(const Size &size) {
  return Wide(size.width) * size.height * size.depth;
}

} // namespace

Result<void> validateBindings(const PipelineFacts &pipeline, const BindingTable &bindings) {
  const KernelInfo &kernel = *pipeline.kernel;
  for (const ArgumentInfo &argument : pipeline.activeArguments) {
    Result<void> ok;
    if (argument.kind == ArgumentKind::Buffer &&
        (pipeline.usedBuffers >> argument.index & 1 || bindings.buffers[argument.index].binding))
      ok = checkBuffer(kernel, argument, bindings);
    else if (argument.kind == ArgumentKind::Tensor &&
             (pipeline.usedBuffers >> argument.index & 1 || bindings.buffers[argument.index].binding))
      ok = checkTensor(kernel, argument, bindings);
    else if (argument.kind == ArgumentKind::FunctionTable)
      ok = checkFunctionTable(pipeline, argument, bindings);
    else if (argument.kind == ArgumentKind::ThreadgroupMemory &&
             (pipeline.usedThreadgroup >> argument.index & 1 || bindings.threadgroup[argument.index].length))
      ok = checkThreadgroupLength(kernel, argument, bindings);
    for (uint32_t i = 0; ok && i < argument.count; ++i)
      if (argument.kind == ArgumentKind::Texture)
        ok = checkTexture(kernel, argument, argument.index + i, bindings);
      else if (argument.kind == ArgumentKind::Sampler)
        ok = checkSampler(kernel, argument, argument.index + i, bindings);
    if (!ok)
      return ok;
  }
  for (const StageBuffer &stage : pipeline.stageBuffers)
    if (Result<void> ok = checkStageBuffer(kernel, stage, bindings.buffers[stage.index].binding); !ok)
      return ok;
  if (Result<void> ok = checkSurplus(pipeline, bindings); !ok)
    return ok;
  return checkThreadgroupTotal(pipeline, bindings);
}

// Where places of arguments depend on constants, and which buffers are fetched from, the pipeline decides.
Result<void> validateDeclared(const KernelInfo &kernel, const BindingTable &bindings,
                              const DispatchSize &size) {
  PipelineFacts facts{.kernel = &kernel,
                      .activeArguments = {},
                      .maxThreads = mostThreads(kernel),
                      .usedBuffers = 0,
                      .usedThreadgroup = 0};
  for (const ArgumentInfo &argument : kernel.arguments)
    if (argument.condition.empty() &&
        (argument.kind == ArgumentKind::Buffer || argument.kind == ArgumentKind::ThreadgroupMemory))
      facts.activeArguments.push_back(argument);
  const bool isPlaced = std::ranges::all_of(
      kernel.arguments, [](const ArgumentInfo &argument) { return argument.indexConstant.empty(); });
  if (isPlaced && !kernel.takesStageInput())
    if (Result<void> ok = validateBindings(facts, bindings); !ok)
      return ok;
  const Result<Size> threads = validateSize(facts, size);
  return threads ? Result<void>() : threads.error();
}

uint32_t mostThreads(const KernelInfo &kernel) {
  return kernel.maxTotalThreads ? kernel.maxTotalThreads : kMaxThreadsPerThreadgroup;
}

std::optional<Size> requiredThreads(const KernelInfo &kernel) {
  if (kernel.requiredThreads.empty())
    return std::nullopt;
  return Size(kernel.requiredThreads[0], kernel.requiredThreads[1], kernel.requiredThreads[2]);
}

Result<Size> validateSize(const PipelineFacts &pipeline, const DispatchSize &size) {
  if (isEmpty(size.grid))
    return Error::usage("empty-dispatch", fmt::format("a grid of {} {} is empty", text(size.grid),
                                                      size.wholeThreadgroups ? "threadgroups" : "threads"));
  if (isEmpty(size.threadgroup))
    return Error::usage("empty-dispatch",
                        fmt::format("a threadgroup of {} threads is empty", text(size.threadgroup)));
  constexpr uint64_t kMax = kMaxThreadsPerThreadgroup;
  const Size &group = size.threadgroup;
  // Each extent first, since their product could overflow.
  if (group.width > kMax || group.height > kMax || group.depth > kMax || count(group) > kMax)
    return Error::usage(
        "threadgroup-size",
        group.width > kMax || group.height > kMax || group.depth > kMax
            ? fmt::format("a threadgroup of {} threads is more than the largest, {} threads", text(group),
                          kMax)
            : fmt::format("a threadgroup of {} = {} threads is more than the largest, {} threads",
                          text(group), uint64_t(count(group)), kMax));
  if (count(group) > pipeline.maxThreads)
    return Error::usage(
        "threadgroup-size",
        fmt::format("a threadgroup of {} = {} threads is more than the {} that kernel '{}' allows",
                    text(group), uint64_t(count(group)), pipeline.maxThreads, pipeline.kernel->name),
        pipeline.maxThreads == pipeline.kernel->maxTotalThreads
            ? "its max_total_threads_per_threadgroup attribute says so"
            : "the pipeline was made for so many: maxTotalThreadsPerThreadgroup");
  const auto differs = [&](const std::optional<Size> &required) { return required && *required != group; };
  const std::optional<Size> own = requiredThreads(*pipeline.kernel);
  if (differs(own) || differs(pipeline.requiredThreads))
    return Error::usage("threadgroup-size",
                        fmt::format("a threadgroup of {} threads is not the {} that kernel '{}' requires",
                                    text(group), text(differs(own) ? *own : *pipeline.requiredThreads),
                                    pipeline.kernel->name),
                        differs(own) ? "its required_threads_per_threadgroup attribute says so"
                                     : "the pipeline was made for this size: requiredThreadsPerThreadgroup");
  const uint64_t scale[3] = {size.wholeThreadgroups ? group.width : 1,
                             size.wholeThreadgroups ? group.height : 1,
                             size.wholeThreadgroups ? group.depth : 1};
  const Wide threads[3] = {Wide(size.grid.width) * scale[0], Wide(size.grid.height) * scale[1],
                           Wide(size.grid.depth) * scale[2]};
  // Positions are 32-bit numbers in the kernel, and the total is counted in 64 bits.
  for (int i = 0; i < 3; ++i)
    if (threads[i] > UINT32_MAX)
      return Error::usage(
          "grid-size", fmt::format("a grid of {} {}{} is more than {} threads along {}", text(size.grid),
                                   size.wholeThreadgroups ? "threadgroups" : "threads",
                                   size.wholeThreadgroups ? fmt::format(" of {} threads", text(group)) : "",
                                   UINT32_MAX, "xyz"[i]));
  const Size whole{uint64_t(threads[0]), uint64_t(threads[1]), uint64_t(threads[2])};
  if (Wide(whole.width) * whole.height > UINT64_MAX / whole.depth)
    return Error::usage(
        "grid-size", fmt::format("a grid of {} threads is more than {} in total", text(whole), UINT64_MAX));
  return whole;
}

Result<void> validateIndex(uint64_t index, SlotKind kind) {
  const SlotKindInfo &info = slotsOf(kind);
  if (index < info.slots)
    return {};
  return Error::usage(kind == SlotKind::Texture   ? Rule("texture-index")
                      : kind == SlotKind::Sampler ? Rule("sampler-index")
                                                  : Rule("buffer-index"),
                      fmt::format("{} index {} is more than the largest, {}",
                                  kind == SlotKind::Threadgroup ? "threadgroup memory" : info.attribute,
                                  index, info.slots - 1));
}

Result<void> validateInlineBytes(uint64_t length, uint64_t index) {
  if (length <= kMaxInlineBytes)
    return {};
  return Error::usage("inline-bytes",
                      fmt::format("setBytes of {} bytes at index {} is more than the largest, {} bytes",
                                  length, index, kMaxInlineBytes),
                      "put them into a buffer");
}

} // namespace assay
