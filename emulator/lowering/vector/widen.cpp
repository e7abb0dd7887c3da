// Instructions of the kernel for 32 lanes. See vectorize.h.
#include "vectorizer.h"

#include "lowering/atomic_order.h"
#include "lowering/primitives.h"
#include "lowering/runtime_functions.h"

#include "support/abi/lane_abi.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

// What is poison in a lane that the kernel would not have computed.
void dropPoison(Value *value) {
  if (auto *instruction = dyn_cast<Instruction>(value))
    instruction->dropPoisonGeneratingAnnotations();
}

} // namespace

void Vectorizer::widen(const Instruction &instruction) {
  if (isa<AllocaInst, DbgInfoIntrinsic>(instruction) || instruction.isLifetimeStartOrEnd())
    return;
  if (isAtomicOperation(instruction))
    return atomic(instruction);
  if (const auto *read = dyn_cast<LoadInst>(&instruction))
    return load(*read);
  if (const auto *write = dyn_cast<StoreInst>(&instruction))
    return store(*write);
  if (const auto *set = dyn_cast<MemSetInst>(&instruction))
    return fill(*set);
  if (const auto *moved = dyn_cast<MemTransferInst>(&instruction))
    return copy(*moved);
  if (const auto *called = dyn_cast<CallBase>(&instruction);
      called && (!isa<IntrinsicInst>(called) || !called->doesNotAccessMemory()))
    return call(*called);
  if (isa<FenceInst>(instruction)) {
    b_.Insert(instruction.clone());
    return;
  }
  const ShapeKind kind = shapes_.of(instruction).kind;
  if (isa<WithOverflowInst>(instruction) && kind == ShapeKind::Varying)
    return; // the parts that are extracted make it
  if (kind == ShapeKind::Uniform || kind == ShapeKind::Affine)
    return cloneScalar(instruction);
  if (!values_.isLazy(instruction))
    values_.setLanes(instruction, widened(instruction));
}

void Vectorizer::cloneScalar(const Instruction &instruction) {
  Value *made = nullptr;
  const bool isPrivate = shapes_.variableOf(instruction);
  const auto *cast = dyn_cast<CastInst>(&instruction);
  if (const auto *address = dyn_cast<GetElementPtrInst>(&instruction); address && isPrivate) {
    made = privateOffset(*address);
  } else if (cast && cast->getOperand(0)->getType()->isPointerTy() &&
             shapes_.variableOf(*cast->getOperand(0))) {
    made = values_.scalar(*cast->getOperand(0)); // a pointer into a private variable is a number
  } else if (isDisjointOr(instruction)) {
    made =
        b_.CreateAdd(values_.scalar(*instruction.getOperand(0)), values_.scalar(*instruction.getOperand(1)));
  } else {
    SmallVector<Value *> operands;
    for (const Use &operand : instruction.operands())
      operands.push_back(isa<Function>(operand) ? operand.get() : values_.scalar(*operand));
    made = cloned(b_, instruction, operands);
    if (made->getType() != values_.typeOf(instruction))
      made->mutateType(values_.typeOf(instruction));
    // Lane 0 need not take part: what does not hold for it is no reason for poison.
    if (shapes_.of(instruction).kind == ShapeKind::Affine)
      dropPoison(made);
  }
  values_.setScalar(instruction, made);
}

// A uniform pointer into a private variable.
Value *Vectorizer::privateOffset(const GetElementPtrInst &address) {
  const AddressTerms terms = *termsOf(address);
  Value *offset =
      b_.CreateAdd(values_.scalar(*address.getPointerOperand()), b_.getInt64(terms.constant.getZExtValue()));
  for (const auto &[index, scale] : terms.scaled)
    offset = b_.CreateAdd(offset, b_.CreateMul(b_.CreateSExtOrTrunc(values_.scalar(*index), b_.getInt64Ty()),
                                               b_.getInt64(scale.getZExtValue())));
  return offset;
}

