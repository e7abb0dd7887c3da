// See thread_memory.h.
#include "thread_memory.h"

#include "source_place.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>

#include <fmt/format.h>

namespace assay::lowering {
namespace {

// The first place where the variable, or a part of it, is used.
SourcePlace firstUse(const llvm::Value &variable) {
  for (const llvm::User *user : variable.users())
    if (const auto *instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      if (SourcePlace place = placeOf(*instruction); place.known())
        return place;
      if (llvm::isa<llvm::GetElementPtrInst>(instruction))
        if (SourcePlace place = firstUse(*instruction); place.known())
          return place;
    }
  return {};
}

Error tooLarge(const Lowering &state, uint64_t bytes, const SourcePlace &where) {
  return Error::kernel("thread-memory",
                       fmt::format("a thread of kernel {} needs {} B of stack, the limit is {} B",
                                   state.kernel.name, bytes, kMaxThreadMemory),
                       where.known() ? where : state.kernel.where,
                       "make arrays in it smaller, or put them into a buffer");
}

} // namespace

Result<void> refuseLargeVariables(const Lowering &state) {
  const llvm::DataLayout &layout = state.module->getDataLayout();
  uint64_t bytes = 0, largest = 0;
  const llvm::AllocaInst *culprit = nullptr;
  for (const llvm::Instruction &instruction : llvm::instructions(*state.entry))
    if (const auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      const auto size = variable->getAllocationSize(layout);
      const uint64_t own = size ? size->getFixedValue() : 0;
      bytes = llvm::SaturatingAdd(bytes, own);
      if (own > largest) {
        largest = own;
        culprit = variable;
      }
    }
  if (bytes <= uint64_t(kMaxThreadMemory) * state.info.threadsPerCall)
    return {};
  return tooLarge(state, bytes, firstUse(*culprit));
}

Result<void> refuseLargeFrame(const Lowering &state, uint64_t bytes) {
  if (bytes <= uint64_t(kMaxThreadMemory) * state.info.threadsPerCall)
    return {};
  return tooLarge(state, bytes, {});
}

} // namespace assay::lowering
