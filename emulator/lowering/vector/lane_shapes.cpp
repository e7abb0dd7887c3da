// See lane_shapes.h.
#include "lane_shapes.h"

#include "lowering/primitives.h"

#include "support/abi/lane_abi.h"
#include "support/abi/runtime_call.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

const Shape kUniform{ShapeKind::Uniform};
const Shape kVarying{ShapeKind::Varying};

int64_t wrapped(int64_t value, unsigned bits) {
  return bits >= 64 ? value : SignExtend64(uint64_t(value), bits);
}

// Uniform if all distances are zero.
Shape affine(const Distances &distances, unsigned lowZeros, bool conditional, unsigned bits) {
  Shape shape{ShapeKind::Affine, distances, std::min(lowZeros, bits), conditional};
  for (int64_t &distance : shape.distances)
    distance = wrapped(distance, bits);
  return all_of(shape.distances, [](int64_t d) { return d == 0; }) && !conditional ? kUniform : shape;
}

bool allBelow(const Distances &distances, unsigned lowZeros) {
  return lowZeros < 63 && all_of(distances, [&](int64_t d) { return d >= 0 && d < int64_t(1) << lowZeros; });
}

template <class F> Distances mapped(const Distances &distances, F change) {
  Distances result;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    result[lane] = change(distances[lane]);
  return result;
}

Shape consecutive(unsigned lowZeros, unsigned lanesEach = 1, unsigned period = kLanes) {
  Distances distances;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    distances[lane] = lane % period / lanesEach;
  return {ShapeKind::Affine, distances, lowZeros, false};
}

unsigned bitsOf(const Type *type) {
  return type->isPointerTy() ? 64 : type->getScalarSizeInBits();
}

bool mayBeAffine(const Type *type) {
  return type->isPointerTy() ||
         (type->isIntegerTy() && type->getIntegerBitWidth() >= 8 && type->getIntegerBitWidth() <= 64);
}

unsigned lowZerosOf(const Shape &shape, const Value &value, const DataLayout &layout) {
  if (shape.kind == ShapeKind::Affine)
    return shape.lowZeros;
  return value.getType()->isIntegerTy() ? computeKnownBits(&value, layout).countMinTrailingZeros() : 0;
}

} // namespace

std::optional<AddressTerms> termsOf(const GetElementPtrInst &address) {
  AddressTerms terms;
  const DataLayout &layout = address.getFunction()->getDataLayout();
  return address.collectOffset(layout, 64, terms.scaled, terms.constant) ? std::optional(terms)
                                                                         : std::nullopt;
}

uint64_t constantDivisor(const Instruction &instruction) {
  const auto *number =
      instruction.getNumOperands() == 2 ? dyn_cast<ConstantInt>(instruction.getOperand(1)) : nullptr;
  if (!number || number->getBitWidth() > 64)
    return 0;
  const uint64_t value = number->getZExtValue();
  switch (instruction.getOpcode()) {
  case Instruction::LShr:
  case Instruction::AShr: return value < number->getBitWidth() && value < 62 ? uint64_t(1) << value : 0;
  case Instruction::UDiv:
  case Instruction::SDiv: return number->getSExtValue() > 0 ? value : 0;
  default: return 0;
  }
}

bool isDisjointOr(const Instruction &instruction) {
  const auto *either = dyn_cast<PossiblyDisjointInst>(&instruction);
  return either && either->isDisjoint();
}

std::optional<RuntimeCall> runtimeCallOf(const Value &value) {
  const auto *call = dyn_cast<CallBase>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->getName().starts_with("assay_rt_"))
    return std::nullopt;
  for (const RuntimeCallInfo &info : kRuntimeCalls)
    if (callee->getName() == info.symbol)
      return info.call;
  return std::nullopt;
}

uint32_t siteOfCall(const CallBase &call) {
  return uint32_t(cast<ConstantInt>(call.getArgOperand(1))->getZExtValue());
}