// Varying: a vector of pointers, or of offsets in a private variable.
Value *Vectorizer::address(const GetElementPtrInst &address) {
  const AddressTerms terms = *termsOf(address);
  Value *uniform = b_.getInt64(terms.constant.getZExtValue()), *offset = nullptr;
  for (const auto &[index, scale] : terms.scaled) {
    Value *factor = b_.getInt64(scale.getZExtValue());
    if (shapes_.isUniform(*index)) {
      uniform = b_.CreateAdd(
          uniform, b_.CreateMul(b_.CreateSExtOrTrunc(values_.scalar(*index), b_.getInt64Ty()), factor));
      continue;
    }
    Value *term = b_.CreateMul(b_.CreateSExtOrTrunc(values_.lane(*index), wide(b_.getInt64Ty())),
                               b_.CreateVectorSplat(kLanes, factor));
    offset = offset ? b_.CreateAdd(offset, term) : term;
  }
  const Value &pointer = *address.getPointerOperand();
  if (shapes_.variableOf(address)) {
    Value *sum = b_.CreateAdd(values_.lane(pointer), b_.CreateVectorSplat(kLanes, uniform));
    return offset ? b_.CreateAdd(sum, offset) : sum;
  }
  if (shapes_.isUniform(pointer) && offset)
    return b_.CreateGEP(b_.getInt8Ty(), b_.CreatePtrAdd(values_.scalar(pointer), uniform), offset);
  Value *all = b_.CreateVectorSplat(kLanes, uniform);
  return b_.CreateGEP(b_.getInt8Ty(), values_.lane(pointer), offset ? b_.CreateAdd(all, offset) : all);
}

// Bits of a lane in another shape. Lanes are interleaved, so that the components of one lie side by side.
Components Vectorizer::bitCast(const CastInst &cast) {
  const Components from = values_.lanes(*cast.getOperand(0));
  Type *toLane = values_.laneTypeOf(cast);
  const unsigned toCount = componentsOf(cast.getType()), fromCount = unsigned(from.size());
  if (fromCount == toCount) {
    Components made;
    for (Value *part : from)
      made.push_back(b_.CreateBitCast(part, wide(toLane)));
    return made;
  }
  Value *joined = fromCount == 1 ? from[0] : interleaved(from);
  Value *cast32 = b_.CreateBitCast(joined, FixedVectorType::get(toLane, kLanes * toCount));
  return toCount == 1 ? Components{cast32} : apart(cast32, toCount);
}

Value *Vectorizer::interleaved(ArrayRef<Value *> parts) {
  Value *joined = concatenateVectors(b_, parts);
  SmallVector<int> order;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned part = 0; part < parts.size(); ++part)
      order.push_back(int(part * kLanes + lane));
  return b_.CreateShuffleVector(joined, order);
}

Components Vectorizer::apart(Value *joined, unsigned count) {
  if (count > 2 && isPowerOf2_32(count)) {
    // The even ones and the odd ones, and so on: fewer shuffles than to pick each from all.
    const auto half = [&](int first) {
      SmallVector<int> order;
      for (int i = first; i < int(kLanes * count); i += 2)
        order.push_back(i);
      return apart(b_.CreateShuffleVector(joined, order), count / 2);
    };
    const Components even = half(0), odd = half(1);
    Components parts;
    for (unsigned i = 0; i < count / 2; ++i)
      parts.append({even[i], odd[i]});
    return parts;
  }
  Components parts;
  for (unsigned part = 0; part < count; ++part) {
    SmallVector<int, kLanes> order;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      order.push_back(int(lane * count + part));
    parts.push_back(b_.CreateShuffleVector(joined, order));
  }
  return parts;
}

