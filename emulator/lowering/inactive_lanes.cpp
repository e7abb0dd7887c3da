// Planting publishes and giving registers their places. See the header.
#include "inactive_lanes.h"

#include "lane_loads.h"
#include "lockstep.h"
#include "primitives.h"
#include "reconvergence.h"
#include "register_web.h"
#include "uniformity.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/KnownBits.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::lowering {
namespace {

using namespace llvm;

constexpr StringLiteral kRegister = "assay-register";

std::optional<SimdOp> readsOneLaneAt(const Instruction &instruction) {
  if (primitiveOf(instruction) != Primitive::SimdOp)
    return std::nullopt;
  const std::optional<uint32_t> op = constantArgument(cast<CallBase>(instruction), 0);
  if (!op || *op >= kSimdOps.size() || !readsOneLane(SimdOp(*op)))
    return std::nullopt;
  return SimdOp(*op);
}

SmallVector<CallBase *> sitesThatMayMissLanes(Function &entry, FunctionAnalysisManager &analyses) {
  SmallVector<CallBase *> sites;
  for (Instruction &instruction : instructions(entry))
    if (readsOneLaneAt(instruction))
      sites.push_back(cast<CallBase>(&instruction));
  if (sites.empty())
    return sites;
  const Uniformity uniformity(entry, analyses.getResult<LoopAnalysis>(entry),
                              analyses.getResult<PostDominatorTreeAnalysis>(entry));
  erase_if(sites, [&](const CallBase *site) { return !uniformity.mayMissLanes(*site->getParent()); });
  return sites;
}

// ---- what an operand is made of ----

/// A value that was stored into the memory of an operand.
struct Piece {
  uint32_t byte;
  Value *value;
};

// The stores that fill the first bytes at the operand's pointer, searched backwards from the call in straight
// flow.
SmallVector<Piece> piecesOf(CallBase &site, uint32_t bytes) {
  const DataLayout &layout = site.getDataLayout();
  int64_t begin = 0;
  const Value *memory =
      GetPointerBaseWithConstantOffset(site.getArgOperand(3)->stripPointerCasts(), begin, layout);
  SmallVector<Piece> pieces;
  if (!isa<AllocaInst>(memory))
    return pieces;
  std::vector<bool> filled(bytes);
  const auto missing = [&] { return std::find(filled.begin(), filled.end(), false) != filled.end(); };
  for (BasicBlock *block = site.getParent(); block && missing(); block = block->getSinglePredecessor()) {
    auto at = block == site.getParent() ? site.getReverseIterator() : block->rbegin();
    for (; at != block->rend() && missing(); ++at) {
      if (const auto *fill = dyn_cast<MemIntrinsic>(&*at);
          fill && getUnderlyingObject(fill->getDest()) == memory)
        return pieces;
      auto *store = dyn_cast<StoreInst>(&*at);
      if (!store || getUnderlyingObject(store->getPointerOperand()) != memory)
        continue;
      int64_t offset = 0;
      if (GetPointerBaseWithConstantOffset(store->getPointerOperand(), offset, layout) != memory)
        return pieces;
      const int64_t size =
          int64_t(layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue());
      offset -= begin;
      if (offset + size <= 0 || offset >= int64_t(bytes))
        continue;
      const int64_t first = std::max<int64_t>(offset, 0), last = std::min<int64_t>(offset + size, bytes);
      const bool whole =
          offset >= 0 && offset + size <= int64_t(bytes) &&
          std::none_of(filled.begin() + first, filled.begin() + last, [](bool b) { return b; });
      std::fill(filled.begin() + first, filled.begin() + last, true);
      if (whole)
        pieces.push_back({uint32_t(offset), store->getValueOperand()});
    }
  }
  llvm::sort(pieces, [](const Piece &a, const Piece &b) { return a.byte < b.byte; });
  return pieces;
}

/// Bits of a value: `count` from bit `low` on, as it would lie in memory.
struct Source {
  Value *value;
  uint64_t low, count;
};

uint64_t widthOf(const Type *type) {
  return type->getPrimitiveSizeInBits().getFixedValue();
}

// Where these bits come from, one step further back: only past operations that take bits apart or put them
// together. Null if they are computed here.
Value *stepBackFrom(Source &bits) {
  auto *made = dyn_cast<Instruction>(bits.value);
  if (!made)
    return nullptr;
  const auto whole = [&](uint64_t low, uint64_t width) {
    return bits.low >= low && bits.low + bits.count <= low + width;
  };
  const auto apart = [&](uint64_t low, uint64_t width) {
    return bits.low + bits.count <= low || bits.low >= low + width;
  };
  Value *from = made->getNumOperands() ? made->getOperand(0) : nullptr;
  const auto *amount = made->getNumOperands() > 1 ? dyn_cast<ConstantInt>(made->getOperand(1)) : nullptr;
  switch (made->getOpcode()) {
  case Instruction::BitCast: return widthOf(from->getType()) ? from : nullptr;
  case Instruction::Freeze:
  case Instruction::Trunc:
    return made->getType()->isVectorTy() && made->getOpcode() == Instruction::Trunc ? nullptr : from;
  case Instruction::ZExt:
    return !made->getType()->isVectorTy() && whole(0, widthOf(from->getType())) ? from : nullptr;
  case Instruction::LShr:
  case Instruction::Shl: {
    if (!amount)
      return nullptr;
    const uint64_t by = amount->getZExtValue(), width = widthOf(made->getType());
    const bool right = made->getOpcode() == Instruction::LShr;
    if (right ? bits.low + by + bits.count > width : bits.low < by)
      return nullptr;
    bits.low = right ? bits.low + by : bits.low - by;
    return from;
  }
  case Instruction::Or:
  case Instruction::And: { // one side leaves these bits as they are
    const bool either = made->getOpcode() == Instruction::Or;
    for (unsigned i = 0; i < 2 && !made->getType()->isVectorTy(); ++i) {
      const KnownBits known = computeKnownBits(made->getOperand(i), made->getDataLayout());
      if ((either ? known.Zero : known.One).extractBits(unsigned(bits.count), unsigned(bits.low)).isAllOnes())
        return made->getOperand(1 - i);
    }
    return nullptr;
  }
  case Instruction::ExtractElement:
    if (!amount)
      return nullptr;
    bits.low += amount->getZExtValue() * widthOf(made->getType());
    return from;
  case Instruction::InsertElement: {
    const auto *index = dyn_cast<ConstantInt>(made->getOperand(2));
    const uint64_t width = widthOf(made->getOperand(1)->getType());
    if (!index)
      return nullptr;
    const uint64_t low = index->getZExtValue() * width;
    if (apart(low, width))
      return from;
    if (!whole(low, width))
      return nullptr;
    bits.low -= low;
    return made->getOperand(1);
  }
  case Instruction::ShuffleVector: {
    const auto *shuffle = cast<ShuffleVectorInst>(made);
    const uint64_t width = widthOf(made->getType()->getScalarType()), first = bits.low / width;
    const int half = int(cast<FixedVectorType>(from->getType())->getNumElements());
    const int begin = shuffle->getMaskValue(unsigned(first));
    for (uint64_t i = first; i * width < bits.low + bits.count; ++i) {
      const int element = shuffle->getMaskValue(unsigned(i));
      if (element < 0 || element != begin + int(i - first) || element / half != begin / half)
        return nullptr;
    }
    bits.low = bits.low % width + uint64_t(begin % half) * width;
    return made->getOperand(begin < half ? 0 : 1);
  }
  default: return nullptr;
  }
}

Source sourceOf(Value *value, uint64_t low, uint64_t count) {
  Source bits{value, low, count};
  while (Value *from = stepBackFrom(bits))
    bits.value = from;
  return bits;
}

// Those bits of a value of any type without pointers.
Value *take(IRBuilder<> &b, Value *value, uint64_t low, uint64_t count) {
  const uint64_t width = widthOf(value->getType());
  value = b.CreateBitCast(value, b.getIntNTy(unsigned(width)));
  return b.CreateTrunc(b.CreateLShr(value, low), b.getIntNTy(unsigned(count)));
}

/// A store to a variable that was left in memory.
struct Write {
  StoreInst *store;
  uint64_t low; ///< bits of the variable before it
};

// Whether the memory is only loaded from and stored to at constant places; all stores to it.
bool writesTo(AllocaInst &memory, SmallVectorImpl<Write> &writes) {
  const DataLayout &layout = memory.getDataLayout();
  SmallVector<Value *> work{&memory};
  while (!work.empty()) {
    Value *pointer = work.pop_back_val();
    for (User *user : pointer->users()) {
      if (isa<LoadInst, DbgInfoIntrinsic, MemSetInst>(user))
        continue; // memset gives memory that no lane has computed yet
      if (const auto *intrinsic = dyn_cast<IntrinsicInst>(user);
          intrinsic && intrinsic->isLifetimeStartOrEnd())
        continue;
      if (isa<GetElementPtrInst, BitCastInst>(user)) {
        work.push_back(user);
        continue;
      }
      auto *store = dyn_cast<StoreInst>(user);
      int64_t offset = 0;
      if (!store || store->getValueOperand() == pointer ||
          GetPointerBaseWithConstantOffset(store->getPointerOperand(), offset, layout) != &memory ||
          offset < 0 || !widthOf(store->getValueOperand()->getType()))
        return false;
      if (primitiveOf(*store->getValueOperand()) == Primitive::UnwrittenValue &&
          !memory.getAllocatedType()->isSingleValueType())
        continue; // stands for such a memset
      writes.push_back({store, uint64_t(offset) * 8});
    }
  }
  return true;
}

/// A site's operand in memory.
struct SimdOperand {
  uint32_t elements = 0, elementBytes = 0;
  uint32_t bytes() const { return elements * elementBytes; }
};

std::optional<SimdOperand> operandOf(const CallBase &site) {
  const std::optional<SimdOp> op = readsOneLaneAt(site);
  const std::optional<uint32_t> type = constantArgument(site, 1), count = constantArgument(site, 2);
  if (!op || !type || !count || *type >= kScalarTypes.size())
    return std::nullopt;
  return SimdOperand{simdOpInfo(*op).inputs * *count, kScalarTypes[*type].bytes};
}

// Whether part of the operand is indexed memory, or written by a loop, so that it is not a value yet.
bool isInMemory(CallBase &site) {
  const std::optional<SimdOperand> operand = operandOf(site);
  if (!operand)
    return false;
  uint64_t bytes = 0;
  for (const Piece &piece : piecesOf(site, operand->bytes())) {
    const uint64_t size = site.getDataLayout().getTypeStoreSize(piece.value->getType());
    bytes += size;
    for (uint64_t byte = 0; byte + operand->elementBytes <= size; byte += operand->elementBytes) {
      const auto *load = dyn_cast<LoadInst>(sourceOf(piece.value, byte * 8, operand->elementBytes * 8).value);
      if (load && isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand())))
        return true;
    }
  }
  return bytes < operand->bytes();
}