LaneShapes::LaneShapes(Lowering &state, Function &function, const LoopInfo &loops, const Reconvergence &order,
                       GroupShape group)
    : state_(state), function_(function), loops_(loops), order_(order), group_(group),
      flow_(function, order) {
  if (!flow_.refusal().empty())
    return;
  findVariables();
  const ReversePostOrderTraversal<Function *> blocks(&function);
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock *block : blocks) {
      for (const Instruction &instruction : *block) {
        const Shape made = shapeOf(instruction);
        if (made.kind == ShapeKind::Unknown)
          continue;
        Shape &known = shapes_[&instruction];
        if (known.kind == ShapeKind::Varying || known == made)
          continue;
        // Only downwards: a second pair of distances means that there are none.
        const bool lower = known.kind < made.kind;
        const bool weaker = known.kind == made.kind && known.distances == made.distances &&
                            made.lowZeros <= known.lowZeros && made.conditional >= known.conditional;
        known = lower || weaker ? made : kVarying;
        changed = true;
      }
      const Instruction &end = *block->getTerminator();
      if (const auto *branch = dyn_cast<BranchInst>(&end);
          branch && branch->isConditional() && !isUniform(*branch->getCondition()) &&
          of(*branch->getCondition()).kind != ShapeKind::Unknown)
        changed |= flow_.part(*block);
    }
    changed |= flow_.spread();
    if (!changed)
      changed = flow_.spreadAfterBarriers();
  }
  for (const BasicBlock *block : blocks)
    for (const Instruction &instruction : *block)
      if (!instruction.getType()->isVoidTy() && of(instruction).kind == ShapeKind::Unknown)
        refusal_ = "a value that depends on itself alone";
}

const Shape &LaneShapes::of(const Value &value) const {
  if (isa<Constant, Argument, BasicBlock, MetadataAsValue>(value))
    return kUniform;
  const auto found = shapes_.find(&value);
  static const Shape unknown;
  return found == shapes_.end() ? unknown : found->second;
}

// ---- private variables ----

void LaneShapes::findVariables() {
  for (Instruction &instruction : instructions(function_))
    if (auto *variable = dyn_cast<AllocaInst>(&instruction))
      variables_[variable] = variable;
  // Optimistic through phis: a phi is in the variable of the operands that are known, and leaves it again if
  // another one disagrees.
  DenseSet<const Value *> several;
  for (bool changed = true; changed;) {
    changed = false;
    for (Instruction &instruction : instructions(function_)) {
      if (!instruction.getType()->isPointerTy() || isa<AllocaInst>(instruction) ||
          several.contains(&instruction))
        continue;
      SmallVector<const Value *> from;
      if (isa<GetElementPtrInst, AddrSpaceCastInst, FreezeInst>(instruction))
        from.push_back(instruction.getOperand(0));
      else if (const auto *phi = dyn_cast<PHINode>(&instruction))
        append_range(from, phi->incoming_values());
      else if (const auto *choice = dyn_cast<SelectInst>(&instruction))
        from = {choice->getTrueValue(), choice->getFalseValue()};
      AllocaInst *in = nullptr;
      bool differ = false;
      for (const Value *pointer : from) {
        AllocaInst *one = variables_.lookup(pointer);
        differ |=
            several.contains(pointer) || (one && in && one != in) || (!one && !isa<Instruction>(pointer));
        in = one ? one : in;
      }
      if (differ && in) {
        several.insert(&instruction);
        variables_.erase(&instruction);
        changed = true;
      } else if (in && variables_.lookup(&instruction) != in) {
        variables_[&instruction] = in;
        changed = true;
      }
    }
  }
}

// ---- values ----

bool LaneShapes::isHeaderPhi(const PHINode &phi) const {
  const Loop *loop = loops_.getLoopFor(phi.getParent());
  return loop && loop->getHeader() == phi.getParent() && loop->getLoopPreheader() && loop->getLoopLatch();
}

