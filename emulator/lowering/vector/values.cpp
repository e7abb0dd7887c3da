// See values.h.
#include "values.h"

#include "lane_runs.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

Type *wide(Type *type) {
  return FixedVectorType::get(type, kLanes);
}

} // namespace

unsigned componentsOf(const Type *type) {
  if (const auto *structure = dyn_cast<StructType>(type))
    return structure->getNumElements();
  const auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

std::optional<Instruction::BinaryOps> foldOfComponents(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::vector_reduce_or: return Instruction::Or;
  case Intrinsic::vector_reduce_and: return Instruction::And;
  default: return std::nullopt;
  }
}

Distances laneNumbers(int64_t step) {
  Distances numbers;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    numbers[lane] = int64_t(lane) * step;
  return numbers;
}

Constant *laneConstants(Type *type, const Distances &distances) {
  SmallVector<Constant *, kLanes> constants;
  for (const int64_t distance : distances)
    constants.push_back(ConstantInt::get(type, uint64_t(distance), /*IsSigned=*/true));
  return ConstantVector::get(constants);
}

Value *cloned(IRBuilder<> &b, const Instruction &instruction, ArrayRef<Value *> operands) {
  Instruction *copy = instruction.clone();
  for (unsigned i = 0; i < operands.size(); ++i)
    copy->setOperand(i, operands[i]);
  b.Insert(copy, instruction.getName());
  copy->setDebugLoc(b.getCurrentDebugLocation());
  return copy;
}

Values::Values(const LaneShapes &shapes, Function &from, Function &to, IRBuilder<> &b)
    : shapes_(shapes), to_(to), b_(b) {
  findRuns(from);
  for (const Instruction &instruction : instructions(from)) {
    if (isa<PHINode>(instruction))
      crosses_.insert(&instruction);
    for (const User *user : instruction.users()) {
      const auto *use = cast<Instruction>(user);
      if (use->getParent() != instruction.getParent() || isa<PHINode>(use))
        crosses_.insert(&instruction);
    }
  }
  // What is made where it is used needs its operands there.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction &instruction : instructions(from))
      if (crosses_.contains(&instruction) && needsOperands(instruction))
        for (const Use &operand : instruction.operands())
          if (isa<Instruction>(operand))
            changed |= crosses_.insert(operand).second;
  }
}

// What accesses and bounds checks ask `at` for: shared_memory.cpp, flow.cpp.
void Values::findRuns(const Function &from) {
  for (const Instruction &instruction : instructions(from)) {
    const Value *value = getLoadStorePointerOperand(&instruction);
    if (const auto *compare = dyn_cast<ICmpInst>(&instruction);
        compare && compare->getPredicate() == ICmpInst::ICMP_UGE)
      value = compare->getOperand(0);
    if (!value || shapes_.variableOf(*value))
      continue;
    for (const unsigned length : kRunLengths)
      if (const auto runs = distancesInRuns(shapes_, *value, length))
        inRuns_.insert(runs->between.begin(), runs->between.end());
  }
}

bool Values::isScalar(const Value &value) const {
  const ShapeKind kind = shapes_.of(value).kind;
  return kind == ShapeKind::Uniform || kind == ShapeKind::Affine;
}

bool Values::isLazy(const Value &value) const {
  if (shapes_.of(value).kind == ShapeKind::Affine)
    return true;
  const auto *compare = dyn_cast<ICmpInst>(&value);
  return compare && shapes_.isVarying(value) && !compare->getType()->isVectorTy() &&
         isScalar(*compare->getOperand(0)) && isScalar(*compare->getOperand(1));
}

// Whether its lanes, or one of them, are made of those of its operands.
bool Values::needsOperands(const Value &value) const {
  if (inRuns_.contains(&value))
    return true;
  return isLazy(value) && (!isScalar(value) || shapes_.of(value).conditional);
}

Type *Values::typeOf(const Value &value) const {
  return shapes_.variableOf(value) ? Type::getInt64Ty(value.getContext()) : value.getType();
}

Type *Values::laneTypeOf(const Value &value) const {
  return typeOf(value)->getScalarType();
}

Type *Values::componentTypeOf(const Value &value, unsigned component) const {
  Type *type = typeOf(value);
  return type->isStructTy() ? type->getStructElementType(component) : type->getScalarType();
}

