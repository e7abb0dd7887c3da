// Operations between the lanes of a simdgroup. See vectorize.h.
//
// The usual ones are inline where all 32 lanes take part; the rest is a call of the same functions that
// fibers meet in (runtime/simd_eval.h), so that there is one definition of every mask and every order.
#include "vectorizer.h"

#include "lowering/primitives.h"
#include "lowering/runtime_functions.h"

#include "support/abi/lane_abi.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

bool isInteger(ScalarType type) {
  return type != ScalarType::Float && type != ScalarType::Half && type != ScalarType::BFloat;
}

bool isPrefix(SimdOp op) {
  return op == SimdOp::PrefixInclusiveSum || op == SimdOp::PrefixExclusiveSum ||
         op == SimdOp::PrefixInclusiveProduct || op == SimdOp::PrefixExclusiveProduct;
}

bool isSigned(ScalarType type) {
  return scalarTypeInfo(type).cls == ScalarClass::Signed;
}

// Which lane each lane reads, or -1 for its own value.
std::optional<int> sourceLane(SimdOp op, unsigned width, unsigned lane, uint32_t operand) {
  switch (op) {
  case SimdOp::Broadcast:
  case SimdOp::Shuffle: return operand < width ? int(operand) : -1;
  case SimdOp::BroadcastFirst: return 0; // all lanes take part
  case SimdOp::ShuffleXor: return operand < width ? int(lane ^ operand) : -1;
  case SimdOp::ShuffleUp: return operand <= lane ? int(lane - operand) : -1;
  case SimdOp::ShuffleDown: return operand < width - lane ? int(lane + operand) : -1;
  case SimdOp::ShuffleRotateUp: return int((lane - operand) % width);
  case SimdOp::ShuffleRotateDown: return int((lane + operand) % width);
  default: return std::nullopt;
  }
}

// A quad operation is the simd one in blocks of four (runtime/simd_eval.h).
std::pair<SimdOp, unsigned> formOf(SimdOp op) {
  if (op < SimdOp::QuadBroadcast || op > SimdOp::QuadActiveMask)
    return {op, kLanes};
  return {SimdOp(unsigned(op) - unsigned(SimdOp::QuadBroadcast) + unsigned(SimdOp::Broadcast)), 4};
}

} // namespace

// As a lane's private variable holds it.
Type *Vectorizer::typeOfScalar(ScalarType type) {
  if (type == ScalarType::Float)
    return b_.getFloatTy();
  if (type == ScalarType::Half)
    return b_.getHalfTy();
  return b_.getIntNTy(scalarTypeInfo(type).bytes * 8);
}

// The operands of a call, each component in all lanes.
Components Vectorizer::operandsOf(const CallBase &call, const SiteInfo &site) {
  Components parts;
  const unsigned inputs = simdOpInfo(site.op).inputs;
  Type *type = typeOfScalar(site.type);
  const uint64_t bytes = scalarTypeInfo(site.type).bytes;
  for (unsigned i = 0; i < inputs * site.count; ++i)
    parts.push_back(loadPrivate(*call.getArgOperand(2), i * bytes, type));
  return parts;
}

// The call of the runtime, under any mask.
Components Vectorizer::outOfLine(const CallBase &call, const SiteInfo &site, ArrayRef<Value *> operands) {
  const bool givesMask = simdOpInfo(site.op).result == SimdResult::Mask;
  Type *word = b_.getInt32Ty(), *result = givesMask ? b_.getInt64Ty() : typeOfScalar(site.type);
  const unsigned results = givesMask ? 1 : site.count;
  const auto memory = [&](Type *type, unsigned count, const char *name) {
    IRBuilder<> b(&*to_.getEntryBlock().begin());
    AllocaInst *made =
        b.CreateAlloca(ArrayType::get(type, uint64_t(kLanes) * std::max(count, 1u)), nullptr, name);
    made->setAlignment(Align(64));
    return made;
  };
  AllocaInst *in = memory(typeOfScalar(site.type), unsigned(operands.size()), "simd.in"),
             *out = memory(result, results, "simd.out"), *numbers = memory(word, 1, "simd.operand");
  if (!operands.empty())
    b_.CreateStore(operands.size() == 1 ? operands[0] : interleaved(operands), in);
  b_.CreateStore(values_.lane(*call.getArgOperand(4)), numbers);
  b_.CreateCall(runtimeFunction(*to_.getParent(), RuntimeCall::SimdgroupOp),
                {laneArgument(), call.getArgOperand(1), bitsOf(mask_), in, out, numbers});
  if (simdOpInfo(site.op).result == SimdResult::None)
    return {};
  Value *all = b_.CreateLoad(FixedVectorType::get(result, kLanes * results), out);
  return results == 1 ? Components{all} : apart(all, results);
}