Shape LaneShapes::ofPhi(const PHINode &phi) const {
  const auto mayDiffer = [&](const BasicBlock *from) { return flow_.mayPart(*from); };
  // What lanes take out of a loop in different iterations.
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const auto *value = dyn_cast<Instruction>(phi.getIncomingValue(i));
    if (!value || !mayDiffer(phi.getIncomingBlock(i)))
      continue;
    const Loop *loop = loops_.getLoopFor(value->getParent());
    if (loop && !loop->contains(phi.getParent()))
      return kVarying;
    // The body of a `break` belongs to a loop, too: leaving_values.h.
    if (flow_.isBreakBody(*value->getParent()) &&
        !order_.isInside(order_.innermost.lookup(phi.getParent()),
                         order_.innermost.lookup(value->getParent())))
      return kVarying;
  }
  if (phi.getNumIncomingValues() == 1)
    return of(*phi.getIncomingValue(0));
  if (!isHeaderPhi(phi) && !phi.hasConstantValue() && any_of(phi.blocks(), mayDiffer))
    return kVarying;
  Shape result;
  for (const Value *value : phi.incoming_values()) {
    const Shape &shape = of(*value);
    if (value == &phi || shape.kind == ShapeKind::Unknown)
      continue;
    // Any value would do. Not at the head of a loop: what is undefined at first and then comes out of the
    // loop itself would have no shape at all.
    if (isa<UndefValue>(value) && !isHeaderPhi(phi))
      continue;
    if (shape.kind == ShapeKind::Varying || shape.conditional)
      return kVarying;
    if (result.kind == ShapeKind::Unknown) {
      result = shape;
      if (shape.kind == ShapeKind::Affine)
        result.lowZeros = lowZerosOf(shape, *value, function_.getDataLayout());
    } else if (result.kind != shape.kind || result.distances != shape.distances) {
      return kVarying;
    } else {
      result.lowZeros = std::min(result.lowZeros, shape.lowZeros);
    }
  }
  return result;
}

// A simdgroup begins at a thread whose number is a multiple of 32.
Shape LaneShapes::ofPosition(unsigned component, bool inGrid) const {
  if (!group_.known())
    return kVarying;
  const unsigned columns = group_.columns, rows = group_.rows, slices = kLanes / (columns * rows);
  const auto repeating = [&](unsigned step, unsigned count, bool alignedInGrid) {
    if (count == 1)
      return kUniform;
    // If the lanes have every x of a row, lane 0 has the first.
    const bool whole = count * step < kLanes;
    const unsigned zeros = inGrid && !alignedInGrid ? 0 : inGrid || !whole ? Log2_32(count) : 32;
    Distances distances;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      distances[lane] = lane / step % count;
    return affine(distances, zeros, false, 32);
  };
  switch (component) {
  case 0: return repeating(1, columns, group_.aligned);
  case 1: return repeating(columns, rows, group_.aligned);
  default: return repeating(columns * rows, slices, false);
  }
}

Shape LaneShapes::ofBuiltin(Builtin builtin, unsigned component) const {
  switch (builtin) {
  case Builtin::ThreadIndexInSimdgroup: return consecutive(32);
  case Builtin::ThreadIndexInThreadgroup: return consecutive(5);
  case Builtin::ThreadIndexInQuadgroup: return consecutive(32, 1, 4);
  case Builtin::QuadgroupIndexInThreadgroup: return consecutive(3, 4);
  case Builtin::SimdgroupIndexInThreadgroup: return kUniform;
  case Builtin::ThreadPositionInThreadgroup:
  case Builtin::ThreadPositionInGrid: return ofPosition(component, builtin == Builtin::ThreadPositionInGrid);
  default: return builtinInfo(builtin).scope == BuiltinScope::Group ? kUniform : kVarying;
  }
}

// Uniform if all operands are.
Shape LaneShapes::ofOperands(const User &user) const {
  bool known = true;
  for (const Use &operand : user.operands()) {
    const ShapeKind kind = of(*operand).kind;
    if (kind == ShapeKind::Affine || kind == ShapeKind::Varying)
      return kVarying;
    known &= kind != ShapeKind::Unknown;
  }
  return known ? kUniform : Shape();
}

Shape LaneShapes::ofCall(const CallBase &call) const {
  if (const std::optional<Primitive> primitive = primitiveOf(call)) {
    if (*primitive == Primitive::Builtin) {
      const std::optional<uint32_t> builtin = constantArgument(call, 0),
                                    component = constantArgument(call, 1);
      return builtin && component && *builtin < kBuiltinCount ? ofBuiltin(Builtin(*builtin), *component)
                                                              : kVarying;
    }
    const bool ofDispatch = *primitive == Primitive::BufferDevice ||
                            *primitive == Primitive::BufferConstant ||
                            *primitive == Primitive::ThreadgroupSlot || *primitive == Primitive::TensorRecord;
    return ofDispatch ? kUniform : kVarying;
  }
  if (!isa<IntrinsicInst>(call))
    return kVarying;
  if (!call.doesNotAccessMemory())
    return kVarying;
  return ofOperands(call);
}

