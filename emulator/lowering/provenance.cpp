// Which object a pointer points into.
#include "provenance.h"

#include "inline_calls.h"
#include "lane_loads.h"
#include "primitives.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool isSlot(const Value &value) {
  const std::optional<Primitive> primitive = primitiveOf(value);
  return primitive == Primitive::BufferDevice || primitive == Primitive::BufferConstant ||
         primitive == Primitive::ThreadgroupSlot || primitive == Primitive::TensorRecord;
}

// One step towards the root, or null if this is as far as it goes.
Value *stepBack(Value *pointer) {
  if (auto *gep = dyn_cast<GEPOperator>(pointer))
    return gep->getPointerOperand();
  if (Operator::getOpcode(pointer) == Instruction::AddrSpaceCast ||
      Operator::getOpcode(pointer) == Instruction::BitCast || isa<FreezeInst>(pointer))
    return cast<User>(pointer)->getOperand(0);
  return nullptr;
}

Value *strip(Value *pointer) {
  while (Value *inner = stepBack(pointer))
    pointer = inner;
  return pointer;
}

std::string nameOfSlot(const KernelInfo &kernel, ArgumentKind kind, uint32_t slot) {
  for (const ArgumentInfo &argument : kernel.arguments)
    if (argument.index == slot && (argument.kind == kind || (kind == ArgumentKind::Buffer &&
                                                             (argument.kind == ArgumentKind::FunctionTable ||
                                                              argument.kind == ArgumentKind::Tensor))))
      return argument.name;
  if (kind == ArgumentKind::Buffer && kernel.takesStageInput() && kernel.stageInputSlot() == slot)
    return "[[stage_in]]";
  return {};
}

// Without a debug record, by what Clang called the memory. Copies have a dot and more after the name. A digit
// at the end may be LLVM's, to tell two variables apart, and some names are those of Clang's own temporaries.
std::string nameOfVariable(AllocaInst &variable) {
  for (DbgVariableRecord *record : findDVRDeclares(&variable))
    return record->getVariable()->getName().str();
  const StringRef whole = variable.getName();
  if (whole.contains(".tmp") || whole.contains(".dest") || whole.contains(".active"))
    return {};
  const StringRef name = whole.split('.').first;
  if (name.empty() || isDigit(name.back()) || is_contained({"tmp", "retval", "coerce"}, name))
    return {};
  return name.str();
}

// Of a pointer into one of several objects no more is said than that all are the thread's or constant.
template <class Objects> MemoryKind commonMemory(const Objects &objects, Provenance &provenance) {
  const MemoryKind first = provenance.of(*objects.begin()).memory;
  const bool isSaid = first == MemoryKind::ThreadVariable || first == MemoryKind::Constant;
  const auto isSame = [&](Value *object) { return provenance.of(object).memory == first; };
  return isSaid && all_of(objects, isSame) ? first : MemoryKind::Unknown;
}

} // namespace

Provenance::Provenance(Lowering &state, bool throughMemory) : state_(state) {
  BasicBlock &entry = state.entry->getEntryBlock();
  top_ = &*entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &instruction : make_early_inc_range(instructions(*state.entry)))
    if (isSlot(instruction) && constantArgument(cast<CallBase>(instruction), 0) && &instruction != top_)
      instruction.moveBefore(top_);
  if (throughMemory)
    variables_.emplace(*state.entry);
}

const Bounds &Provenance::of(Value *pointer) {
  pointer = strip(pointer);
  if (const auto known = bounds_.find(pointer); known != bounds_.end())
    return known->second;
  Bounds bounds = compute(pointer);
  return bounds_[pointer] = std::move(bounds);
}

bool Provenance::isRoot(Value *value) {
  auto *load = dyn_cast<LoadInst>(value);
  return isSlot(*value) || isa<AllocaInst, GlobalVariable, ConstantData>(value) ||
         (load && !rootsOf(*load).empty());
}

