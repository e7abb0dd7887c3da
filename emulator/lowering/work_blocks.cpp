// See work_blocks.h.
#include "work_blocks.h"

#include "memory_accesses.h"
#include "primitives.h"
#include "runtime_functions.h"
#include "sites.h"
#include "source_place.h"

#include "support/abi/module_info.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <tuple>

namespace assay::lowering {
namespace {

using namespace llvm;

enum class Space { Device, Constant, Threadgroup, Thread, Unknown };

// Of the object that a pointer leads to, whatever its own address space.
Space spaceOf(const Value &object) {
  if (isa<AllocaInst>(object))
    return Space::Thread;
  switch (object.getType()->getPointerAddressSpace()) {
  case kIrDevice: return Space::Device;
  case kIrConstant: return Space::Constant;
  case kIrThreadgroup: return Space::Threadgroup;
  default: break;
  }
  const auto *variable = dyn_cast<GlobalVariable>(&object);
  return variable && variable->isConstant() ? Space::Constant : Space::Unknown;
}

Space spaceAt(const Value &pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(&pointer, objects, nullptr, /*MaxLookup=*/0);
  if (objects.empty())
    return spaceOf(pointer);
  const Space first = spaceOf(*objects[0]);
  return all_of(objects, [&](const Value *object) { return spaceOf(*object) == first; }) ? first
                                                                                         : Space::Unknown;
}

WorkKind workKindOf(Space space, AccessKind access) {
  const bool atomic = access == AccessKind::Atomic, store = access == AccessKind::Write;
  const auto pick = [&](WorkKind load, WorkKind stored, WorkKind updated) {
    return atomic ? updated : store ? stored : load;
  };
  switch (space) {
  case Space::Device: return pick(WorkKind::DeviceLoads, WorkKind::DeviceStores, WorkKind::DeviceAtomics);
  case Space::Constant: // nobody writes it
    return pick(WorkKind::ConstantLoads, WorkKind::UnknownStores, WorkKind::UnknownAtomics);
  case Space::Threadgroup:
    return pick(WorkKind::ThreadgroupLoads, WorkKind::ThreadgroupStores, WorkKind::ThreadgroupAtomics);
  case Space::Thread: return pick(WorkKind::ThreadLoads, WorkKind::ThreadStores, WorkKind::UnknownAtomics);
  case Space::Unknown: break;
  }
  return pick(WorkKind::UnknownLoads, WorkKind::UnknownStores, WorkKind::UnknownAtomics);
}

bool isDoubleType(const Type *type) {
  return type->getScalarType()->isDoubleTy();
}

// How a value comes about that Metal has no type for.
enum class Origin { Kernel, Elementary, Fused };

// In which of the shim's functions an instruction is, of those that compute in double.
Origin originOf(const Instruction &instruction) {
  Origin origin = Origin::Kernel;
  for (const DILocation *at = instruction.getDebugLoc().get(); at; at = at->getInlinedAt()) {
    const StringRef file = at->getFilename();
    if (!inShim(file))
      break;
    const DISubprogram *function = at->getScope()->getSubprogram();
    if (file.ends_with("/metal_math") && function && function->getName() == "fma")
      return Origin::Fused;
    if (file.ends_with("/detail/elementary.h") || file.ends_with("/metal_math") ||
        file.ends_with("/metal_pack"))
      origin = Origin::Elementary;
  }
  return origin;
}

// What is computed in double is a step to one result: of an elementary function, where it becomes a float; of
// a multiply-add of halves or bfloats, where the product meets the sum.
std::optional<WorkKind> kindOfDouble(const Instruction &instruction, Origin origin) {
  if (isa<FPTruncInst>(instruction) && origin != Origin::Kernel)
    return origin == Origin::Fused ? WorkKind::FusedOperations : WorkKind::MathFunctions;
  if (instruction.getOpcode() == Instruction::FAdd && origin == Origin::Kernel)
    return WorkKind::FusedOperations;
  return std::nullopt;
}

// Integers on the way to such a result.
bool isStep(const Instruction &instruction) {
  for (const DILocation *at = instruction.getDebugLoc().get(); at; at = at->getInlinedAt())
    if (at->getFilename().ends_with("/detail/elementary.h"))
      return true;
  return false;
}

// A vector does the work of its elements.
uint32_t width(const Type *type) {
  const auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

std::optional<WorkKind> kindOfBinary(const BinaryOperator &operation) {
  if (operation.getType()->getScalarType()->isIntegerTy(1))
    return std::nullopt; // a predicate
  switch (operation.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul: return WorkKind::FloatOperations;
  case Instruction::FDiv:
  case Instruction::FRem: return WorkKind::Divisions;
  default: return WorkKind::IntegerOperations;
  }
}

std::optional<WorkKind> kindOfIntrinsic(const IntrinsicInst &intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
  case Intrinsic::fma:
  case Intrinsic::fmuladd: return WorkKind::FusedOperations;
  case Intrinsic::sqrt: return WorkKind::Divisions;
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::round:
  case Intrinsic::roundeven: return WorkKind::Choices;
  case Intrinsic::fabs:
  case Intrinsic::copysign: return std::nullopt;
  default: break;
  }
  const bool integers = intrinsic.getType()->isIntOrIntVectorTy() && intrinsic.arg_size() &&
                        intrinsic.getArgOperand(0)->getType()->isIntOrIntVectorTy();
  return integers && intrinsic.doesNotAccessMemory() ? std::optional(WorkKind::IntegerOperations)
                                                     : std::nullopt;
}

// Elements of a vector of halves or floats go through one integer, as this CPU's calling convention wants it.
// Taking one out, and putting them together, is no work.
bool unpacks(const Instruction &instruction) {
  const auto isElement = [](const User *user) {
    return isa<TruncInst>(user) && !user->use_empty() && all_of(user->users(), [](const User *bits) {
             return isa<BitCastInst>(bits) && bits->getType()->isFloatingPointTy();
           });
  };
  return instruction.getOpcode() == Instruction::LShr && isa<ConstantInt>(instruction.getOperand(1)) &&
         !instruction.use_empty() && all_of(instruction.users(), isElement);
}
bool packs(const Value &value) {
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return false;
  switch (instruction->getOpcode()) {
  case Instruction::ZExt: {
    const auto *bits = dyn_cast<BitCastInst>(instruction->getOperand(0));
    return bits && bits->getSrcTy()->isFloatingPointTy();
  }
  case Instruction::Shl: return packs(*instruction->getOperand(0));
  case Instruction::Or: return packs(*instruction->getOperand(0)) && packs(*instruction->getOperand(1));
  default: return false;
  }
}

// Of an instruction that computes a value; empty for one that is not counted.
std::optional<WorkKind> kindOfArithmetic(const Instruction &instruction) {
  const auto ofDouble = [](const Value *value) { return isDoubleType(value->getType()); };
  if (isDoubleType(instruction.getType()) || any_of(instruction.operands(), ofDouble))
    return kindOfDouble(instruction, originOf(instruction));
  if (isStep(instruction) || unpacks(instruction) || packs(instruction))
    return std::nullopt;
  if (const auto *operation = dyn_cast<BinaryOperator>(&instruction))
    return kindOfBinary(*operation);
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
    return kindOfIntrinsic(*intrinsic);
  if (isa<CmpInst, SelectInst, FPToSIInst, FPToUIInst, SIToFPInst, UIToFPInst, FPTruncInst, FPExtInst>(
          instruction))
    return WorkKind::Choices;
  return std::nullopt;
}

std::optional<WorkKind> kindOfPrimitive(const Lowering &state, const Instruction &instruction) {
  switch (primitiveOf(instruction).value_or(Primitive::Builtin)) {
  case Primitive::ThreadgroupBarrier: return WorkKind::ThreadgroupBarriers;
  case Primitive::TextureRead:
  case Primitive::TextureSample: return WorkKind::TextureReads;
  case Primitive::TextureWrite: return WorkKind::TextureWrites;
  case Primitive::TextureAtomic: return WorkKind::TextureAtomics;
  case Primitive::SimdOp: break;
  default: return std::nullopt;
  }
  switch (state.info.sites[siteOf(instruction)].op) {
  case SimdOp::Lockstep: return std::nullopt; // no operation of the kernel's
  case SimdOp::Barrier: return WorkKind::SimdgroupBarriers;
  case SimdOp::MatrixMultiply:
  case SimdOp::MatrixMultiplyAccumulate:
  case SimdOp::MultiplyFragments: return WorkKind::MatrixProducts;
  default: return WorkKind::SimdOperations;
  }
}

// What one access moves at most.
constexpr uint64_t kMostBytes = 16;

// A plain access of known size, and what it is beside.
struct AccessPiece {
  WorkKind kind;
  const DILocation *place;
  const Value *base;
  int64_t offset;
  uint64_t bytes;
  auto key() const { return std::tuple(kind, place, base, offset); }
};

// The number of accesses that pieces are: those of one place in the source that lie side by side are one.
uint32_t accessesOf(ArrayRef<AccessPiece> sorted) {
  uint32_t accesses = 0;
  const AccessPiece *last = nullptr;
  uint64_t moved = 0;
  for (const AccessPiece &piece : sorted) {
    const bool beside = last && piece.place && piece.place == last->place && piece.base == last->base &&
                        piece.offset == last->offset + int64_t(last->bytes);
    moved = beside ? moved + piece.bytes : piece.bytes;
    if (!beside || moved > kMostBytes) {
      accesses += uint32_t((piece.bytes + kMostBytes - 1) / kMostBytes);
      moved = piece.bytes;
    }
    last = &piece;
  }
  return accesses;
}

class Tally {
public:
  void add(WorkKind kind, uint32_t count, uint64_t bytes = 0, bool withoutBytes = false) {
    WorkItem &item = items_[kind];
    item.kind = kind;
    item.count += count;
    item.bytes += bytes;
    item.withoutBytes += withoutBytes;
  }
  std::vector<WorkItem> take() const {
    std::vector<WorkItem> all;
    for (const auto &[kind, item] : items_)
      all.push_back(item);
    return all;
  }

private:
  std::map<WorkKind, WorkItem> items_;
};

// Whether all that is done with an address of private memory is at a place known here.
bool onlyConstantPlaces(const Value &address) {
  return all_of(address.users(), [&](const User *user) {
    if (const auto *place = dyn_cast<GetElementPtrInst>(user))
      return place->hasAllConstantIndices() && onlyConstantPlaces(*place);
    if (isa<AddrSpaceCastInst>(user))
      return onlyConstantPlaces(*user);
    if (const auto *store = dyn_cast<StoreInst>(user))
      return store->getValueOperand() != &address;
    if (const auto *range = dyn_cast<AnyMemIntrinsic>(user))
      return isa<ConstantInt>(range->getLength());
    return isa<LoadInst, IntrinsicInst>(user) || primitiveOf(*user).has_value();
  });
}

// Private memory that a GPU has no memory for: what functions return, operands that the shim hands over.
bool inRegisters(const Value &pointer) {
  const auto *variable = dyn_cast<AllocaInst>(getUnderlyingObject(&pointer, 0));
  return variable && onlyConstantPlaces(*variable);
}

std::vector<WorkItem> workOf(const Lowering &state, BasicBlock &block) {
  const DataLayout &layout = state.module->getDataLayout();
  Tally tally;
  std::vector<AccessPiece> pieces;
  for (Instruction &instruction : block) {
    for (const MemoryAccess &access : memoryAccesses(instruction, layout)) {
      if (inRegisters(*access.pointer))
        continue;
      const WorkKind kind = workKindOf(spaceAt(*access.pointer), access.kind);
      if (access.kind == AccessKind::Atomic || access.varyingBytes) {
        tally.add(kind, 1, access.bytes, access.varyingBytes);
        continue;
      }
      int64_t offset = 0;
      const Value *base = GetPointerBaseWithConstantOffset(access.pointer, offset, layout);
      pieces.push_back({kind, instruction.getDebugLoc().get(), base, offset, access.bytes});
    }
    if (const auto kind = kindOfPrimitive(state, instruction))
      tally.add(*kind, 1);
    else if (const auto computed = kindOfArithmetic(instruction))
      tally.add(*computed, width(instruction.getType()));
  }
  sort(pieces, [](const AccessPiece &a, const AccessPiece &b) { return a.key() < b.key(); });
  for (ArrayRef<AccessPiece> rest = pieces; !rest.empty();) {
    const ArrayRef<AccessPiece> same =
        rest.take_while([&](const AccessPiece &piece) { return piece.kind == rest.front().kind; });
    uint64_t bytes = 0;
    for (const AccessPiece &piece : same)
      bytes += piece.bytes;
    tally.add(same.front().kind, accessesOf(same), bytes);
    rest = rest.drop_front(same.size());
  }
  return tally.take();
}

} // namespace

void countWork(Lowering &state, FunctionAnalysisManager &analyses) {
  Function &entry = *state.entry;
  std::map<BasicBlock *, std::vector<WorkItem>> work;
  SmallVector<Instruction *> busy;
  for (BasicBlock &block : entry)
    if (auto items = workOf(state, block); !items.empty()) {
      work[&block] = std::move(items);
      busy.push_back(block.getTerminator());
    }
  const bool ordered = state.info.usesBarriers || state.info.usesSimdOps || state.info.usesSpin;
  Reconvergence order = ordered ? state.order
                                : numberSites(entry, analyses.getResult<LoopAnalysis>(entry),
                                              analyses.getResult<DominatorTreeAnalysis>(entry), busy);
  const auto loopOf = [&](const BasicBlock *block) {
    const auto found = order.innermost.find(block);
    return found == order.innermost.end() ? -1 : found->second;
  };
  WorkBlocks &all = state.info.work;
  for (const WaitLoop &loop : order.loops)
    all.parents.push_back(uint32_t(loop.parent + 1));

  const FunctionCallee enter = runtimeFunction(*state.module, RuntimeCall::EnterBlock);
  for (BasicBlock &block : entry) {
    const int loop = loopOf(&block);
    WorkBlock counted;
    counted.loop = uint32_t(loop + 1);
    counted.header = loop >= 0 && order.loops[loop].header == &block;
    counted.latch = loop >= 0 && is_contained(order.loops[loop].latches, &block);
    if (const auto found = work.find(&block); found != work.end())
      counted.items = std::move(found->second);
    if (counted.items.empty() && !counted.header && !counted.latch)
      continue;
    const bool first = &block == &entry.getEntryBlock();
    IRBuilder<> b(&block, first ? block.getFirstNonPHIOrDbgOrAlloca() : block.getFirstInsertionPt());
    b.SetCurrentDebugLocation(block.getTerminator()->getDebugLoc());
    b.CreateCall(enter, {state.lane(), b.getInt32(uint32_t(all.blocks.size()))});
    all.blocks.push_back(std::move(counted));
  }
  analyses.invalidate(entry, PreservedAnalyses::none());
}

} // namespace assay::lowering