// What a simd operation of the same block has just given to all lanes.
static bool isSameResult(const LoadInst &load) {
  for (const Instruction *at = load.getPrevNode(); at; at = at->getPrevNode()) {
    if (runtimeCallOf(*at) == RuntimeCall::SimdOp)
      return cast<CallBase>(at)->getArgOperand(3)->stripPointerCasts() ==
             load.getPointerOperand()->stripPointerCasts();
    if (at->mayWriteToMemory() && !at->isLifetimeStartOrEnd())
      return false;
  }
  return false;
}

static bool givesAllTheSame(const SiteInfo &site) {
  const SimdOp op = site.op;
  return op == SimdOp::BroadcastFirst || (op >= SimdOp::Sum && op <= SimdOp::Xor) || op == SimdOp::Ballot ||
         op == SimdOp::ActiveMask;
}

Shape LaneShapes::ofLoad(const LoadInst &load) const {
  // Lanes come to the body of a break in different iterations, and memory changes between them.
  if (!load.isSimple() || flow_.isBreakBody(*load.getParent()))
    return kVarying;
  const Shape &pointer = of(*load.getPointerOperand());
  if (pointer.kind == ShapeKind::Unknown)
    return {};
  if (variableOf(*load.getPointerOperand())) {
    if (pointer.kind == ShapeKind::Uniform && isSameResult(load))
      for (const Instruction *at = &load; at; at = at->getPrevNode())
        if (runtimeCallOf(*at) == RuntimeCall::SimdOp)
          return givesAllTheSame(state_.info.sites[siteOfCall(cast<CallBase>(*at))]) ? kUniform : kVarying;
    return kVarying;
  }
  return pointer.kind == ShapeKind::Uniform ? kUniform : kVarying;
}

Shape LaneShapes::ofBinary(const BinaryOperator &operation) const {
  const Value &left = *operation.getOperand(0), &right = *operation.getOperand(1);
  const Shape &a = of(left), &b = of(right);
  if (a.kind == ShapeKind::Unknown || b.kind == ShapeKind::Unknown)
    return {};
  if (a.kind == ShapeKind::Uniform && b.kind == ShapeKind::Uniform)
    return kUniform;
  if (a.kind == ShapeKind::Varying || b.kind == ShapeKind::Varying || !mayBeAffine(operation.getType()))
    return kVarying;
  const unsigned bits = operation.getType()->getIntegerBitWidth();
  const DataLayout &layout = function_.getDataLayout();
  const unsigned zerosA = lowZerosOf(a, left, layout), zerosB = lowZerosOf(b, right, layout);
  const bool conditional = a.conditional || b.conditional;
  const auto *constant = dyn_cast<ConstantInt>(&right);
  switch (isDisjointOr(operation) ? unsigned(Instruction::Add) : operation.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub: {
    const int64_t sign = operation.getOpcode() == Instruction::Sub ? -1 : 1;
    Distances sum;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      sum[lane] = int64_t(uint64_t(a.distances[lane]) + uint64_t(sign) * uint64_t(b.distances[lane]));
    return affine(sum, std::min(zerosA, zerosB), conditional, bits);
  }
  case Instruction::Mul:
    if (!constant)
      return kVarying;
    return affine(
        mapped(a.distances, [&](int64_t d) { return int64_t(uint64_t(d) * constant->getZExtValue()); }),
        zerosA + constant->getValue().countr_zero(), conditional, bits);
  case Instruction::Shl:
    if (!constant || constant->getValue().uge(bits))
      return kVarying;
    return affine(
        mapped(a.distances, [&](int64_t d) { return int64_t(uint64_t(d) << constant->getZExtValue()); }),
        zerosA + unsigned(constant->getZExtValue()), conditional, bits);
  default: break;
  }
  // The rest works on bits: lane 0's value has zeros where the distances are.
  if (!constant || !allBelow(a.distances, a.lowZeros) || conditional)
    return ofQuotient(operation);
  const uint64_t c = constant->getZExtValue();
  const unsigned zeros = a.lowZeros;
  const uint64_t low = zeros >= 64 ? ~0ull : (uint64_t(1) << zeros) - 1;
  switch (operation.getOpcode()) {
  case Instruction::And:
    return affine(mapped(a.distances, [&](int64_t d) { return int64_t(uint64_t(d) & c); }),
                  std::max(zeros, unsigned(constant->getValue().countr_zero())), false, bits);
  case Instruction::Or:
  case Instruction::Xor: {
    if (c & low) // it would change lane 0's own low bits, which are zero
      return kVarying;
    return affine(a.distances, zeros, false, bits);
  }
  case Instruction::LShr:
    if (c >= bits)
      return kVarying;
    return affine(mapped(a.distances, [&](int64_t d) { return d >> c; }), zeros > c ? zeros - unsigned(c) : 0,
                  false, bits);
  default: return ofQuotient(operation);
  }
}