// The objects into which a pointer may point that is loaded from a variable, through any number of variables;
// none if they are not known, or too many to compare with each. An element that was never set is null, and
// belongs to none.
const Provenance::Roots &Provenance::rootsOf(LoadInst &load) {
  static constexpr size_t kMostRoots = 8;
  static const Roots kUnknown;
  if (!variables_)
    return kUnknown;
  const auto [known, isNew] = roots_.try_emplace(&load);
  if (!isNew)
    return known->second;
  SmallVector<Value *> work{&load};
  SmallPtrSet<const Value *, 8> seen;
  SmallSetVector<Value *, 4> roots;
  while (!work.empty()) {
    Value *at = strip(work.pop_back_val());
    if (!seen.insert(at).second)
      continue;
    if (auto *phi = dyn_cast<PHINode>(at)) {
      append_range(work, phi->incoming_values());
    } else if (auto *select = dyn_cast<SelectInst>(at)) {
      work.push_back(select->getTrueValue());
      work.push_back(select->getFalseValue());
    } else if (auto *other = dyn_cast<LoadInst>(at)) {
      const SmallVector<Value *> *stored = variables_->of(*other);
      if (!stored)
        return kUnknown;
      append_range(work, *stored);
    } else {
      if (!isSlot(*at) && !isa<AllocaInst, GlobalVariable>(at))
        return kUnknown;
      roots.insert(at);
    }
  }
  // Arguments are few to the runtime and many instructions here: only for variables a comparison is worth it.
  if (roots.size() > 1 && any_of(roots, [](const Value *root) { return isSlot(*root); }))
    return kUnknown;
  if (roots.size() > kMostRoots || any_of(roots, [&](Value *root) { return !of(root).known(); }))
    return kUnknown;
  return roots_[&load] = Roots(roots.begin(), roots.end());
}

Bounds Provenance::compute(Value *pointer) {
  if (isRoot(pointer))
    return ofRoot(pointer);
  SmallPtrSet<Value *, 8> seen, roots;
  if (!collectRoots(pointer, seen, roots))
    return {};
  if (roots.size() == 1)
    return of(*roots.begin());
  auto *phi = dyn_cast<PHINode>(pointer);
  Bounds bounds = phi ? ofPhi(*phi) : ofSelect(*cast<SelectInst>(pointer));
  bounds.stored = any_of(roots, [](const Value *root) { return isa<LoadInst>(root); });
  bounds.maybeNone = any_of(roots, [&](Value *root) { return of(root).maybeNone; });
  bounds.memory = commonMemory(roots, *this);
  return bounds;
}

bool Provenance::collectRoots(Value *pointer, SmallPtrSetImpl<Value *> &seen,
                              SmallPtrSetImpl<Value *> &roots) {
  pointer = strip(pointer);
  if (!seen.insert(pointer).second)
    return true;
  if (isRoot(pointer)) {
    roots.insert(pointer);
    return of(pointer).known();
  }
  if (auto *phi = dyn_cast<PHINode>(pointer)) {
    for (Value *incoming : phi->incoming_values())
      if (!collectRoots(incoming, seen, roots))
        return false;
    return true;
  }
  if (auto *select = dyn_cast<SelectInst>(pointer))
    return collectRoots(select->getTrueValue(), seen, roots) &&
           collectRoots(select->getFalseValue(), seen, roots);
  return false;
}

Bounds Provenance::ofRoot(Value *root) {
  if (auto *call = dyn_cast<CallBase>(root))
    return ofSlot(*call);
  if (auto *load = dyn_cast<LoadInst>(root))
    return ofLoad(*load);
  if (auto *variable = dyn_cast<AllocaInst>(root))
    return ofAlloca(*variable);
  if (auto *variable = dyn_cast<GlobalVariable>(root))
    return ofVariable(*variable);
  // null, undef and poison: nothing is there.
  Bounds nothing;
  IRBuilder<> b(top_);
  nothing.base = nothing.bytes = b.getInt64(0);
  return nothing;
}

Bounds Provenance::ofSlot(CallBase &call) {
  const std::optional<uint32_t> slot = constantArgument(call, 0);
  if (!slot || *slot >= std::min(kBufferSlots, kThreadgroupSlots))
    return {};
  const bool threadgroup = primitiveOf(call) == Primitive::ThreadgroupSlot;
  Bounds bounds;
  bounds.root = &call;
  bounds.memory = threadgroup ? MemoryKind::ThreadgroupSlot : MemoryKind::Buffer;
  bounds.slot = *slot;
  bounds.name =
      nameOfSlot(state_.kernel, threadgroup ? ArgumentKind::ThreadgroupMemory : ArgumentKind::Buffer, *slot);
  IRBuilder<> b(call.getNextNode());
  b.SetCurrentDebugLocation(DebugLoc());
  LaneLoads loads{b, state_.lane()};
  bounds.base = b.CreatePtrToInt(&call, b.getInt64Ty());
  if (primitiveOf(call) == Primitive::TensorRecord) {
    bounds.memory = MemoryKind::Constant;
    bounds.name = "the extents and strides of " + bounds.name;
    bounds.memoryBytes = sizeof(TensorAbi);
    bounds.bytes = b.getInt64(bounds.memoryBytes);
  } else if (threadgroup) {
    bounds.bytes = loads.threadgroupSlotBytes(*slot);
  } else {
    bounds.before = loads.bufferBytesBefore(*slot);
    bounds.base = b.CreateSub(bounds.base, bounds.before);
    bounds.bytes = b.CreateAdd(loads.bufferBytes(*slot), bounds.before);
  }
  return bounds;
}

