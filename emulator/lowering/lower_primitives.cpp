// Primitives become loads of the lane's state and calls of the runtime.
#include "lower_primitives.h"

#include "inactive_lanes.h"
#include "lane_loads.h"
#include "lockstep.h"
#include "primitives.h"
#include "reconvergence.h"
#include "sites.h"
#include "source_place.h"
#include "spin.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::lowering {
namespace {

using namespace llvm;

constexpr const char *kEntrySymbol = "assay_entry";

Result<SiteInfo> describe(const Lowering &state, Instruction &instruction) {
  SiteInfo site;
  site.where = placeOf(instruction);
  const auto &call = cast<CallBase>(instruction);
  const std::optional<Primitive> primitive = primitiveOf(call);
  if (primitive == Primitive::ThreadgroupBarrier) {
    site.kind = SiteKind::ThreadgroupBarrier;
    return site;
  }
  if (primitive != Primitive::SimdOp) {
    site.kind = SiteKind::Spin;
    return site;
  }
  site.kind = SiteKind::Simd;
  const std::optional<uint32_t> op = constantArgument(call, 0), type = constantArgument(call, 1),
                                count = constantArgument(call, 2);
  if (!op || !type || !count || *op >= kSimdOps.size() || *type >= kScalarTypes.size())
    return Error::kernel("unsupported", "a simd operation whose kind or type is not a compile-time constant",
                         site.where);
  site.op = static_cast<SimdOp>(*op);
  site.type = static_cast<ScalarType>(*type);
  site.count = *count;
  site.published = registerPlaceOf(state, call).value_or(kNotPublished);
  return site;
}

Value *flat(IRBuilder<> &b, Value *pointer) {
  return b.CreateAddrSpaceCast(pointer, b.getPtrTy());
}

void callRuntime(Lowering &state, CallBase &call, const SiteInfo &site, uint32_t number) {
  IRBuilder<> b(&call);
  Value *lane = state.lane();
  if (site.kind == SiteKind::ThreadgroupBarrier) {
    state.info.usesBarriers = true;
    b.CreateCall(runtimeFunction(*state.module, "assay_rt_threadgroup_barrier"),
                 {lane, b.getInt32(number), call.getArgOperand(0)});
  } else if (site.kind == SiteKind::Simd) {
    state.info.usesSimdOps = true;
    CallInst *op = b.CreateCall(runtimeFunction(*state.module, "assay_rt_simd_op"),
                                {lane, b.getInt32(number), flat(b, call.getArgOperand(3)),
                                 flat(b, call.getArgOperand(4)), call.getArgOperand(5)});
    // It accesses its operands, the lane's counters and the other lanes; see primitives.cpp for the barrier.
    if (onlyMeets(site.op))
      op->addFnAttr(Attribute::NoMerge);
  } else {
    state.info.usesSpin = true;
    call.setArgOperand(1, b.getInt32(number));
    return;
  }
  call.eraseFromParent();
}

// No lane waits at a log or a failed assertion, so these have a place but no order.
void lowerLogs(Lowering &state) {
  for (Instruction &instruction : make_early_inc_range(instructions(*state.entry))) {
    const std::optional<Primitive> primitive = primitiveOf(instruction);
    if (primitive != Primitive::Log && primitive != Primitive::AssertionFailed)
      continue;
    const bool log = primitive == Primitive::Log;
    SiteInfo site;
    site.kind = log ? SiteKind::Log : SiteKind::Assertion;
    site.where = placeOf(instruction);
    IRBuilder<> b(&instruction);
    b.CreateCall(runtimeFunction(*state.module, log ? "assay_rt_log" : "assay_rt_assertion_failed"),
                 {state.lane(), b.getInt32(addSite(state, std::move(site))),
                  flat(b, cast<CallBase>(instruction).getArgOperand(0))});
    instruction.eraseFromParent();
  }
}

// What ends the kernel at a call through a pointer: no function of the call's type, or no entry in a table.
void lowerEnds(Lowering &state) {
  for (Instruction &instruction : make_early_inc_range(instructions(*state.entry))) {
    const std::optional<Primitive> primitive = primitiveOf(instruction);
    if (primitive != Primitive::NoFunction && primitive != Primitive::NoTableEntry)
      continue;
    const bool entry = primitive == Primitive::NoTableEntry;
    SiteInfo site;
    site.kind = entry ? SiteKind::TableEntry : SiteKind::PointerCall;
    site.where = placeOf(instruction);
    IRBuilder<> b(&instruction);
    const auto &call = cast<CallBase>(instruction);
    const auto operand = [&](unsigned n) { return b.CreateZExt(call.getArgOperand(n), b.getInt64Ty()); };
    b.CreateCall(runtimeFunction(*state.module, "assay_rt_no_function"),
                 {state.lane(), b.getInt32(addSite(state, std::move(site))), operand(0),
                  entry ? operand(1) : b.getInt64(0)});
    instruction.eraseFromParent();
  }
}

// No lane waits at a probe either.
Result<void> lowerProbes(Lowering &state) {
  for (Instruction &instruction : make_early_inc_range(instructions(*state.entry))) {
    if (primitiveOf(instruction) != Primitive::Probe)
      continue;
    auto &call = cast<CallBase>(instruction);
    SiteInfo site;
    site.kind = SiteKind::Probe;
    site.where = placeOf(instruction);
    StringRef name;
    const std::optional<uint32_t> type = constantArgument(call, 1), count = constantArgument(call, 2);
    if (!getConstantStringInfo(call.getArgOperand(0)->stripPointerCasts(), name) || !type || !count ||
        *type >= kScalarTypes.size())
      return Error::kernel("unsupported", "a probe whose name is not a string literal", site.where,
                           "write ASSAY_PROBE(\"name\", expression)");
    site.name = name.str();
    site.type = static_cast<ScalarType>(*type);
    site.count = *count;
    IRBuilder<> b(&call);
    b.CreateCall(runtimeFunction(*state.module, "assay_rt_probe"),
                 {state.lane(), b.getInt32(addSite(state, std::move(site))), flat(b, call.getArgOperand(3))});
    call.eraseFromParent();
  }
  return {};
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

void giveLaneArgument(Lowering &state) {
  Function &old = *state.entry;
  LLVMContext &context = old.getContext();
  FunctionType *type = FunctionType::get(Type::getVoidTy(context), {PointerType::get(context, 0)}, false);
  Function *entry = Function::Create(type, GlobalValue::ExternalLinkage, kEntrySymbol, state.module);
  entry->copyAttributesFrom(&old);
  entry->setComdat(nullptr);
  entry->setDSOLocal(true);
  entry->getArg(0)->setName("lane");
  entry->splice(entry->begin(), &old);
  entry->setSubprogram(old.getSubprogram());
  old.setSubprogram(nullptr);
  state.entry = entry;
  state.info.symbol = kEntrySymbol;
  old.eraseFromParent();
}

Result<void> lowerSites(Lowering &state, FunctionAnalysisManager &analyses) {
  Function &entry = *state.entry;
  lowerLogs(state);
  lowerEnds(state);
  if (Result<void> done = lowerProbes(state); !done)
    return done.error();
  analyses.invalidate(entry, PreservedAnalyses::none());
  canonicalizeLoops(entry, analyses);
  placeRegisters(state, analyses);
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(entry);

  // Spins first: a loop that polls does so in lockstep, too.
  SmallVector<Instruction *> sites;
  append_range(sites, insertSpins(entry, loops));
  if (state.options.lockstep)
    insertLockstep(entry);
  for (Instruction &instruction : instructions(entry))
    if (isSite(instruction))
      sites.push_back(&instruction);
  if (sites.empty())
    return {};

  Reconvergence numbers = numberSites(entry, loops, analyses.getResult<DominatorTreeAnalysis>(entry), sites);
  state.info.loopCounters = countIterations(entry, numbers);
  for (Instruction *instruction : sites) {
    Result<SiteInfo> site = describe(state, *instruction);
    if (!site)
      return site.error();
    site->order = numbers.order.lookup(instruction);
    site->loops = numbers.loopsAround(*instruction);
    const SiteInfo copy = *site;
    callRuntime(state, cast<CallBase>(*instruction), copy, addSite(state, std::move(*site)));
  }
  analyses.invalidate(entry, PreservedAnalyses::none());
  return {};
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