// ---- inline, for all lanes ----

// Neighbours first: every lane would add its partner's sum to its own, and addition commutes.
Value *Vectorizer::butterfly(Value *value, bool isFloat, bool product) {
  for (unsigned width = kLanes; width > 1; width /= 2) {
    SmallVector<int> even, odd;
    for (unsigned i = 0; i < width; i += 2) {
      even.push_back(int(i));
      odd.push_back(int(i + 1));
    }
    Value *a = b_.CreateShuffleVector(value, even), *b = b_.CreateShuffleVector(value, odd);
    value = product ? (isFloat ? b_.CreateFMul(a, b) : b_.CreateMul(a, b))
                    : (isFloat ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b));
  }
  return b_.CreateExtractElement(value, uint64_t(0));
}

Value *Vectorizer::permuted(Value *value, SimdOp op, unsigned width, const CallBase &call) {
  const Value &operand = *call.getArgOperand(4);
  if (const auto *constant = dyn_cast<ConstantInt>(&operand)) {
    SmallVector<int, kLanes> order;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const int from = *sourceLane(op, width, lane % width, uint32_t(constant->getZExtValue()));
      order.push_back(from < 0 ? int(lane) : int(lane / width * width) + from);
    }
    return b_.CreateShuffleVector(value, order);
  }
  // By memory: the vector is stored, and each lane loads what it reads.
  Distances inBlock, blocks;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    inBlock[lane] = lane % width;
    blocks[lane] = lane / width * width;
  }
  Type *i32 = b_.getInt32Ty();
  Constant *own = laneConstants(i32, inBlock), *block = laneConstants(i32, blocks);
  Value *asked = values_.lane(operand), *from = asked, *valid = nullptr;
  const auto all = [&](uint32_t number) { return ConstantInt::get(wide(i32), number); };
  switch (op) {
  case SimdOp::Broadcast:
  case SimdOp::Shuffle: valid = b_.CreateICmpULT(asked, all(width)); break;
  case SimdOp::BroadcastFirst: from = all(0); break;
  case SimdOp::ShuffleXor:
    valid = b_.CreateICmpULT(asked, all(width));
    from = b_.CreateXor(own, asked);
    break;
  case SimdOp::ShuffleUp:
    valid = b_.CreateICmpULE(asked, own);
    from = b_.CreateSub(own, asked);
    break;
  case SimdOp::ShuffleDown:
    valid = b_.CreateICmpULT(asked, b_.CreateSub(all(width), own));
    from = b_.CreateAdd(own, asked);
    break;
  case SimdOp::ShuffleRotateUp: from = b_.CreateURem(b_.CreateSub(own, asked), all(width)); break;
  default: from = b_.CreateURem(b_.CreateAdd(own, asked), all(width)); break;
  }
  if (valid)
    from = b_.CreateSelect(valid, from, own);
  from = b_.CreateAdd(from, block);
  IRBuilder<> entry(&*to_.getEntryBlock().begin());
  AllocaInst *memory = entry.CreateAlloca(value->getType(), nullptr, "permuted");
  memory->setAlignment(Align(64));
  b_.CreateStore(value, memory);
  Type *element = value->getType()->getScalarType();
  Value *places = b_.CreateGEP(element, memory, b_.CreateZExt(from, wide(b_.getInt64Ty())));
  return b_.CreateMaskedGather(value->getType(), places, Align(element->getScalarSizeInBits() / 8),
                               Constant::getAllOnesValue(wide(b_.getInt1Ty())),
                               Constant::getNullValue(value->getType()));
}