Bounds Provenance::ofLoad(LoadInst &load) {
  const Roots &roots = rootsOf(load);
  Bounds bounds = of(roots.front());
  IRBuilder<> b(load.getNextNode());
  b.SetCurrentDebugLocation(DebugLoc());
  Value *pointer = b.CreatePtrToInt(&load, b.getInt64Ty());
  if (roots.size() > 1) {
    Value *begin = b.getInt64(~uint64_t(0)), *end = b.getInt64(0);
    for (Value *root : roots) {
      const Bounds &object = of(root);
      Value *isInside = b.CreateICmpULE(b.CreateSub(pointer, object.base), object.bytes);
      Value *objectEnd = b.CreateAdd(object.base, object.bytes);
      begin = b.CreateSelect(b.CreateAnd(isInside, b.CreateICmpULT(object.base, begin)), object.base, begin);
      end = b.CreateSelect(b.CreateAnd(isInside, b.CreateICmpUGT(objectEnd, end)), objectEnd, end);
    }
    bounds = {};
    bounds.maybeNone = true;
    bounds.memory = commonMemory(roots, *this);
    bounds.base = begin;
    bounds.bytes = b.CreateSelect(b.CreateICmpEQ(end, b.getInt64(0)), end, b.CreateSub(end, begin));
  }
  bounds.root = &load;
  bounds.before = b.CreateSub(pointer, bounds.base);
  bounds.stored = true;
  return bounds;
}

Bounds Provenance::ofAlloca(AllocaInst &variable) {
  Bounds bounds;
  const std::optional<TypeSize> size = variable.getAllocationSize(state_.module->getDataLayout());
  Instruction *after = variable.getNextNode();
  while (isa<AllocaInst>(after))
    after = after->getNextNode();
  IRBuilder<> b(after);
  b.SetCurrentDebugLocation(DebugLoc());
  bounds.root = &variable;
  bounds.memory = MemoryKind::ThreadVariable;
  bounds.name = nameOfVariable(variable);
  bounds.base = b.CreatePtrToInt(&variable, b.getInt64Ty());
  if (size) {
    bounds.memoryBytes = *size;
    bounds.bytes = b.getInt64(*size);
  } else {
    const uint64_t element = state_.module->getDataLayout().getTypeAllocSize(variable.getAllocatedType());
    bounds.bytes = b.CreateMul(b.CreateZExt(variable.getArraySize(), b.getInt64Ty()), b.getInt64(element));
  }
  return bounds;
}

Bounds Provenance::ofVariable(GlobalVariable &variable) {
  Bounds bounds;
  IRBuilder<> b(top_);
  bounds.root = &variable;
  bounds.memoryBytes = state_.module->getDataLayout().getTypeAllocSize(variable.getValueType());
  bounds.bytes = b.getInt64(bounds.memoryBytes);
  if (const auto placed = state_.threadgroupIndex.find(&variable); placed != state_.threadgroupIndex.end()) {
    const ThreadgroupVariable &info = state_.info.threadgroupVariables[placed->second];
    bounds.memory = MemoryKind::ThreadgroupVariable;
    bounds.name = info.name;
    bounds.memoryOffset = info.offset;
    // An instruction, because the variable becomes one when it moves into the arena (lowerState). The builder
    // would fold it into a constant.
    bounds.base = CastInst::Create(Instruction::PtrToInt, &variable, b.getInt64Ty(), "", top_->getIterator());
  } else {
    bounds.memory = MemoryKind::Constant;
    bounds.name = userName(variable.getName());
    bounds.base = b.CreatePtrToInt(&variable, b.getInt64Ty());
  }
  return bounds;
}

Bounds Provenance::ofPhi(PHINode &phi) {
  IRBuilder<> b(&phi);
  Bounds bounds;
  PHINode *base = b.CreatePHI(b.getInt64Ty(), phi.getNumIncomingValues(), "base");
  PHINode *bytes = b.CreatePHI(b.getInt64Ty(), phi.getNumIncomingValues(), "bytes");
  bounds.base = base;
  bounds.bytes = bytes;
  bounds_[&phi] = bounds; // for cycles
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const Bounds &incoming = of(phi.getIncomingValue(i));
    base->addIncoming(incoming.base, phi.getIncomingBlock(i));
    bytes->addIncoming(incoming.bytes, phi.getIncomingBlock(i));
  }
  return bounds;
}

Bounds Provenance::ofSelect(SelectInst &select) {
  const Bounds yes = of(select.getTrueValue()), no = of(select.getFalseValue());
  IRBuilder<> b(select.getNextNode());
  Bounds bounds;
  bounds.base = b.CreateSelect(select.getCondition(), yes.base, no.base);
  bounds.bytes = b.CreateSelect(select.getCondition(), yes.bytes, no.bytes);
  return bounds;
}

} // namespace assay::lowering