// ---- planting ----

struct Planter {
  Lowering &state;
  RegisterWeb webs;
  std::map<std::string, uint32_t> known = {}; ///< registers by what they hold
  struct Wanted {
    Source source;
    uint32_t number, byte;
  };
  std::vector<Wanted> wanted = {}; ///< planted once all sites have been looked at: a publish is a use, too

  explicit Planter(Lowering &state) : state(state), webs(*state.entry) {}

  void publishAfter(Instruction &made, Value *value, uint64_t low, uint64_t count, uint32_t number,
                    uint32_t byte) {
    IRBuilder<> b(made.getContext());
    if (isa<PHINode>(made))
      b.SetInsertPoint(made.getParent(), made.getParent()->getFirstInsertionPt());
    else
      b.SetInsertPoint(made.getNextNode());
    b.SetCurrentDebugLocation(made.getDebugLoc());
    if (DISubprogram *subprogram = made.getFunction()->getSubprogram(); subprogram && !made.getDebugLoc())
      b.SetCurrentDebugLocation(DILocation::get(made.getContext(), 0, 0, subprogram));
    value = take(b, value, low, count);
    std::string name = kPublish.str() + ".";
    raw_string_ostream(name) << *value->getType();
    FunctionCallee callee = state.module->getOrInsertFunction(
        name, FunctionType::get(b.getVoidTy(), {b.getInt32Ty(), b.getInt32Ty(), value->getType()}, false));
    auto *function = cast<Function>(callee.getCallee());
    for (auto kind : {Attribute::Convergent, Attribute::NoMerge, Attribute::NoUnwind, Attribute::WillReturn,
                      Attribute::NoFree, Attribute::NoCallback})
      function->addFnAttr(kind);
    function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly()); // in order with the sites
    b.CreateCall(callee, {b.getInt32(number), b.getInt32(byte), value});
  }

  // A phi is not new if everything that it can be has been published where it was made.
  static bool isNew(const Instruction &value, const RegisterWeb::Values &web) {
    const auto *phi = dyn_cast<PHINode>(&value);
    return !phi || any_of(phi->incoming_values(), [&](const Value *incoming) {
      return !isa<UndefValue>(incoming) && !is_contained(web, incoming);
    });
  }

  // The variable in memory that a value was loaded from, and the bit of it that the value begins with.
  static AllocaInst *variableOf(Instruction &made, uint64_t &low, SmallVectorImpl<Write> &writes) {
    auto *load = dyn_cast<LoadInst>(&made);
    int64_t offset = 0;
    auto *memory = load ? dyn_cast<AllocaInst>(GetPointerBaseWithConstantOffset(load->getPointerOperand(),
                                                                                offset, made.getDataLayout()))
                        : nullptr;
    if (!memory || offset < 0 || !writesTo(*memory, writes))
      return nullptr;
    low = uint64_t(offset) * 8;
    return memory;
  }

  void publish(const Source &source, uint32_t number, uint32_t byte) {
    auto *made = cast<Instruction>(source.value);
    uint64_t low = 0;
    SmallVector<Write> writes;
    if (variableOf(*made, low, writes)) {
      low += source.low;
      for (const Write &write : writes)
        if (write.low <= low &&
            low + source.count <= write.low + widthOf(write.store->getValueOperand()->getType()))
          publishAfter(*write.store, write.store->getValueOperand(), low - write.low, source.count, number,
                       byte);
      return;
    }
    const RegisterWeb::Values &web = webs.of(*made);
    for (Instruction *value : web)
      if (isNew(*value, web))
        publishAfter(*value, value, source.low, source.count, number, byte);
  }

  // Two operands that are the same values share a register: the steps of a scan have one.
  std::string nameOf(const Source &source, uint32_t byte) {
    auto *made = cast<Instruction>(source.value);
    uint64_t low = 0;
    SmallVector<Write> writes;
    const Instruction *variable = variableOf(*made, low, writes);
    const void *id = variable ? variable : webs.of(*made).front();
    return fmt::format("{}:{}[{},{}];", byte, id, low + source.low, source.count);
  }

  void giveRegister(CallBase &site) {
    const std::optional<SimdOperand> operand = operandOf(site);
    if (!operand)
      return;
    const uint32_t elementBytes = operand->elementBytes, elements = operand->elements;
    SmallVector<std::pair<uint32_t, Source>> sources;
    std::string name = fmt::format("{}x{};", elements, elementBytes);
    for (const Piece &piece : piecesOf(site, elements * elementBytes)) {
      const uint64_t size = site.getDataLayout().getTypeStoreSize(piece.value->getType());
      if (piece.byte % elementBytes || size % elementBytes || size * 8 != widthOf(piece.value->getType()))
        continue;
      // Element by element: a vector may combine elements that lanes have computed with others that they have
      // not.
      for (uint32_t byte = 0; byte < size; byte += elementBytes) {
        const Source source = sourceOf(piece.value, byte * 8, elementBytes * 8);
        if (!isa<Instruction>(source.value) || !widthOf(source.value->getType()) ||
            primitiveOf(*source.value) == Primitive::UnwrittenValue)
          continue; // a constant is what the reader has itself
        name += nameOf(source, piece.byte + byte);
        sources.push_back({piece.byte + byte, source});
      }
    }
    if (sources.empty())
      return;
    const auto [found, isNewRegister] = known.try_emplace(name, state.registers.size());
    const uint32_t number = found->second;
    if (isNewRegister) {
      state.registers.push_back({elements, elementBytes});
      for (const auto &[byte, source] : sources)
        wanted.push_back({source, number, byte});
    }
    site.addFnAttr(Attribute::get(site.getContext(), kRegister, std::to_string(number)));
  }
};