// Empty: not inline.
Components Vectorizer::inlineForAll(const CallBase &call, const SiteInfo &site, ArrayRef<Value *> operands) {
  const NumericsProfile &numerics = state_.options.numerics;
  const auto [op, width] = formOf(site.op);
  if (op == SimdOp::MatrixMultiply || op == SimdOp::MatrixMultiplyAccumulate)
    return matrixProduct(operands, site);
  Components made;
  if (sourceLane(op, width, 0, 0)) {
    for (Value *operand : operands)
      made.push_back(permuted(operand, op, width, call));
    return made;
  }
  const bool isFloat = site.type == ScalarType::Float;
  const bool plain = isFloat && !numerics.flushesF32Explicitly() && numerics.nan == NanBits::Canonical;
  if (!isInteger(site.type) && !plain)
    return {};
  for (Value *operand : operands)
    if (Value *value = isPrefix(op) ? (isFloat ? nullptr : prefixes(operand, op, width))
                                    : reduced(operand, op, width, isFloat, isSigned(site.type)))
      made.push_back(value);
  return made;
}

// The same value for all lanes of a block. Null: not inline.
Value *Vectorizer::reduced(Value *value, SimdOp op, unsigned width, bool isFloat, bool isSigned) {
  const NumericsProfile &numerics = state_.options.numerics;
  const bool adds = op == SimdOp::Sum || op == SimdOp::Product;
  const ReductionOrder order = op == SimdOp::Sum ? numerics.simdSum : numerics.simdProduct;
  const bool reduces = op >= SimdOp::Sum && op <= SimdOp::Xor;
  if (!reduces || (adds && order != ReductionOrder::Butterfly) || (isFloat && !adds))
    return nullptr;
  if (width != kLanes) {
    for (unsigned distance = 1; distance < width; distance *= 2) {
      SmallVector<int, kLanes> partners;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        partners.push_back(int(lane ^ distance));
      value = combined(op, value, b_.CreateShuffleVector(value, partners), isFloat, isSigned);
    }
    return value;
  }
  Value *result = nullptr;
  switch (op) {
  case SimdOp::Sum:
  case SimdOp::Product: result = butterfly(value, isFloat, op == SimdOp::Product); break;
  case SimdOp::Min: result = b_.CreateIntMinReduce(value, isSigned); break;
  case SimdOp::Max: result = b_.CreateIntMaxReduce(value, isSigned); break;
  case SimdOp::And: result = b_.CreateAndReduce(value); break;
  case SimdOp::Or: result = b_.CreateOrReduce(value); break;
  default: result = b_.CreateXorReduce(value); break;
  }
  return b_.CreateVectorSplat(kLanes, result);
}

// Of one of the reductions.
Value *Vectorizer::combined(SimdOp op, Value *a, Value *b, bool isFloat, bool isSigned) {
  switch (op) {
  case SimdOp::Sum: return isFloat ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b);
  case SimdOp::Product: return isFloat ? b_.CreateFMul(a, b) : b_.CreateMul(a, b);
  case SimdOp::Min: return b_.CreateBinaryIntrinsic(isSigned ? Intrinsic::smin : Intrinsic::umin, a, b);
  case SimdOp::Max: return b_.CreateBinaryIntrinsic(isSigned ? Intrinsic::smax : Intrinsic::umax, a, b);
  case SimdOp::And: return b_.CreateAnd(a, b);
  case SimdOp::Or: return b_.CreateOr(a, b);
  default: return b_.CreateXor(a, b);
  }
}