AllocaInst *Values::newSlot(Type *type, const Twine &name) {
  IRBuilder<> b(&*to_.getEntryBlock().begin());
  AllocaInst *slot = b.CreateAlloca(type, nullptr, name);
  b.SetInsertPoint(start_->getTerminator());
  b.CreateStore(Constant::getNullValue(type), slot);
  return slot;
}

SmallVector<AllocaInst *, 4> &Values::slots(const Value &value, const BasicBlock &block) {
  SmallVector<AllocaInst *, 4> &slots = slots_[&value];
  if (slots.empty()) {
    const unsigned count = isScalar(value) ? 1 : componentsOf(typeOf(value));
    for (unsigned i = 0; i < count; ++i) {
      Type *type = isScalar(value) ? typeOf(value) : wide(componentTypeOf(value, i));
      slots.push_back(newSlot(type, value.getName() + ".slot"));
      uses_[slots.back()].value = &value;
    }
  }
  for (AllocaInst *slot : slots)
    uses_[slot].blocks.insert(&block);
  return slots;
}

void Values::read(const Value &value) {
  if (scalar_.contains(&value) || lanes_.contains(&value) || isa<AllocaInst>(value))
    return;
  if (isLazy(value) && !isScalar(value))
    return;
  SmallVector<AllocaInst *, 4> &memory = slots(value, *block_);
  if (isScalar(value)) {
    scalar_[&value] = b_.CreateLoad(memory[0]->getAllocatedType(), memory[0]);
    return;
  }
  Components parts;
  for (AllocaInst *slot : memory)
    parts.push_back(b_.CreateLoad(slot->getAllocatedType(), slot));
  lanes_[&value] = std::move(parts);
}

void Values::readWithOperands(const Value &value, const BasicBlock &block) {
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction || (instruction->getParent() == &block && !isa<PHINode>(instruction)))
    return;
  if (shapes_.doomed(*instruction->getParent()))
    return;
  read(value);
  if (needsOperands(value))
    for (const Use &operand : instruction->operands())
      readWithOperands(*operand, block);
}

void Values::enter(const BasicBlock &block) {
  scalar_.clear();
  lanes_.clear();
  block_ = &block;
  const auto readOperands = [&](const Instruction &instruction) {
    if (!isa<PHINode>(instruction))
      for (const Use &operand : instruction.operands())
        readWithOperands(*operand, block);
  };
  for (const PHINode &phi : block.phis())
    read(phi);
  // Lazy operands of this block's own values, too.
  for (const Instruction &instruction : block)
    readOperands(instruction);
  SmallVector<const BasicBlock *> work(successors(&block));
  SmallPtrSet<const BasicBlock *, 8> seen;
  while (!work.empty()) {
    const BasicBlock *to = work.pop_back_val();
    if (!seen.insert(to).second)
      continue;
    for (const PHINode &phi : to->phis())
      for (const BasicBlock *from : phi.blocks())
        if (from == &block)
          readWithOperands(*phi.getIncomingValueForBlock(from), block);
    if (!shapes_.doomed(*to))
      continue;
    for (const Instruction &instruction : *to)
      readOperands(instruction);
    append_range(work, successors(to));
  }
}

Value *Values::scalar(const Value &value) {
  if (const auto *constant = dyn_cast<Constant>(&value))
    return const_cast<Constant *>(constant);
  if (const auto *argument = dyn_cast<Argument>(&value))
    return to_.getArg(argument->getArgNo());
  if (isa<AllocaInst>(value))
    return b_.getInt64(0);
  Value *found = scalar_.lookup(&value);
  assert(found && "a value of another block that was not read");
  return found;
}

Components Values::splat(Value *scalar) {
  Components parts;
  if (auto *type = dyn_cast<FixedVectorType>(scalar->getType())) {
    for (unsigned i = 0; i < type->getNumElements(); ++i)
      parts.push_back(b_.CreateVectorSplat(kLanes, b_.CreateExtractElement(scalar, i)));
    return parts;
  }
  parts.push_back(b_.CreateVectorSplat(kLanes, scalar));
  return parts;
}

