// Static threadgroup variables and their places in the arena.
#include "threadgroup_memory.h"

#include "inline_calls.h"

#include "support/abi/unwritten_text.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/ReplaceConstant.h>

#include <fmt/format.h>

namespace assay::lowering {
namespace {

bool isThreadgroup(const llvm::GlobalVariable &variable) {
  return variable.getAddressSpace() == kIrThreadgroup;
}

struct Declared {
  std::string name;
  SourcePlace where;
};

Declared declarationOf(const llvm::GlobalVariable &variable) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression *> descriptions;
  variable.getDebugInfo(descriptions);
  for (const llvm::DIGlobalVariableExpression *description : descriptions) {
    const llvm::DIGlobalVariable *declared = description->getVariable();
    return {declared->getName().str(), {declared->getFilename().str(), declared->getLine(), 0}};
  }
  return {userName(variable.getName()), {}};
}

std::vector<uint32_t> extentsOf(const llvm::GlobalVariable &variable) {
  std::vector<uint32_t> extents;
  for (const auto *array = llvm::dyn_cast<llvm::ArrayType>(variable.getValueType()); array;
       array = llvm::dyn_cast<llvm::ArrayType>(array->getElementType()))
    extents.push_back(static_cast<uint32_t>(array->getNumElements()));
  return extents;
}

// Two functions, or two instantiations of one, may have variables of one name.
std::string fullNameOf(const llvm::GlobalVariable &variable, llvm::ArrayRef<ThreadgroupVariable> placed) {
  const std::string name = scopedName(variable.getName());
  const auto same = [&](const ThreadgroupVariable &other) {
    return other.fullName == name || other.fullName.starts_with(name + "#");
  };
  const auto before = llvm::count_if(placed, same);
  return before ? fmt::format("{}#{}", name, before + 1) : name;
}

// Calls visit(offset, bytes) for what is padding in memory of that type.
void forEachPadding(llvm::Type *type, uint64_t offset, const llvm::DataLayout &layout,
                    llvm::function_ref<void(uint64_t offset, uint64_t bytes)> visit) {
  const uint64_t bytes = layout.getTypeAllocSize(type);
  const auto gap = [&](uint64_t begin, uint64_t end) {
    if (begin < end)
      visit(offset + begin, end - begin);
  };
  if (auto *record = llvm::dyn_cast<llvm::StructType>(type)) {
    uint64_t end = 0;
    for (unsigned i = 0; i < record->getNumElements(); ++i) {
      const uint64_t begin = layout.getStructLayout(record)->getElementOffset(i);
      gap(end, begin);
      forEachPadding(record->getElementType(i), offset + begin, layout, visit);
      end = begin + layout.getTypeAllocSize(record->getElementType(i));
    }
    gap(end, bytes);
  } else if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const uint64_t stride = layout.getTypeAllocSize(array->getElementType());
    bool padded = false;
    forEachPadding(array->getElementType(), 0, layout, [&](uint64_t, uint64_t) { padded = true; });
    for (uint64_t i = 0; padded && i < array->getNumElements(); ++i)
      forEachPadding(array->getElementType(), offset + i * stride, layout, visit);
  } else {
    gap(layout.getTypeStoreSize(type), bytes);
  }
}

void recordWritten(Lowering &state, const llvm::GlobalVariable &variable, uint64_t offset) {
  if (state.options.trackUndefined == TrackUndefined::No)
    return;
  const llvm::DataLayout &layout = state.module->getDataLayout();
  const auto add = [&](uint64_t begin, uint64_t bytes) {
    state.info.writtenThreadgroupBytes.push_back({uint32_t(begin), uint32_t(bytes)});
  };
  if (variable.hasMetadata(kDeclaredWithValue))
    add(offset, layout.getTypeAllocSize(variable.getValueType()));
  else
    forEachPadding(variable.getValueType(), offset, layout, add);
}

} // namespace

void exposeThreadgroupVariables(llvm::Module &module) {
  for (llvm::GlobalVariable &variable : module.globals()) {
    if (!isThreadgroup(variable))
      continue;
    variable.setComdat(nullptr);
    variable.setInitializer(nullptr);
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable.setConstant(false);
  }
}

Result<void> placeThreadgroupVariables(Lowering &state) {
  // From here on every use is an instruction, so that pointers can be followed and replaced.
  llvm::SmallVector<llvm::Constant *> variables;
  for (llvm::GlobalVariable &variable : state.module->globals())
    if (isThreadgroup(variable))
      variables.push_back(&variable);
  llvm::convertUsersOfConstantsToInstructions(variables);

  const llvm::DataLayout &layout = state.module->getDataLayout();
  uint64_t offset = 0;
  std::string list;
  SourcePlace where;
  for (llvm::GlobalVariable &variable : state.module->globals()) {
    variable.removeDeadConstantUsers();
    if (!isThreadgroup(variable) || variable.use_empty())
      continue;
    const uint64_t align =
        std::max<uint64_t>(kThreadgroupMemoryAlignment, variable.getAlign().valueOrOne().value());
    const uint64_t bytes = layout.getTypeAllocSize(variable.getValueType());
    const Declared declared = declarationOf(variable);
    offset = llvm::alignTo(offset, align);
    state.threadgroupIndex[&variable] = static_cast<uint32_t>(state.info.threadgroupVariables.size());
    state.info.threadgroupVariables.push_back(
        {declared.name, fullNameOf(variable, state.info.threadgroupVariables), static_cast<uint32_t>(offset),
         static_cast<uint32_t>(bytes), extentsOf(variable)});
    recordWritten(state, variable, offset);
    list += fmt::format("{}{} {} B", list.empty() ? "" : ", ", declared.name, bytes);
    if (!where.known())
      where = declared.where;
    offset += bytes;
    if (offset > UINT32_MAX / 2)
      break;
  }
  offset = llvm::alignTo(offset, kThreadgroupMemoryAlignment);
  if (offset > kMaxThreadgroupMemory)
    return Error::kernel("threadgroup-memory",
                         fmt::format("kernel {} declares {} B of threadgroup memory, the limit is {} B",
                                     state.kernel.name, offset, kMaxThreadgroupMemory),
                         where.known() ? where : state.kernel.where, "variables: " + list);
  state.info.staticThreadgroupBytes = static_cast<uint32_t>(offset);
  return {};
}

} // namespace assay::lowering
