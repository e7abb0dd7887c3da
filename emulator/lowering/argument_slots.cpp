#include "argument_slots.h"

#include "function_constants.h"
#include "primitives.h"

#include "support/abi/slot_kinds.h"

#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ValueHandle.h>

#include <fmt/format.h>

#include <map>

namespace assay::lowering {
namespace {

class Placement {
public:
  explicit Placement(const KernelInfo &kernel) : kernel_(kernel) {}

  Result<void> place(ArgumentInfo &argument, int64_t index) {
    const SlotKindInfo &kind = slotsOf(argument.kind);
    if (!kind.has(index, argument.count))
      return refused(argument, index, slotRange(kind));
    argument.index = uint32_t(index);
    for (uint32_t i = 0; i < argument.count; ++i)
      if (const auto [taken, fresh] = taken_.try_emplace({kind.attribute, argument.index + i}, argument.name);
          !fresh)
        return refused(argument, index, fmt::format("argument '{}' is there", taken->second));
    return {};
  }

  // Two with one index that the source gives have conditions: the front end has compared the others.
  void keep(const ArgumentInfo &argument) {
    for (uint32_t i = 0; i < argument.count; ++i)
      taken_.try_emplace({slotsOf(argument.kind).attribute, argument.index + i}, argument.name);
  }

  void placeAnywhere(ArgumentInfo &argument) {
    const SlotKindInfo &kind = slotsOf(argument.kind);
    const auto isFree = [&] {
      const auto first = taken_.lower_bound({kind.attribute, argument.index});
      return first == taken_.end() || first->first.first != kind.attribute ||
             first->first.second >= argument.index + argument.count;
    };
    for (argument.index = 0; argument.index + argument.count < kind.slots && !isFree();)
      ++argument.index;
    keep(argument);
  }

private:
  Error refused(const ArgumentInfo &argument, int64_t index, const std::string &why) const {
    return Error::kernel("argument-index",
                         fmt::format("argument '{}' of kernel {} is at {}({}), by the constant {}: {}",
                                     argument.name, kernel_.name, slotsOf(argument.kind).attribute, index,
                                     argument.indexConstant, why),
                         kernel_.where, "give the function constants other values");
  }

  const KernelInfo &kernel_;
  std::map<std::pair<std::string, uint32_t>, std::string> taken_;
};

} // namespace

Result<void> placeArguments(const Lowering &state, KernelInfo &kernel, const std::vector<bool> &active) {
  Placement placement(kernel);
  std::vector<size_t> late, unknown;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const ArgumentInfo &argument = kernel.arguments[i];
    if (!active[i] || argument.kind == ArgumentKind::Builtin)
      continue;
    if (!argument.indexConstant.empty())
      late.push_back(i);
    else
      placement.keep(argument);
  }
  for (const size_t i : late) {
    ArgumentInfo &argument = kernel.arguments[i];
    const Result<std::optional<int64_t>> index = readIndex(state, argument);
    if (!index)
      return index.error();
    if (!*index) {
      unknown.push_back(i);
      continue;
    }
    if (Result<void> done = placement.place(argument, **index); !done)
      return done;
  }
  for (const size_t i : unknown)
    placement.placeAnywhere(kernel.arguments[i]);
  return {};
}

void foldArgumentSlots(const Lowering &state) {
  llvm::Function *primitive = state.module->getFunction(kArgumentSlot);
  if (!primitive)
    return;
  for (llvm::User *user : llvm::make_early_inc_range(primitive->users())) {
    auto *call = llvm::cast<llvm::CallInst>(user);
    if (call->getFunction() != state.entry)
      continue;
    const ArgumentInfo &argument = state.kernel.arguments.at(constantArgument(*call, 0).value());
    const uint32_t slot = argument.kind == ArgumentKind::Attribute
                              ? state.kernel.stageInputSlot().value_or(kBufferSlots)
                              : argument.index;
    llvm::Value *index = llvm::ConstantInt::get(call->getType(), slot);
    // It erases the call where the call is known to have no effects.
    const llvm::WeakVH left(call);
    llvm::replaceAndRecursivelySimplify(call, index);
    if (left)
      call->eraseFromParent();
  }
}

} // namespace assay::lowering