// The lanes of a lazy value, from those of its operands.
Components Values::rebuilt(const Instruction &instruction) {
  if (const auto *address = dyn_cast<GetElementPtrInst>(&instruction)) {
    const AddressTerms terms = *termsOf(*address);
    Value *offset = b_.CreateVectorSplat(kLanes, b_.getInt64(terms.constant.getZExtValue()));
    for (const auto &[index, scale] : terms.scaled) {
      Value *wideIndex = b_.CreateSExtOrTrunc(lane(*index), wide(b_.getInt64Ty()));
      offset = b_.CreateAdd(
          offset, b_.CreateMul(wideIndex, b_.CreateVectorSplat(kLanes, b_.getInt64(scale.getZExtValue()))));
    }
    Value *base = lane(*address->getPointerOperand());
    return {shapes_.variableOf(instruction) ? b_.CreateAdd(base, offset)
                                            : b_.CreateGEP(b_.getInt8Ty(), base, offset)};
  }
  if (const auto *cast = dyn_cast<CastInst>(&instruction)) {
    Value *operand = lane(*cast->getOperand(0));
    if (shapes_.variableOf(*cast->getOperand(0)))
      return {operand}; // it is the number already
    return {b_.CreateCast(cast->getOpcode(), operand, wide(laneTypeOf(instruction)))};
  }
  if (const auto *compare = dyn_cast<ICmpInst>(&instruction))
    return {
        b_.CreateICmp(compare->getPredicate(), lane(*compare->getOperand(0)), lane(*compare->getOperand(1)))};
  if (const auto *operation = dyn_cast<BinaryOperator>(&instruction))
    return {b_.CreateBinOp(operation->getOpcode(), lane(*operation->getOperand(0)),
                           lane(*operation->getOperand(1)))};
  // The number that lanes take out of a loop together.
  if (const auto *phi = dyn_cast<PHINode>(&instruction); phi && phi->getNumIncomingValues() == 1)
    return lanes(*phi->getIncomingValue(0));
  llvm_unreachable("no such lazy value");
}

Components Values::lanes(const Value &value) {
  const Shape &shape = shapes_.of(value);
  if (shape.kind == ShapeKind::Uniform)
    return splat(scalar(value));
  if (shape.kind == ShapeKind::Affine) {
    if (shape.conditional)
      return rebuilt(cast<Instruction>(value));
    Value *base = scalar(value);
    Value *all = b_.CreateVectorSplat(kLanes, base);
    if (base->getType()->isPointerTy())
      return {b_.CreateGEP(b_.getInt8Ty(), base, laneConstants(b_.getInt64Ty(), shape.distances))};
    return {b_.CreateAdd(all, laneConstants(base->getType(), shape.distances))};
  }
  if (isLazy(value))
    return rebuilt(cast<Instruction>(value));
  const auto found = lanes_.find(&value);
  assert(found != lanes_.end() && "a value of another block that was not read");
  return found->second;
}

Value *Values::extracted(const Value &value, Value *lane) {
  if (shapes_.isUniform(value))
    return scalar(value);
  const Components parts = lanes(value);
  Value *whole = PoisonValue::get(value.getType());
  for (unsigned i = 0; i < parts.size() && value.getType()->isStructTy(); ++i)
    whole = b_.CreateInsertValue(whole, b_.CreateExtractElement(parts[i], lane), i);
  if (value.getType()->isStructTy())
    return whole;
  if (!isa<FixedVectorType>(value.getType()))
    return b_.CreateExtractElement(parts[0], lane);
  for (unsigned i = 0; i < parts.size(); ++i)
    whole = b_.CreateInsertElement(whole, b_.CreateExtractElement(parts[i], lane), i);
  return whole;
}

// Absent lanes may have any operands: no flag says that they do not.
Value *Values::at(const Value &value, unsigned lane) {
  if (isa<Constant>(value))
    return scalar(value);
  if (isScalar(value)) {
    const Shape &shape = shapes_.of(value);
    Value *first = isa<Argument>(value) ? scalar(value) : scalar_.lookup(&value);
    if (!first || shape.kind == ShapeKind::Uniform || lane == 0)
      return first;
    const auto distance = uint64_t(shape.distances[lane]);
    if (shape.conditional || shapes_.variableOf(value))
      return nullptr;
    return first->getType()->isPointerTy()
               ? b_.CreatePtrAdd(first, b_.getInt64(distance))
               : b_.CreateAdd(first, ConstantInt::get(first->getType(), distance, /*IsSigned=*/true));
  }
  if (!inRuns_.contains(&value))
    return nullptr;
  const auto &instruction = cast<Instruction>(value);
  SmallVector<Value *> operands;
  for (const Use &operand : instruction.operands()) {
    operands.push_back(at(*operand, lane));
    if (!operands.back())
      return nullptr;
  }
  Value *made = cloned(b_, instruction, operands);
  cast<Instruction>(made)->dropPoisonGeneratingFlags();
  return made;
}