// For each distance 1, 2, 4, .. a lane combines the value of the lane that far below with its own. Exclusive:
// the one of the lane below. Null: not inline.
//
// Of integers: where a lane keeps its float beside lanes that add a constant, LLVM lets it add -0, and that
// changes subnormals and NaNs.
Value *Vectorizer::prefixes(Value *value, SimdOp op, unsigned width) {
  if (state_.options.numerics.simdPrefix != ScanOrder::Doubling)
    return nullptr;
  const bool adds = op == SimdOp::PrefixInclusiveSum || op == SimdOp::PrefixExclusiveSum;
  // Lanes that have a lane so far below in their block read it there, others what stands for them in `other`.
  const auto below = [&](Value *from, unsigned distance, Value *other) {
    SmallVector<int, kLanes> order;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      order.push_back(lane % width < distance ? int(kLanes + lane) : int(lane - distance));
    return b_.CreateShuffleVector(from, other, order);
  };
  for (unsigned distance = 1; distance < width; distance *= 2) {
    Value *sums =
        combined(adds ? SimdOp::Sum : SimdOp::Product, below(value, distance, value), value, false, false);
    SmallVector<int, kLanes> order;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      order.push_back(lane % width < distance ? int(kLanes + lane) : int(lane));
    value = b_.CreateShuffleVector(sums, value, order);
  }
  if (op == SimdOp::PrefixInclusiveSum || op == SimdOp::PrefixInclusiveProduct)
    return value;
  return below(value, 1, ConstantInt::get(value->getType(), adds ? 0 : 1));
}

// The greatest or smallest float under any mask, by keys that order as integers do: -0 below +0, no NaN among
// them. See runtime/simd_reduce.cpp for the rules.
Value *Vectorizer::extremum(Value *value, bool greatest) {
  Type *i32 = b_.getInt32Ty();
  const auto all = [&](uint32_t number) { return ConstantInt::get(wide(i32), number); };
  Value *bits = b_.CreateBitCast(value, wide(i32));
  Value *magnitude = b_.CreateAnd(bits, all(0x7fffffff));
  Value *sign = b_.CreateAnd(bits, all(0x80000000));
  Value *flushed = bits;
  if (state_.options.numerics.flushF32)
    flushed = b_.CreateSelect(b_.CreateICmpULT(magnitude, all(0x00800000)), sign, bits);
  const auto turned = [&](Value *word, Type *type) {
    return b_.CreateXor(word, b_.CreateAnd(b_.CreateAShr(word, ConstantInt::get(type, 31)),
                                           ConstantInt::get(type, 0x7fffffff)));
  };
  Value *key = turned(flushed, wide(i32));
  Value *counts = both(mask_, b_.CreateICmpULE(magnitude, all(0x7f800000)));
  const uint32_t nothing = greatest ? 0x80000000u : 0x7fffffffu;
  key = b_.CreateSelect(counts, key, all(nothing));
  Value *found = greatest ? b_.CreateIntMaxReduce(key, true) : b_.CreateIntMinReduce(key, true);
  Value *result = turned(found, i32);
  result = b_.CreateSelect(b_.CreateOrReduce(counts), result, b_.getInt32(0x7fc00000));
  // A reduction over one lane is that lane's bits.
  Value *members = bitsOf(mask_);
  Value *alone =
      b_.CreateICmpEQ(b_.CreateAnd(members, b_.CreateSub(members, b_.getInt32(1))), b_.getInt32(0));
  result = b_.CreateSelect(alone, b_.CreateExtractElement(bits, firstOf(mask_)), result);
  return b_.CreateBitCast(b_.CreateVectorSplat(kLanes, result), wide(b_.getFloatTy()));
}

// Inline whatever lanes take part. Empty: not that.
Components Vectorizer::inlineForAny(const CallBase &call, const SiteInfo &site, ArrayRef<Value *> operands) {
  if (site.op == SimdOp::ActiveMask || site.op == SimdOp::Ballot) {
    Value *lanes = mask_;
    if (site.op == SimdOp::Ballot) {
      Value *predicate = values_.lane(*call.getArgOperand(4));
      lanes = both(mask_, b_.CreateICmpNE(predicate, Constant::getNullValue(predicate->getType())));
    }
    return {b_.CreateVectorSplat(kLanes, b_.CreateZExt(bitsOf(lanes), b_.getInt64Ty()))};
  }
  Components made;
  if ((site.op == SimdOp::Min || site.op == SimdOp::Max) && site.type == ScalarType::Float &&
      state_.options.numerics.nan == NanBits::Canonical)
    for (Value *operand : operands)
      made.push_back(extremum(operand, site.op == SimdOp::Max));
  return made;
}