std::optional<uint32_t> registerOf(const CallBase &site) {
  uint32_t number = 0;
  if (!site.hasFnAttr(kRegister) || site.getFnAttr(kRegister).getValueAsString().getAsInteger(10, number))
    return std::nullopt;
  return number;
}

// ---- who is too early ----

/// Finds the publishes before which lanes have to wait.
struct Early {
  Function &entry;
  const Uniformity &uniformity;
  const Reconvergence &numbers;
  SmallSetVector<CallBase *, 8> publishes = {};

  using Blocks = SmallPtrSet<const BasicBlock *, 16>;

  // Loops are those of `numbers`, with the bodies of `break` and `return`; -1 is none.
  bool contains(int loop, const BasicBlock *block) const {
    return numbers.isInside(numbers.innermost.lookup(block), loop);
  }

  // Whether the edge begins the next iteration of a loop around the block; that loop.
  int nextIteration(const BasicBlock *from, const BasicBlock *to, const BasicBlock *around) const {
    const int loop = numbers.innermost.lookup(to);
    const bool begins = loop != -1 && numbers.loops[size_t(loop)].header == to && contains(loop, from) &&
                        contains(loop, around);
    return begins ? loop : -1;
  }

  // The blocks from which a lane can still reach the block in the same iteration of the loops around that
  // block.
  Blocks before(const BasicBlock *block) const {
    Blocks seen{block};
    SmallVector<const BasicBlock *> work{block};
    while (!work.empty()) {
      const BasicBlock *at = work.pop_back_val();
      for (const BasicBlock *from : predecessors(at))
        if (nextIteration(from, at, block) == -1 && seen.insert(from).second)
          work.push_back(from);
    }
    return seen;
  }

