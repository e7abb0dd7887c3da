#include "run_buffers.h"

#include "argument_member.h"
#include "run_tensors.h"

#include "../host/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fmt/format.h>

namespace assay::cli {
namespace {

std::string_view optionOf(const Binding &binding) {
  return binding.structure ? "--struct" : "--buffer";
}

bool isName(std::string_view key) {
  return !key.empty() && !std::isdigit(static_cast<unsigned char>(key.front())) &&
         std::all_of(key.begin(), key.end(),
                     [](unsigned char c) { return std::isalnum(c) || std::strchr("_.[]->", c); });
}

Error at(Error error, std::string_view option, std::string_view key) {
  error.diagnostics.front().message =
      fmt::format("{} {}: {}", option, key, error.diagnostics.front().message);
  return error;
}

Result<void> add(const std::string &option, const Device &device, RunBuffers &buffers) {
  const size_t equals = option.find('=');
  const std::string key = option.substr(0, equals);
  const bool named = equals != option.npos && isName(key);
  std::string spec = named ? option.substr(equals + 1) : std::string();
  uint32_t index = 0;
  if (!named) {
    Result<IndexedText> indexed = parseIndexed(option, "--buffer", "INDEX=SPEC or NAME=SPEC");
    if (!indexed)
      return indexed.error();
    index = indexed->index;
    spec = std::move(indexed->rest);
  }
  if (named ? buffers.named.count(key) : buffers.bound.count(index))
    return Error::usage("bad-option", named ? fmt::format("--buffer is given twice for name '{}'", key)
                                            : fmt::format("--buffer is given twice for index {}", index));
  if (spec == "null" && named)
    return Error::usage("bad-spec",
                        fmt::format("--buffer {}: a NAME is for an address, and null has none", key),
                        "a null address is u64:0 in a SPEC and 0 in --struct");
  if (spec == "null") {
    buffers.bound.emplace(index, Binding{.data = {}, .buffer = {}, .null = true});
    return {};
  }
  Result<BufferData> data = readBufferSpec(spec);
  if (!data)
    return at(data.error(), "--buffer", named ? key : std::to_string(index));
  Binding binding{{},
                  data->equal ? device.newBuffer(data->size())
                              : device.newBuffer(data->bytes.data(), data->bytes.size())};
  if (data->poisoned)
    binding.buffer.poison();
  data->bytes = {};
  binding.data = std::move(*data);
  if (named)
    buffers.named.emplace(key, std::move(binding));
  else
    buffers.bound.emplace(index, std::move(binding));
  return {};
}

Result<void> addStruct(const std::string &option, RunBuffers &buffers) {
  const size_t equals = option.find('='), colon = option.find(':');
  std::string key = option.substr(0, equals), rest;
  const bool named = equals != option.npos && equals < colon && isName(key);
  if (named) {
    rest = option.substr(equals + 1);
  } else {
    Result<IndexedText> indexed = parseIndexed(option, "--struct", "INDEX=TYPE:FIELD=VALUE,..");
    if (!indexed)
      return indexed.error();
    key = std::to_string(indexed->index);
    rest = std::move(indexed->rest);
  }
  const std::string where = named ? fmt::format("name '{}'", key) : "index " + key;
  if (const Binding *other = buffers.find(key))
    return Error::usage("bad-option",
                        other->structure ? fmt::format("--struct is given twice for {}", where)
                                         : fmt::format("--buffer and --struct are both given for {}", where));
  Binding binding;
  Result<StructSpec> spec = parseStructSpec(rest);
  if (!spec)
    return at(spec.error(), "--struct", key);
  Result<std::vector<BufferAddress>> addresses = addressesIn(*spec);
  if (!addresses)
    return at(addresses.error(), "--struct", key);
  binding.data.addresses = std::move(*addresses);
  binding.structure = std::move(*spec);
  if (named)
    buffers.named.emplace(key, std::move(binding));
  else
    buffers.bound.emplace(uint32_t(std::stoul(key)), std::move(binding));
  return {};
}

std::vector<std::string> keys(const RunBuffers &buffers) {
  std::vector<std::string> all;
  for (const auto &[index, binding] : buffers.bound)
    all.push_back(std::to_string(index));
  for (const auto &[name, binding] : buffers.named)
    all.push_back(name);
  return all;
}

// Called when all buffers exist, so that each has an address.
Result<void> writeAddresses(const std::string &key, Binding &binding, const RunBuffers &buffers) {
  const std::string_view option = optionOf(binding);
  for (const BufferAddress &address : binding.data.addresses) {
    const Binding *target = buffers.find(address.buffer);
    if (!target) {
      const std::string nearest = nearestName(address.buffer, keys(buffers));
      return Error::usage(
          "unknown-buffer",
          fmt::format("{} {}: no --buffer is given for address '{}'", option, key, address.buffer),
          nearest.empty() ? "an address is the NAME or INDEX of another --buffer"
                          : fmt::format("did you mean '{}'?", nearest));
    }
    if (address.plus > target->buffer.length())
      return Error::usage("bad-spec",
                          fmt::format("{} {}: byte {} is past the end of buffer {}, which has {}", option,
                                      key, address.plus, address.buffer, target->buffer.length()));
    const uint64_t value = target->buffer.gpuAddress() + address.plus;
    std::memcpy(static_cast<char *>(binding.buffer.contents()) + address.offset, &value, sizeof value);
    binding.holdsAddresses = true;
  }
  return {};
}

bool hasAddressOf(const RunBuffers &buffers, const std::string &name) {
  const auto holds = [&](const auto &entry) {
    return std::any_of(entry.second.data.addresses.begin(), entry.second.data.addresses.end(),
                       [&](const BufferAddress &address) { return address.buffer == name; });
  };
  return std::any_of(buffers.bound.begin(), buffers.bound.end(), holds) ||
         std::any_of(buffers.named.begin(), buffers.named.end(), holds);
}

// A plain name binds nothing, so a buffer whose address no buffer holds is a mistake: perhaps an argument was
// meant.
Result<void> refuseUnreachable(const RunBuffers &buffers) {
  for (const auto &[name, binding] : buffers.named)
    if (!isMemberName(name) && !hasAddressOf(buffers, name))
      return Error::usage("unreachable-buffer",
                          fmt::format("{} {}: no other --buffer holds its address", optionOf(binding), name),
                          fmt::format("{} INDEX=SPEC binds a buffer; a NAME is for addr:{} in another's SPEC",
                                      optionOf(binding), name));
  return {};
}

} // namespace

bool isMemberName(std::string_view key) {
  return !key.empty() && !std::isdigit(static_cast<unsigned char>(key.front())) &&
         (key.find('.') != key.npos || key.find("->") != key.npos);
}

const Binding *RunBuffers::find(const std::string &key) const {
  if (const auto it = named.find(key); it != named.end())
    return &it->second;
  for (const auto &[index, binding] : bound)
    if (key == std::to_string(index))
      return &binding;
  return nullptr;
}

namespace {

Result<void> writeAllAddresses(RunBuffers &buffers) {
  for (auto &[index, binding] : buffers.bound)
    if (Result<void> ok = writeAddresses(std::to_string(index), binding, buffers); !ok)
      return ok;
  for (auto &[name, binding] : buffers.named)
    if (Result<void> ok = writeAddresses(name, binding, buffers); !ok)
      return ok;
  return {};
}

} // namespace

Result<RunBuffers> readBuffers(const std::vector<std::string> &options,
                               const std::vector<std::string> &structs, const Device &device) {
  RunBuffers buffers;
  for (const std::string &option : options)
    if (Result<void> ok = add(option, device, buffers); !ok)
      return ok.error();
  for (const std::string &option : structs)
    if (Result<void> ok = addStruct(option, buffers); !ok)
      return ok.error();
  if (structs.empty()) // else one of them may be what an address is of
    if (Result<void> ok = writeAllAddresses(buffers); !ok)
      return ok.error();
  if (Result<void> ok = refuseUnreachable(buffers); !ok)
    return ok.error();
  return buffers;
}

namespace {

bool takesBuffer(const ArgumentInfo &argument) {
  return argument.kind == ArgumentKind::Buffer || argument.kind == ArgumentKind::Tensor;
}

// The kernel's argument at an index: one that exists under its function constants, if there is one.
const ArgumentInfo *declaredAt(const ComputePipeline &pipeline, uint32_t index) {
  if (const ArgumentInfo *active = argumentAt(pipeline, index))
    return active;
  for (const ArgumentInfo &argument : pipeline.kernel().arguments)
    if (takesBuffer(argument) && argument.index == index)
      return &argument;
  return nullptr;
}

Result<void> lay(const StructInfo &info, Binding &binding, const Device &device) {
  Result<BufferData> data = layStruct(*binding.structure, info);
  if (!data)
    return data.error();
  binding.buffer = device.newBuffer(data->bytes.data(), data->bytes.size());
  data->bytes = {};
  binding.data = std::move(*data);
  return {};
}

// What --struct fills there.
//   argument   null if the kernel has none at the index
//   file       has structOf(): a pipeline, or the reflection
template <class File>
Result<const StructInfo *> structAt(const ArgumentInfo *argument, const KernelInfo &kernel,
                                    const File &file) {
  if (!argument) {
    std::string structs;
    for (const ArgumentInfo &other : kernel.arguments)
      if (const StructInfo *info = file.structOf(other))
        structs += fmt::format("{}{} ({})", structs.empty() ? "it has " : ", ", other.index, info->name);
    return Error::usage("struct", fmt::format("kernel '{}' has no buffer at this index", kernel.name),
                        structs);
  }
  if (const StructInfo *info = file.structOf(*argument))
    return info;
  return Error::usage(
      "struct", fmt::format("argument '{}' is {}, which is not a struct", argument->name, argument->type),
      "--buffer takes its values");
}

Result<void> fill(uint32_t index, Binding &binding, const ComputePipeline &pipeline, const Device &device) {
  const Result<const StructInfo *> info = structAt(declaredAt(pipeline, index), pipeline.kernel(), pipeline);
  return info ? lay(**info, binding, device) : info.error();
}

// A struct whose address another buffer holds. Its type is among those that the file's arguments lead to.
Result<const StructInfo *> structNamed(const std::string &type, const std::vector<StructInfo> &structs) {
  const StructInfo *info = nullptr;
  std::vector<std::string> names;
  for (const StructInfo &known : structs) {
    names.push_back(known.name);
    if (!namesStruct(type, known.name) || (info && info->name == known.name))
      continue;
    if (info)
      return Error::usage("struct", fmt::format("{} may be {} or {}", type, info->name, known.name));
    info = &known;
  }
  if (info)
    return info;
  return Error::usage("struct", fmt::format("no argument leads to a struct {}", type),
                      nearestHint(type, names, "structs"));
}

Result<void> fillNamed(Binding &binding, const ComputePipeline &pipeline, const Device &device) {
  const Result<const StructInfo *> info = structNamed(binding.structure->type, pipeline.structs());
  return info ? lay(**info, binding, device) : info.error();
}

// Whether it is known without function constants which argument is at an index.
bool isCertain(const KernelInfo &kernel, uint32_t index) {
  return std::ranges::none_of(kernel.arguments, [&](const ArgumentInfo &argument) {
    return !argument.indexConstant.empty() || (argument.index == index && !argument.condition.empty());
  });
}

Result<void> checkStruct(const Result<const StructInfo *> &info, const Binding &binding) {
  if (!info)
    return info.error();
  const Result<BufferData> data = layStruct(*binding.structure, **info);
  return data ? Result<void>() : data.error();
}

// Writes the addresses of buffers that are named ARGUMENT.MEMBER there, or the numbers of tensors that are
// made in them. One may lie where another points, so what cannot be reached is tried again.
Result<void> putIntoMembers(RunBuffers &buffers, const ComputePipeline &pipeline) {
  std::vector<std::string> left;
  for (const auto &[name, binding] : buffers.named)
    if (isMemberName(name) && !hasAddressOf(buffers, name))
      left.push_back(name);
  while (!left.empty()) {
    std::vector<std::string> again;
    std::optional<Error> why;
    for (const std::string &name : left) {
      Binding &binding = buffers.named.at(name);
      const Result<MemberPlace> place =
          memberAt(pipeline, buffers, optionOf(binding), name, MemberKind::Address);
      if (place) {
        writeMember(*place, binding.buffer.gpuAddress());
        continue;
      }
      if (const Result<MemberPlace> inTensor =
              memberAt(pipeline, buffers, optionOf(binding), name, MemberKind::Tensor)) {
        Result<Tensor> tensor = tensorIn(binding, *inTensor->tensor);
        if (!tensor)
          return at(tensor.error(), optionOf(binding), name);
        binding.tensor = std::move(*tensor);
        writeMember(*inTensor, binding.tensor.gpuResourceID());
        continue;
      }
      again.push_back(name);
      if (!why)
        why = place.error();
    }
    if (again.size() == left.size())
      return *why;
    left = std::move(again);
  }
  return {};
}

} // namespace

Result<void> checkStructs(const RunBuffers &buffers, const KernelInfo &kernel, const ModuleInfo &module) {
  for (const auto &[index, binding] : buffers.bound) {
    if (!binding.structure || !isCertain(kernel, index))
      continue;
    const auto argument = std::ranges::find_if(kernel.arguments, [&](const ArgumentInfo &other) {
      return takesBuffer(other) && other.index == index;
    });
    const ArgumentInfo *const there = argument == kernel.arguments.end() ? nullptr : &*argument;
    if (Result<void> ok = checkStruct(structAt(there, kernel, module), binding); !ok)
      return at(ok.error(), "--struct", std::to_string(index));
  }
  for (const auto &[name, binding] : buffers.named)
    if (binding.structure)
      if (Result<void> ok = checkStruct(structNamed(binding.structure->type, module.structs), binding); !ok)
        return at(ok.error(), "--struct", name);
  return {};
}

Result<void> completeBuffers(RunBuffers &buffers, const ComputePipeline &pipeline, const Device &device) {
  bool any = false;
  for (auto &[index, binding] : buffers.bound) {
    if (!binding.structure)
      continue;
    any = true;
    if (Result<void> ok = fill(index, binding, pipeline, device); !ok)
      return at(ok.error(), "--struct", std::to_string(index));
  }
  for (auto &[name, binding] : buffers.named) {
    if (!binding.structure)
      continue;
    any = true;
    if (Result<void> ok = fillNamed(binding, pipeline, device); !ok)
      return at(ok.error(), "--struct", name);
  }
  if (any)
    if (Result<void> ok = writeAllAddresses(buffers); !ok)
      return ok;
  return putIntoMembers(buffers, pipeline);
}

Bindings bindingsOf(const RunBuffers &buffers) {
  Bindings bindings;
  for (const auto &[index, binding] : buffers.bound)
    bindings.buffers[index] = binding.buffer;
  for (const auto &[name, binding] : buffers.named)
    if (binding.tensor)
      bindings.usedTensors.push_back(binding.tensor);
    else
      bindings.usedBuffers.push_back(binding.buffer);
  return bindings;
}

ScalarType elementType(const ArgumentInfo &argument, const BufferData &data) {
  const auto size = [](ScalarType type) { return scalarTypeInfo(type).bytes; };
  if (argument.element && (!data.type || size(*argument.element) == size(*data.type)))
    return *argument.element;
  return data.type.value_or(ScalarType::UChar);
}

const ArgumentInfo *argumentAt(const ComputePipeline &pipeline, uint32_t index) {
  for (const ArgumentInfo &argument : pipeline.activeArguments())
    if (takesBuffer(argument) && argument.index == index)
      return &argument;
  return nullptr;
}

std::vector<WrittenBuffer> writtenBuffers(const RunBuffers &buffers, const ComputePipeline &pipeline) {
  std::vector<WrittenBuffer> written;
  for (const ArgumentInfo &argument : pipeline.activeArguments()) {
    if (!takesBuffer(argument) || argument.space != AddressSpace::Device || argument.access == Access::Read ||
        !buffers.bound.contains(argument.index))
      continue;
    const Binding &binding = buffers.bound.at(argument.index);
    if (binding.null)
      continue;
    written.push_back({argument.name, argument.index, &binding, elementType(argument, binding.data)});
  }
  for (const auto &[name, binding] : buffers.named)
    written.push_back({name, {}, &binding, binding.data.type.value_or(ScalarType::UChar)});
  return written;
}

} // namespace assay::cli
