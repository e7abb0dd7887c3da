// See lower_primitives.h.
#include "lower_primitives.h"

#include "inactive_lanes.h"
#include "lane_loads.h"
#include "primitives.h"
#include "runtime_functions.h"
#include "sites.h"
#include "source_place.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::lowering {
namespace {

using namespace llvm;

Value *flat(IRBuilder<> &b, Value *pointer) {
  return b.CreateAddrSpaceCast(pointer, b.getPtrTy());
}

// The arguments that the runtime's call has after the lane and the site.
SmallVector<Value *> argumentsOf(IRBuilder<> &b, CallBase &call, Primitive primitive) {
  const auto wide = [&](unsigned n) { return b.CreateZExt(call.getArgOperand(n), b.getInt64Ty()); };
  switch (primitive) {
  case Primitive::ThreadgroupBarrier: return {call.getArgOperand(0)};
  case Primitive::SimdOp:
    return {flat(b, call.getArgOperand(3)), flat(b, call.getArgOperand(4)), call.getArgOperand(5)};
  case Primitive::Log:
  case Primitive::AssertionFailed: return {flat(b, call.getArgOperand(0))};
  case Primitive::Refuse: return {flat(b, call.getArgOperand(0)), call.getArgOperand(1)};
  case Primitive::Probe: return {flat(b, call.getArgOperand(3))};
  case Primitive::NoFunction:
  case Primitive::CallsTooDeep: return {wide(0), b.getInt64(0)};
  case Primitive::NoTableEntry: return {wide(0), wide(1)};
  case Primitive::PointsTo:
    return {b.CreatePtrToInt(call.getArgOperand(0), b.getInt64Ty()), call.getArgOperand(1)};
  default: return SmallVector<Value *>(call.args());
  }
}

std::optional<RuntimeCall> runtimeCallOf(Primitive primitive) {
  switch (primitive) {
  case Primitive::ThreadgroupBarrier: return RuntimeCall::ThreadgroupBarrier;
  case Primitive::SimdOp: return RuntimeCall::SimdOp;
  case Primitive::Spin: return RuntimeCall::Spin;
  case Primitive::Log: return RuntimeCall::Log;
  case Primitive::AssertionFailed: return RuntimeCall::AssertionFailed;
  case Primitive::Refuse: return RuntimeCall::Refuse;
  case Primitive::Probe: return RuntimeCall::Probe;
  case Primitive::NoFunction:
  case Primitive::CallsTooDeep:
  case Primitive::NoTableEntry: return RuntimeCall::NoFunction;
  case Primitive::TextureRead: return RuntimeCall::TextureRead;
  case Primitive::TextureWrite: return RuntimeCall::TextureWrite;
  case Primitive::TextureSample: return RuntimeCall::TextureSample;
  case Primitive::TextureAtomic: return RuntimeCall::TextureAtomic;
  case Primitive::TextureQuery: return RuntimeCall::TextureQuery;
  case Primitive::PointsTo: return RuntimeCall::PointsTo;
  default: return std::nullopt;
  }
}

// Calls that stay apart, each with its own place and line.
bool staysApart(const Lowering &state, Primitive primitive, uint32_t site) {
  if (primitive == Primitive::SimdOp)
    return onlyMeets(state.info.sites[site].op);
  return isTextureAccess(primitive);
}

Type *pointerIn(LLVMContext &context, unsigned space) {
  return PointerType::get(context, space);
}

Value *lowerRead(CallBase &call, Primitive primitive, LaneLoads &loads) {
  LLVMContext &context = call.getContext();
  const std::optional<uint32_t> first = constantArgument(call, 0);
  if (!first)
    return nullptr;
  switch (primitive) {
  case Primitive::BufferDevice:
  case Primitive::BufferConstant:
    return *first < kBufferSlots ? loads.bufferBase(*first, call.getType()) : nullptr;
  case Primitive::TensorRecord:
    return *first < kBufferSlots ? loads.tensorRecord(*first, call.getType()) : nullptr;
  case Primitive::ThreadgroupSlot:
    return *first < kThreadgroupSlots ? loads.threadgroupSlot(*first, pointerIn(context, kIrThreadgroup))
                                      : nullptr;
  case Primitive::Builtin: {
    const std::optional<uint32_t> component = constantArgument(call, 1);
    return *first < kBuiltinCount && component && *component < 3
               ? loads.builtin(static_cast<Builtin>(*first), *component)
               : nullptr;
  }
  default: return nullptr;
  }
}

// Every threadgroup variable becomes its place in the arena, which is an instruction.
//
// A constant expression of a variable (an address in it, that address as a number) cannot hold an
// instruction, and the context keeps it for as long as it lives, used or not. One that is left when its
// variable is destroyed would name freed memory. Passes create new ones at any time. So those in use become
// instructions here, and not only where variables are placed, and the others are destroyed.
void moveIntoArena(Lowering &state) {
  SmallVector<std::pair<GlobalVariable *, uint32_t>> variables; // in the module's order: addresses have none
  SmallVector<Constant *> constants;
  for (GlobalVariable &variable : state.module->globals())
    if (const auto found = state.threadgroupIndex.find(&variable); found != state.threadgroupIndex.end()) {
      variables.push_back({&variable, found->second});
      constants.push_back(&variable);
    }
  convertUsersOfConstantsToInstructions(constants);

  Value *arena = nullptr;
  IRBuilder<> b(&*state.entry->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  b.SetCurrentDebugLocation(DebugLoc());
  LaneLoads loads{b, state.lane()};
  for (const auto &[variable, index] : variables) {
    variable->removeDeadConstantUsers();
    if (!variable->use_empty()) {
      if (!arena)
        arena = loads.arena(pointerIn(state.module->getContext(), kIrThreadgroup));
      variable->replaceAllUsesWith(
          b.CreatePtrAdd(arena, b.getInt64(state.info.threadgroupVariables[index].offset)));
    }
    variable->eraseFromParent();
  }
  state.threadgroupIndex.clear();
}

} // namespace

void callRuntime(Lowering &state) {
  for (Instruction &instruction : make_early_inc_range(instructions(*state.entry))) {
    const std::optional<Primitive> primitive = primitiveOf(instruction);
    const std::optional<RuntimeCall> runtime = primitive ? runtimeCallOf(*primitive) : std::nullopt;
    if (!runtime)
      continue;
    auto &call = cast<CallBase>(instruction);
    IRBuilder<> b(&call);
    SmallVector<Value *> arguments{state.lane()};
    const uint32_t site = siteOf(call);
    if (*runtime != RuntimeCall::TextureQuery && *runtime != RuntimeCall::PointsTo) // they cannot fail
      arguments.push_back(b.getInt32(site));
    append_range(arguments, argumentsOf(b, call, *primitive));
    CallInst *lowered = b.CreateCall(runtimeFunction(*state.module, *runtime), arguments);
    if (staysApart(state, *primitive, site))
      lowered->addFnAttr(Attribute::NoMerge);
    call.replaceAllUsesWith(lowered);
    call.eraseFromParent();
  }
}

Result<void> lowerState(Lowering &state) {
  Function &entry = *state.entry;
  IRBuilder<> b(&*entry.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  b.SetCurrentDebugLocation(DebugLoc());
  LaneLoads loads{b, state.lane()};
  for (Instruction &instruction : make_early_inc_range(instructions(entry))) {
    const std::optional<Primitive> primitive = primitiveOf(instruction);
    if (!primitive)
      continue;
    auto &call = cast<CallBase>(instruction);
    if (*primitive == Primitive::Publish) {
      if (b.GetInsertPoint() == call.getIterator())
        b.SetInsertPoint(call.getNextNode());
      lowerPublish(state, call);
      continue;
    }
    if (!call.use_empty()) {
      Value *value = lowerRead(call, *primitive, loads);
      if (!value)
        return Error::kernel("unsupported",
                             fmt::format("a call of {} with arguments that are not constant or out of range",
                                         call.getCalledFunction()->getName().str()),
                             placeOf(call));
      call.replaceAllUsesWith(value);
    }
    if (b.GetInsertPoint() == call.getIterator())
      b.SetInsertPoint(call.getNextNode());
    call.eraseFromParent();
  }
  moveIntoArena(state);
  for (Function &function : make_early_inc_range(*state.module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  // A function constant without a value, of which the kernel only asked whether it has one: debug information
  // would name its address.
  for (GlobalVariable &variable : make_early_inc_range(state.module->globals())) {
    variable.removeDeadConstantUsers();
    if (variable.isDeclaration() && variable.use_empty())
      variable.eraseFromParent();
  }
  return {};
}

} // namespace assay::lowering