void Values::collectConditions(const Value &value, Value *&all, SmallPtrSetImpl<const Value *> &seen) {
  const Shape &shape = shapes_.of(value);
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction || shape.kind != ShapeKind::Affine || !shape.conditional || !seen.insert(&value).second)
    return;
  for (const Use &operand : instruction->operands())
    collectConditions(*operand, all, seen);
  if (!isa<ZExtInst, SExtInst>(instruction) && !constantDivisor(*instruction))
    return;
  const Value &from = *instruction->getOperand(0);
  const Shape &source = shapes_.of(from);
  const auto [low, high] = std::minmax_element(source.distances.begin(), source.distances.end());
  Value *holds = extendsEvenly(*instruction, scalar(from), *low, *high);
  all = all ? b_.CreateAnd(all, holds) : holds;
}

Value *Values::extendsEvenly(const Instruction &extension, Value *first, int64_t low, int64_t high) {
  Type *type = first->getType();
  const unsigned bits = type->getIntegerBitWidth();
  const APInt range(bits, uint64_t(high - low));
  Value *lowest = b_.CreateAdd(first, ConstantInt::get(type, uint64_t(low), /*IsSigned=*/true));
  const bool isUnsigned = isa<ZExtInst>(extension) || extension.getOpcode() == Instruction::LShr ||
                          extension.getOpcode() == Instruction::UDiv;
  if (isUnsigned)
    return b_.CreateICmpULE(lowest, ConstantInt::get(type, APInt::getMaxValue(bits) - range));
  Value *fits = b_.CreateICmpSLE(lowest, ConstantInt::get(type, APInt::getSignedMaxValue(bits) - range));
  if (extension.getOpcode() != Instruction::SDiv)
    return fits;
  return b_.CreateAnd(fits, b_.CreateICmpSGE(lowest, Constant::getNullValue(type))); // it rounds to zero
}

Value *Values::condition(const Value &value) {
  Value *all = nullptr;
  SmallPtrSet<const Value *, 8> seen;
  collectConditions(value, all, seen);
  return all;
}

void Values::setScalar(const Value &value, Value *made) {
  scalar_[&value] = made;
  if (crosses_.contains(&value))
    b_.CreateStore(made, slots(value, *block_)[0]);
}

void Values::setLanes(const Value &value, Components made) {
  if (crosses_.contains(&value))
    for (unsigned i = 0; i < made.size(); ++i)
      b_.CreateStore(made[i], slots(value, *block_)[i]);
  lanes_[&value] = std::move(made);
}

void Values::assignPhis(const BasicBlock &from, const BasicBlock &to, Value *mask, bool all) {
  // All are read before any is written: one phi may be another one's operand.
  SmallVector<std::pair<AllocaInst *, Value *>> writes;
  Value *any = nullptr;
  for (const PHINode &phi : to.phis()) {
    const Value &incoming = *phi.getIncomingValueForBlock(&from);
    SmallVector<AllocaInst *, 4> &memory = slots(phi, from);
    if (isScalar(phi)) {
      if (isa<UndefValue>(incoming))
        continue;
      Value *value = scalar(incoming);
      // A loop's header reads what was written last: if no lane goes there, nobody does.
      if (!all && !shapes_.isLoopHeader(to)) {
        if (!any)
          any = b_.CreateOrReduce(mask);
        value = b_.CreateSelect(any, value, b_.CreateLoad(memory[0]->getAllocatedType(), memory[0]));
      }
      writes.push_back({memory[0], value});
      continue;
    }
    if (isa<UndefValue>(incoming))
      continue;
    const Components parts = lanes(incoming);
    for (unsigned i = 0; i < parts.size(); ++i) {
      Value *value = parts[i];
      if (!all)
        value = b_.CreateSelect(mask, value, b_.CreateLoad(memory[i]->getAllocatedType(), memory[i]));
      writes.push_back({memory[i], value});
    }
  }
  for (const auto &[slot, value] : writes)
    b_.CreateStore(value, slot);
}

} // namespace assay::lowering::vector