// A float that another lane gave is no constant to the other engines. LLVM would delete `x * 1` for a lane's
// 1, and with it the flush of x.
Value *Vectorizer::ofUnknownValue(Value *value) {
  Type *type = value->getType();
  if (!type->isFPOrFPVectorTy())
    return value;
  Type *bits = wide(b_.getIntNTy(type->getScalarSizeInBits()));
  Value *zeros = b_.CreateVectorSplat(kLanes, b_.CreateTrunc(zero(), bits->getScalarType()));
  return b_.CreateBitCast(b_.CreateXor(b_.CreateBitCast(value, bits), zeros), type);
}

void Vectorizer::simdCall(const CallBase &call) {
  const SiteInfo &site = state_.info.sites[siteOfCall(call)];
  keepMeeting(call);
  if (onlyMeets(site.op))
    return; // all lanes are here
  if (site.op == SimdOp::MultiplyFragments)
    return fragmentProduct(call, site);
  const Components operands = operandsOf(call, site);
  Components results = inlineForAny(call, site, operands);
  if (results.empty()) {
    // To see whether there is an inline form, it is built where it would run.
    BasicBlock *fast = newBlock("simd.all"), *slow = newBlock("simd.some"), *done = newBlock("simd.done");
    Value *all = b_.CreateAndReduce(mask_);
    BasicBlock *before = b_.GetInsertBlock();
    b_.SetInsertPoint(fast);
    const Components first = inlineForAll(call, site, operands);
    if (first.empty()) {
      b_.SetInsertPoint(before);
      for (BasicBlock *unused : {fast, slow, done})
        unused->eraseFromParent();
      results = outOfLine(call, site, operands);
    } else {
      BasicBlock *fastEnd = b_.GetInsertBlock();
      b_.CreateBr(done);
      b_.SetInsertPoint(before);
      b_.CreateCondBr(all, fast, slow, MDBuilder(to_.getContext()).createBranchWeights(1 << 10, 1));
      b_.SetInsertPoint(slow);
      const Components second = outOfLine(call, site, operands);
      BasicBlock *slowEnd = b_.GetInsertBlock();
      b_.CreateBr(done);
      b_.SetInsertPoint(done);
      for (unsigned i = 0; i < first.size(); ++i) {
        PHINode *phi = b_.CreatePHI(first[i]->getType(), 2);
        phi->addIncoming(first[i], fastEnd);
        phi->addIncoming(second[i], slowEnd);
        results.push_back(phi);
      }
    }
  }
  if (isa<ConstantPointerNull, UndefValue>(call.getArgOperand(3)))
    return;
  for (Value *&result : results)
    result = ofUnknownValue(result);
  const uint64_t bytes = simdOpInfo(site.op).result == SimdResult::Mask ? 8 : scalarTypeInfo(site.type).bytes;
  for (unsigned i = 0; i < results.size(); ++i)
    storePrivate(*call.getArgOperand(3), i * bytes, results[i]);
}

// What lanes that leave may be asked for: each lane's bits, and that they are there.
void Vectorizer::publish(const CallBase &call) {
  const OperandRegister &operand = state_.registers[*constantArgument(call, 0)];
  const uint32_t byte = *constantArgument(call, 1);
  Value *memory = laneField(b_.getPtrTy(), offsetof(LaneAbi, published));
  const auto scatter = [&](Value *value, uint64_t offset) {
    Constant *places = laneConstants(b_.getInt64Ty(), laneNumbers(state_.info.publishedBytes));
    Value *first = b_.CreatePtrAdd(memory, b_.getInt64(offset));
    b_.CreateMaskedScatter(value, b_.CreateGEP(b_.getInt8Ty(), first, places), Align(1), mask_);
  };
  scatter(values_.lane(*call.getArgOperand(2)), operand.place + byte);
  scatter(ConstantInt::get(wide(b_.getInt8Ty()), 1),
          operand.place + operand.elements * operand.elementBytes + byte / operand.elementBytes);
}

} // namespace assay::lowering::vector