  // Whether a lane that waits at `a` is ahead of those that wait at `b`, in the same iteration of the loops
  // around both.
  bool isAhead(const Instruction &a, const Instruction &b) const {
    const std::vector<SiteLoop> ofA = numbers.loopsAround(a), ofB = numbers.loopsAround(b);
    for (size_t depth = 0;; ++depth) {
      const bool inA = depth < ofA.size(), inB = depth < ofB.size();
      const uint32_t orderA = inA ? ofA[depth].order : numbers.order.lookup(&a);
      const uint32_t orderB = inB ? ofB[depth].order : numbers.order.lookup(&b);
      if (orderA != orderB || !inA || !inB)
        return orderA > orderB;
    }
  }

  // From a block that a lane reaches past the site: to every publish that it then reaches without waiting.
  void walk(const CallBase &site, uint32_t number, const BasicBlock *begin, int laterAtBegin) {
    // With each block: the loop around the site, if any, of which the lane is in a later iteration.
    using Place = std::pair<const BasicBlock *, int>;
    SmallVector<Place> work{{begin, laterAtBegin}};
    SmallSet<Place, 16> seen;
    while (!work.empty()) {
      const auto [block, later] = work.pop_back_val();
      if (!seen.insert({block, later}).second)
        continue;
      bool waits = false;
      for (const Instruction &instruction : *block) {
        if (isSite(instruction)) {
          waits =
              (later != -1 && contains(later, block)) || &instruction == &site || isAhead(instruction, site);
          if (waits)
            break;
        }
        if (primitiveOf(instruction) != Primitive::Publish)
          continue;
        auto &publish = const_cast<CallBase &>(cast<CallBase>(instruction));
        if (constantArgument(publish, 0) == number)
          publishes.insert(&publish);
      }
      if (waits)
        continue;
      for (const BasicBlock *next : successors(block)) {
        const int again = nextIteration(block, next, site.getParent());
        work.push_back({next, again != -1 ? again : later});
      }
    }
  }

