#include "support/abi/module_info.h"

#include "support/abi/limits.h"

#include <algorithm>

namespace assay {

std::string_view nameOf(AddressSpace space) {
  switch (space) {
  case AddressSpace::Thread: return "thread";
  case AddressSpace::Device: return "device";
  case AddressSpace::Constant: return "constant";
  case AddressSpace::Threadgroup: return "threadgroup";
  }
  return "";
}

const OtherFunctionInfo *ModuleInfo::findOther(std::string_view name) const {
  for (const OtherFunctionInfo &other : otherFunctions)
    if (other.name == name)
      return &other;
  return nullptr;
}

bool ArgumentInfo::takesFunctionTables() const {
  return kind == ArgumentKind::FunctionTable ||
         std::any_of(members.begin(), members.end(), [](const MemberInfo &m) { return m.functionTable; });
}

bool KernelInfo::takesFunctionTables() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const ArgumentInfo &a) { return a.takesFunctionTables(); });
}

bool KernelInfo::takesStageInput() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const ArgumentInfo &a) { return a.kind == ArgumentKind::Attribute; });
}

std::optional<uint32_t> KernelInfo::stageInputSlot() const {
  const auto isTaken = [&](uint32_t slot) {
    return std::any_of(arguments.begin(), arguments.end(), [&](const ArgumentInfo &a) {
      return (a.kind == ArgumentKind::Buffer || a.kind == ArgumentKind::FunctionTable ||
              a.kind == ArgumentKind::Tensor) &&
             a.index == slot;
    });
  };
  for (uint32_t slot = kBufferSlots; slot-- > 0;)
    if (!isTaken(slot))
      return slot;
  return std::nullopt;
}

const KernelInfo *ModuleInfo::findKernel(std::string_view name) const {
  for (const KernelInfo &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

namespace {

void addOnce(std::vector<FunctionConstantInfo> &all, const FunctionConstantInfo &one) {
  if (std::none_of(all.begin(), all.end(), [&](const auto &known) { return known.isSameAs(one); }))
    all.push_back(one);
}

} // namespace

std::vector<FunctionConstantInfo> ModuleInfo::constantsAt(const std::vector<uint32_t> &places) const {
  std::vector<FunctionConstantInfo> all;
  for (const uint32_t place : places)
    addOnce(all, functionConstants.at(place));
  return all;
}

std::vector<FunctionConstantInfo> ModuleInfo::distinctConstants() const {
  std::vector<FunctionConstantInfo> all;
  for (const FunctionConstantInfo &constant : functionConstants)
    addOnce(all, constant);
  return all;
}

const StructInfo *ModuleInfo::structOf(const ArgumentInfo &argument) const {
  return argument.structure && *argument.structure < structs.size() ? &structs[*argument.structure] : nullptr;
}

} // namespace assay