Components Vectorizer::widenedCall(const CallBase &call) {
  const auto &intrinsic = cast<IntrinsicInst>(call);
  const Intrinsic::ID id = intrinsic.getIntrinsicID();
  if (const std::optional<Instruction::BinaryOps> fold = foldOfComponents(id)) {
    const Components parts = values_.lanes(*call.getArgOperand(0));
    Value *folded = parts[0];
    for (unsigned part = 1; part < parts.size(); ++part)
      folded = b_.CreateBinOp(*fold, folded, parts[part]);
    return {folded};
  }
  const unsigned count = componentsOf(call.getType());
  SmallVector<Components> arguments;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    arguments.push_back(isVectorIntrinsicWithScalarOpAtArg(id, i)
                            ? Components{values_.scalar(*call.getArgOperand(i))}
                            : values_.lanes(*call.getArgOperand(i)));
  Components made;
  for (unsigned part = 0; part < count; ++part) {
    SmallVector<Value *> operands;
    SmallVector<Type *> types;
    if (isVectorIntrinsicWithOverloadTypeAtArg(id, -1))
      types.push_back(wide(call.getType()->getScalarType()));
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      operands.push_back(arguments[i].size() == 1 ? arguments[i][0] : arguments[i][part]);
      if (isVectorIntrinsicWithOverloadTypeAtArg(id, int(i)))
        types.push_back(operands.back()->getType());
    }
    CallInst *copy = b_.CreateCall(Intrinsic::getDeclaration(to_.getParent(), id, types), operands);
    if (isa<FPMathOperator>(copy))
      copy->copyFastMathFlags(&call);
    if (call.isNoBuiltin()) // LLVM would fold it without a flush (fp_arithmetic.h)
      copy->addFnAttr(Attribute::NoBuiltin);
    dropPoison(copy);
    made.push_back(copy);
  }
  return made;
}

Components Vectorizer::widened(const Instruction &instruction) {
  const auto part = [&](unsigned operand, unsigned i) {
    const Components parts = values_.lanes(*instruction.getOperand(operand));
    return parts[i];
  };
  Components made;
  const unsigned count = componentsOf(instruction.getType());
  if (const auto *called = dyn_cast<CallBase>(&instruction))
    return widenedCall(*called);
  if (const auto *pointer = dyn_cast<GetElementPtrInst>(&instruction))
    return {address(*pointer)};
  if (const auto *cast = dyn_cast<CastInst>(&instruction)) {
    const Value &from = *cast->getOperand(0);
    if (from.getType()->isPointerTy() && shapes_.variableOf(from))
      return values_.lanes(from);
    if (isa<BitCastInst>(cast))
      return bitCast(*cast);
    for (unsigned i = 0; i < count; ++i) {
      made.push_back(b_.CreateCast(cast->getOpcode(), part(0, i), wide(values_.laneTypeOf(instruction))));
      dropPoison(made.back());
    }
    return made;
  }
  if (const auto *extract = dyn_cast<ExtractElementInst>(&instruction)) {
    const Components parts = values_.lanes(*extract->getVectorOperand());
    if (const auto *index = dyn_cast<ConstantInt>(extract->getIndexOperand()))
      return {parts[index->getZExtValue()]};
    Value *index = values_.lane(*extract->getIndexOperand()), *result = parts[0];
    for (unsigned i = 1; i < parts.size(); ++i)
      result =
          b_.CreateSelect(b_.CreateICmpEQ(index, ConstantInt::get(index->getType(), i)), parts[i], result);
    return {result};
  }
  if (const auto *part = dyn_cast<ExtractValueInst>(&instruction)) {
    if (isa<AtomicCmpXchgInst>(part->getAggregateOperand()))
      return {values_.lanes(*part->getAggregateOperand())[part->getIndices()[0]]};
    const auto &whole = cast<WithOverflowInst>(*part->getAggregateOperand());
    Value *left = values_.lane(*whole.getLHS()), *right = values_.lane(*whole.getRHS());
    return {b_.CreateExtractValue(
        b_.CreateIntrinsic(whole.getIntrinsicID(), {left->getType()}, {left, right}), part->getIndices())};
  }
  if (const auto *insert = dyn_cast<InsertElementInst>(&instruction)) {
    made = values_.lanes(*insert->getOperand(0));
    Value *element = values_.lane(*insert->getOperand(1));
    if (const auto *index = dyn_cast<ConstantInt>(insert->getOperand(2))) {
      made[index->getZExtValue()] = element;
      return made;
    }
    Value *index = values_.lane(*insert->getOperand(2));
    for (unsigned i = 0; i < made.size(); ++i)
      made[i] =
          b_.CreateSelect(b_.CreateICmpEQ(index, ConstantInt::get(index->getType(), i)), element, made[i]);
    return made;
  }
  if (const auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction)) {
    Components parts = values_.lanes(*shuffle->getOperand(0));
    append_range(parts, values_.lanes(*shuffle->getOperand(1)));
    for (const int index : shuffle->getShuffleMask())
      made.push_back(index < 0 ? Constant::getNullValue(wide(values_.laneTypeOf(instruction)))
                               : parts[unsigned(index)]);
    return made;
  }
  if (const auto *choice = dyn_cast<SelectInst>(&instruction)) {
    const bool uniform =
        shapes_.isUniform(*choice->getCondition()) && !choice->getCondition()->getType()->isVectorTy();
    const Components conditions = uniform ? Components{values_.scalar(*choice->getCondition())}
                                          : values_.lanes(*choice->getCondition());
    for (unsigned i = 0; i < count; ++i)
      made.push_back(b_.CreateSelect(conditions[conditions.size() == 1 ? 0 : i], part(1, i), part(2, i)));
    return made;
  }
  if (const auto *compare = dyn_cast<CmpInst>(&instruction)) {
    for (unsigned i = 0; i < count; ++i) {
      made.push_back(b_.CreateCmp(compare->getPredicate(), part(0, i), part(1, i)));
      if (isa<FPMathOperator>(instruction) && isa<Instruction>(made.back()))
        cast<Instruction>(made.back())->copyFastMathFlags(&instruction);
    }
    return made;
  }
  if (isa<FreezeInst>(instruction)) {
    for (unsigned i = 0; i < count; ++i)
      made.push_back(b_.CreateFreeze(part(0, i)));
    return made;
  }
  if (isa<UnaryOperator>(instruction)) {
    for (unsigned i = 0; i < count; ++i)
      made.push_back(cloned(b_, instruction, {part(0, i)}));
    for (Value *value : made)
      value->mutateType(wide(values_.laneTypeOf(instruction)));
    return made;
  }
  const auto &operation = cast<BinaryOperator>(instruction);
  for (unsigned i = 0; i < count; ++i) {
    Value *left = part(0, i), *right = part(1, i);
    Value *value = operation.isIntDivRem() ? divided(operation, left, right)
                                           : b_.CreateBinOp(operation.getOpcode(), left, right);
    if (auto *fresh = dyn_cast<Instruction>(value); fresh && isa<FPMathOperator>(fresh))
      fresh->copyFastMathFlags(&instruction);
    dropPoison(value);
    made.push_back(value);
  }
  return made;
}