  // Lanes part from those that will perform the site where one way leads past it, and where they leave a loop
  // around it that others stay in.
  void from(const CallBase &site, uint32_t number) {
    const BasicBlock *at = site.getParent();
    const Blocks ahead = before(at);
    for (const BasicBlock &block : entry) {
      if (!uniformity.isDivergent(block))
        continue;
      for (const BasicBlock *next : successors(&block)) {
        const int again = nextIteration(&block, next, at);
        const bool past = ahead.contains(&block) && &block != at && (again != -1 || !ahead.contains(next));
        bool leaves = false;
        for (int loop = numbers.innermost.lookup(at); loop != -1; loop = numbers.loops[size_t(loop)].parent)
          leaves |= contains(loop, &block) && !contains(loop, next);
        if (past || leaves)
          walk(site, number, next, again);
      }
    }
  }
};

} // namespace

void publishOperands(Lowering &state, Optimizer &optimizer) {
  if (state.options.numerics.inactiveLanes != InactiveLanes::Register)
    return;
  Function &entry = *state.entry;
  optimizer.forget(entry);
  SmallVector<CallBase *> sites = sitesThatMayMissLanes(entry, optimizer.analyses());
  if (any_of(sites, [](CallBase *site) { return isInMemory(*site); })) {
    optimizer.unrollOperands(entry);
    sites = sitesThatMayMissLanes(entry, optimizer.analyses());
  }
  Planter planter(state);
  for (CallBase *site : sites)
    planter.giveRegister(*site);
  for (const Planter::Wanted &wanted : planter.wanted)
    planter.publish(wanted.source, wanted.number, wanted.byte);
  optimizer.forget(entry);
}

