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
SourcePlace firstPlaceOf(const llvm::Value &variable) {
  for (const llvm::User *user : variable.users())
    if (const auto *instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      if (SourcePlace place = placeOf(*instruction); place.known())
        return place;
      if (llvm::isa<llvm::GetElementPtrInst>(instruction))
        if (SourcePlace place = firstPlaceOf(*instruction); place.known())
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

uint64_t mostBytes(const Lowering &state) {
  return uint64_t(kMaxThreadMemory) * state.info.threadsPerCall;
}

struct Variables {
  uint64_t bytes = 0;
  const llvm::AllocaInst *largest = nullptr;
};

Variables variablesOf(const Lowering &state) {
  const llvm::DataLayout &layout = state.module->getDataLayout();
  Variables all;
  uint64_t largest = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(*state.entry))
    if (const auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      const auto size = variable->getAllocationSize(layout);
      const uint64_t own = size ? size->getFixedValue() : 0;
      all.bytes = llvm::SaturatingAdd(all.bytes, own);
      if (own > largest) {
        largest = own;
        all.largest = variable;
      }
    }
  return all;
}

} // namespace

// Optimisation makes variables smaller, and a frame is variables and values without a register. Loops that it
// unrolls have a few times the values.
bool mayNeedMuchMemory(const Lowering &state) {
  constexpr uint64_t kBytesOfValue = 1024;
  const uint64_t values = state.entry->getInstructionCount() * kBytesOfValue;
  return llvm::SaturatingAdd(variablesOf(state).bytes, values) > mostBytes(state) / 2;
}

Result<void> refuseLargeVariables(const Lowering &state) {
  const Variables variables = variablesOf(state);
  if (variables.bytes <= mostBytes(state))
    return {};
  return tooLarge(state, variables.bytes, firstPlaceOf(*variables.largest));
}

Result<void> refuseLargeFrame(const Lowering &state, uint64_t bytes) {
  if (bytes <= mostBytes(state))
    return {};
  return tooLarge(state, bytes, {});
}

} // namespace assay::lowering