// ---- calls ----

// A zero that LLVM does not know. Otherwise what is computed of lane numbers would become constants of 32
// lanes, and of those LLVM computes floats without a flush (it flushes one constant, not a vector of them)
// and NaNs with payloads.
Value *Vectorizer::zero() {
  static_assert(kLanes < 1u << 31);
  return b_.CreateLShr(laneField(b_.getInt32Ty(), offsetof(LaneAbi, lanes)), 31);
}

void Vectorizer::builtin(const CallBase &call) {
  const auto number = Builtin(*constantArgument(call, 0));
  const uint32_t component = *constantArgument(call, 1);
  const bool positions =
      number == Builtin::ThreadPositionInThreadgroup || number == Builtin::ThreadPositionInGrid;
  if (!shapes_.isVarying(call)) {
    // Lane 0's is what the runtime fills in for the call.
    Value *made = nullptr;
    if (number == Builtin::ThreadIndexInSimdgroup || number == Builtin::ThreadIndexInQuadgroup)
      made = zero();
    else if (Value *known = ofWhole(number, component))
      made = known;
    else
      made = cloned(b_, call, {call.getArgOperand(0), call.getArgOperand(1)});
    return values_.setScalar(call, made);
  }
  assert(positions && "every other built-in has a shape");
  (void)positions;
  Value *table = positionTable();
  Value *local = b_.CreateAlignedLoad(
      wide(b_.getInt32Ty()),
      b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), table, component * kLanes * sizeof(uint32_t)), Align(4));
  if (number == Builtin::ThreadPositionInGrid) {
    // The threadgroup's origin: lane 0's place in the grid less its place in the threadgroup.
    const auto ofLane0 = [&](Builtin which) -> Value * {
      if (Value *known = ofWhole(which, component))
        return known;
      return b_.CreateCall(call.getFunctionType(), call.getCalledOperand(),
                           {b_.getInt32(uint32_t(which)), b_.getInt32(component)});
    };
    Value *origin =
        b_.CreateSub(ofLane0(Builtin::ThreadPositionInGrid), ofLane0(Builtin::ThreadPositionInThreadgroup));
    local = b_.CreateAdd(local, b_.CreateVectorSplat(kLanes, origin));
  }
  values_.setLanes(call, {local});
}