void placeRegisters(Lowering &state, FunctionAnalysisManager &analyses) {
  if (state.registers.empty())
    return;
  Function &entry = *state.entry;
  for (CallBase *site : sitesThatMayMissLanes(entry, analyses))
    if (const std::optional<uint32_t> number = registerOf(*site))
      state.registers[*number].used = true;
  uint32_t bytes = 0;
  for (OperandRegister &operand : state.registers) {
    operand.place = bytes;
    if (operand.used)
      bytes += uint32_t(alignTo(operand.elements * (operand.elementBytes + 1), 16));
  }
  state.info.publishedBytes = bytes;

  SmallVector<Instruction *> sites;
  for (Instruction &instruction : make_early_inc_range(instructions(entry)))
    if (isSite(instruction))
      sites.push_back(&instruction);
    else if (primitiveOf(instruction) == Primitive::Publish &&
             !state.registers[*constantArgument(cast<CallBase>(instruction), 0)].used)
      instruction.eraseFromParent();
  if (!bytes)
    return;

  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(entry);
  const Uniformity uniformity(entry, loops, analyses.getResult<PostDominatorTreeAnalysis>(entry));
  const Reconvergence numbers =
      numberSites(entry, loops, analyses.getResult<DominatorTreeAnalysis>(entry), sites);
  Early early{entry, uniformity, numbers};
  for (const Instruction *site : sites)
    if (const auto number = registerOf(cast<CallBase>(*site)); number && state.registers[*number].used)
      early.from(cast<CallBase>(*site), *number);
  for (CallBase *publish : early.publishes)
    meetBefore(*publish);
}

std::optional<uint32_t> registerPlaceOf(const Lowering &state, const CallBase &site) {
  const std::optional<uint32_t> number = registerOf(site);
  if (!number || !state.registers[*number].used)
    return std::nullopt;
  return state.registers[*number].place;
}

void lowerPublish(Lowering &state, CallBase &publish) {
  const OperandRegister &operand = state.registers[*constantArgument(publish, 0)];
  const uint32_t byte = *constantArgument(publish, 1);
  Value *value = publish.getArgOperand(2);
  IRBuilder<> b(&publish);
  LaneLoads loads{b, state.lane()};
  Value *memory = loads.load(b.getPtrTy(), state.lane(), offsetof(LaneAbi, published));
  b.CreateAlignedStore(value, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, operand.place + byte),
                       Align(1));
  const uint64_t computed =
      operand.place + operand.elements * operand.elementBytes + byte / operand.elementBytes;
  b.CreateAlignedStore(b.getInt8(1), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, computed), Align(1));
  publish.eraseFromParent();
}

} // namespace assay::lowering