// If the lanes are multiples of the divisor apart, their quotients are as many ones apart, unless a lane's
// value wraps (Values::collectConditions). Kernels that read vectors divide their index like that.
Shape LaneShapes::ofQuotient(const BinaryOperator &operation) const {
  const uint64_t by = constantDivisor(operation);
  const Shape &dividend = of(*operation.getOperand(0));
  if (!by || any_of(dividend.distances, [&](int64_t d) { return d % int64_t(by) != 0; }))
    return kVarying;
  const unsigned zeros = Log2_64(by);
  return affine(mapped(dividend.distances, [&](int64_t d) { return d / int64_t(by); }),
                isPowerOf2_64(by) && dividend.lowZeros > zeros ? dividend.lowZeros - zeros : 0, true,
                operation.getType()->getIntegerBitWidth());
}

Shape LaneShapes::ofCast(const CastInst &cast) const {
  const Shape &from = of(*cast.getOperand(0));
  if (from.kind != ShapeKind::Affine)
    return from;
  const unsigned bits = bitsOf(cast.getType());
  switch (cast.getOpcode()) {
  case Instruction::Trunc:
    return mayBeAffine(cast.getType()) ? affine(from.distances, from.lowZeros, from.conditional, bits)
                                       : kVarying;
  case Instruction::ZExt:
  case Instruction::SExt:
    if (!mayBeAffine(cast.getOperand(0)->getType()))
      return kVarying;
    // Below lane 0's lowest bit nothing is carried. (SExt: the top bit is lane 0's.)
    return affine(
        from.distances, from.lowZeros,
        from.conditional ||
            !allBelow(from.distances, std::min(from.lowZeros, bitsOf(cast.getOperand(0)->getType()) - 1)),
        bits);
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
  case Instruction::AddrSpaceCast: return bitsOf(cast.getOperand(0)->getType()) == bits ? from : kVarying;
  default: return kVarying;
  }
}

Shape LaneShapes::ofAddress(const GetElementPtrInst &address) const {
  const Shape &base = of(*address.getPointerOperand());
  if (base.kind == ShapeKind::Unknown)
    return {};
  bool uniform = base.kind == ShapeKind::Uniform;
  for (const Use &index : address.indices()) {
    const ShapeKind kind = of(*index).kind;
    if (kind == ShapeKind::Unknown)
      return {};
    uniform &= kind == ShapeKind::Uniform;
  }
  if (uniform)
    return kUniform;
  const std::optional<AddressTerms> terms = termsOf(address);
  if (base.kind == ShapeKind::Varying || !terms)
    return kVarying;
  Distances distances = base.distances;
  bool conditional = base.conditional;
  for (const auto &[index, scale] : terms->scaled) {
    const Shape &shape = of(*index);
    if (shape.kind == ShapeKind::Varying || index->getType()->getIntegerBitWidth() != 64)
      if (shape.kind != ShapeKind::Uniform)
        return kVarying;
    conditional |= shape.conditional;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      distances[lane] =
          int64_t(uint64_t(distances[lane]) + uint64_t(shape.distances[lane]) * scale.getZExtValue());
  }
  return affine(distances, 0, conditional, 64);
}

Shape LaneShapes::shapeOf(const Instruction &instruction) const {
  if (const auto *phi = dyn_cast<PHINode>(&instruction))
    return ofPhi(*phi);
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return ofLoad(*load);
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return ofCall(*call);
  if (const auto *operation = dyn_cast<BinaryOperator>(&instruction))
    return ofBinary(*operation);
  if (const auto *cast = dyn_cast<CastInst>(&instruction))
    return ofCast(*cast);
  if (const auto *address = dyn_cast<GetElementPtrInst>(&instruction))
    return ofAddress(*address);
  if (isa<AllocaInst>(instruction))
    return kUniform; // the same place in each lane's own memory
  if (instruction.mayReadOrWriteMemory())
    return kVarying;
  return ofOperands(instruction);
}

} // namespace assay::lowering::vector