// A call of the runtime, for each lane.
void Vectorizer::serialize(const CallBase &call) {
  forEachLane(mask_, [&](Value *lane) {
    setCurrent(lane);
    SmallVector<Value *> arguments;
    for (const Use &argument : call.args())
      arguments.push_back(isa<Argument>(argument) ? laneArgument() : values_.extracted(*argument, lane));
    b_.CreateCall(call.getFunctionType(), call.getCalledOperand(), arguments);
  });
}

// For memory of unknown origin: one question for all lanes, and one for each if that is not answered.
void Vectorizer::checkAccess(const CallBase &call) {
  const Value &bytes = *call.getArgOperand(3);
  setCurrent(firstOf(mask_));
  if (shapes_.isUniform(*call.getArgOperand(2)))
    return callOnce(call);
  if (!isa<ConstantInt>(bytes))
    return serialize(call);
  Value *addresses = values_.lane(*call.getArgOperand(2));
  const auto present = [&](uint64_t otherwise) {
    return b_.CreateSelect(mask_, addresses, b_.CreateVectorSplat(kLanes, b_.getInt64(otherwise)));
  };
  Value *low = b_.CreateIntMinReduce(present(~uint64_t(0)), /*IsSigned=*/false),
        *high = b_.CreateIntMaxReduce(present(0), /*IsSigned=*/false);
  Value *size = b_.CreateAdd(b_.CreateSub(high, low), values_.scalar(bytes));
  Value *known = b_.CreateCall(runtimeFunction(*state_.module, RuntimeCall::KnownMemory),
                               {laneArgument(), values_.scalar(*call.getArgOperand(1)), low, size});
  BasicBlock *each = newBlock("each"), *done = newBlock("known");
  b_.CreateCondBr(b_.CreateICmpNE(known, b_.getInt32(0)), done, each,
                  MDBuilder(to_.getContext()).createBranchWeights(1 << 20, 1));
  b_.SetInsertPoint(each);
  serialize(call);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

void Vectorizer::callOnce(const CallBase &call) {
  SmallVector<Value *> operands;
  for (const Use &operand : call.args())
    operands.push_back(isa<Argument>(operand) ? laneArgument() : values_.scalar(*operand));
  b_.CreateCall(call.getFunctionType(), call.getCalledOperand(), operands);
}

void Vectorizer::call(const CallBase &call) {
  if (const std::optional<Primitive> primitive = primitiveOf(call)) {
    if (*primitive == Primitive::Builtin)
      return builtin(call);
    if (*primitive == Primitive::Publish)
      return publish(call);
    SmallVector<Value *> operands;
    for (const Use &operand : call.args())
      operands.push_back(values_.scalar(*operand));
    return values_.setScalar(call, b_.CreateCall(call.getFunctionType(), call.getCalledOperand(), operands));
  }
  const std::optional<RuntimeCall> runtime = runtimeCallOf(call);
  if (!runtime)
    return; // an assumption, or the like
  if (*runtime == RuntimeCall::SimdOp)
    return simdCall(call);
  if (*runtime == RuntimeCall::ObserveAccess || *runtime == RuntimeCall::ObserveFence)
    return keepReport(call, *runtime);
  if (*runtime == RuntimeCall::UnwrittenRead)
    return tellUnwritten(call);
  if (*runtime == RuntimeCall::ThreadgroupBarrier)
    keepMeeting(call);
  if (parks(*call.getParent()))
    return; // emitReturn calls the runtime
  if (*runtime == RuntimeCall::Refuse)
    return serialize(call);
  if (*runtime == RuntimeCall::CheckAccess)
    return checkAccess(call);
  callOnce(call);
}

} // namespace assay::lowering::vector
