// Products of matrices that the lanes of a simdgroup hold. The rules of rounding are those of
// runtime/simd_matrix.cpp; each step here has the same operations.
#include "vectorizer.h"

#include "lowering/runtime_functions.h"

#include "support/abi/matrix_layout.h"
#include "support/numbers/float_bits.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

// Where an element of an 8 by 8 matrix lies: its lane, and which of the lane's two.
std::pair<unsigned, unsigned> holderOf(unsigned row, unsigned column) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned element = 0; element < 2; ++element)
      if (laneRow(lane) == row && laneColumn(lane) + element == column)
        return {lane, element};
  llvm_unreachable("every element has a lane");
}

} // namespace

// ---- steps ----

// A float that is a bfloat: to nearest, ties to even.
Value *Vectorizer::roundedToBfloat(Value *value) {
  Type *words = wide(b_.getInt32Ty());
  const auto all = [&](uint32_t number) { return ConstantInt::get(words, number); };
  Value *bits = b_.CreateBitCast(value, words);
  Value *odd = b_.CreateAnd(b_.CreateLShr(bits, 16), all(1));
  Value *rounded = b_.CreateAnd(b_.CreateAdd(b_.CreateAdd(bits, all(0x7fff)), odd), all(0xffff0000));
  Value *isNan = b_.CreateICmpUGT(b_.CreateAnd(bits, all(0x7fffffff)), all(0x7f800000));
  rounded = b_.CreateSelect(isNan, all(kCanonicalNanFloat), rounded);
  return b_.CreateBitCast(rounded, value->getType());
}

// a * b + sum, of halves in floats, rounded once: the product is exact in float, and the sum is rounded to
// odd there, so that the second rounding gives the correct result.
Value *Vectorizer::fusedInHalf(Value *a, Value *b, Value *old) {
  Type *floats = old->getType(), *words = wide(b_.getInt32Ty());
  const auto all = [&](uint32_t number) { return ConstantInt::get(words, number, /*IsSigned=*/false); };
  Value *product = b_.CreateFMul(a, b), *sum = b_.CreateFAdd(product, old);
  Value *rest = b_.CreateFSub(sum, product);
  Value *error =
      b_.CreateFAdd(b_.CreateFSub(product, b_.CreateFSub(sum, rest)), b_.CreateFSub(old, rest)); // exact
  Value *inexact = b_.CreateFCmpONE(error, Constant::getNullValue(floats));
  Value *bits = b_.CreateBitCast(sum, words);
  Value *even = b_.CreateICmpEQ(b_.CreateAnd(bits, all(1)), all(0));
  Value *sign = b_.CreateAShr(b_.CreateXor(bits, b_.CreateBitCast(error, words)), all(31));
  Value *direction = b_.CreateOr(sign, all(1)); // to the exact sum
  Value *step = b_.CreateSelect(b_.CreateAnd(inexact, even), direction, all(0));
  Value *toOdd = b_.CreateBitCast(b_.CreateAdd(bits, step), floats);
  return b_.CreateFPExt(b_.CreateFPTrunc(toOdd, wide(b_.getHalfTy())), floats);
}

// ---- simdgroup_multiply, simdgroup_multiply_accumulate ----

// Each element is a chain over ascending columns of the left factor. Empty: not inline.
Components Vectorizer::matrixProduct(ArrayRef<Value *> parts, const SiteInfo &site) {
  const NumericsProfile &numerics = state_.options.numerics;
  const bool isHalf = site.type == ScalarType::Half, isBfloat = site.type == ScalarType::BFloat,
             flushes = isHalf     ? numerics.flushF16
                       : isBfloat ? numerics.flushesBf16Explicitly()
                                  : numerics.flushesF32Explicitly();
  // Without an instruction for fma, 512 calls for each product would be no gain.
  const bool hasFma =
      target_.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() >= 256;
  if (!hasFma || flushes || numerics.nan != NanBits::Canonical || numerics.matrix != MatrixOrder::Ascending ||
      site.count != 2)
    return {};
  Type *floats = wide(b_.getFloatTy()), *words = wide(b_.getInt32Ty());
  SmallVector<Value *, 6> factors;
  for (Value *part : parts)
    if (isHalf)
      factors.push_back(b_.CreateFPExt(part, floats));
    else if (isBfloat)
      factors.push_back(b_.CreateBitCast(b_.CreateShl(b_.CreateZExt(part, words), 16), floats));
    else
      factors.push_back(part);
  Components sums;
  for (unsigned e = 0; e < 2; ++e) {
    Value *sum =
        site.op == SimdOp::MatrixMultiplyAccumulate ? factors[4 + e] : Constant::getNullValue(floats);
    for (unsigned k = 0; k < 8; ++k) {
      SmallVector<int, kLanes> left, right;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const auto a = holderOf(laneRow(lane), k), b = holderOf(k, laneColumn(lane) + e);
        left.push_back(int(a.second * kLanes + a.first));
        right.push_back(int(b.second * kLanes + b.first));
      }
      Value *a = b_.CreateShuffleVector(factors[0], factors[1], left),
            *b = b_.CreateShuffleVector(factors[2], factors[3], right);
      if (isHalf) {
        sum = fusedInHalf(a, b, sum);
        continue;
      }
      CallInst *step = b_.CreateIntrinsic(Intrinsic::fma, {floats}, {a, b, sum});
      step->addFnAttr(Attribute::NoBuiltin); // LLVM would fold it without a flush (fp_arithmetic.h)
      sum = isBfloat && numerics.bfloatMatrixSteps ? roundedToBfloat(step) : step;
    }
    if (isHalf)
      sum = b_.CreateFPTrunc(sum, wide(b_.getHalfTy()));
    else if (isBfloat)
      sum = b_.CreateTrunc(b_.CreateLShr(b_.CreateBitCast(roundedToBfloat(sum), words), 16),
                           wide(b_.getInt16Ty()));
    sums.push_back(sum);
  }
  return sums;
}

// ---- products of tensors ----

// The call of the runtime: the places of a lane have to lie side by side there. There are many, so a loop
// moves them, a vector at a time.
void Vectorizer::fragmentProduct(const CallBase &call, const SiteInfo &site) {
  Type *type = typeOfScalar(site.type);
  const uint64_t bytes = scalarTypeInfo(site.type).bytes;
  auto *matrix = ArrayType::get(type, uint64_t(kLanes) * site.count);
  AllocaInst *in = scratch(matrix, "fragments.in"), *out = scratch(matrix, "fragments.out"),
             *numbers = scratch(ArrayType::get(b_.getInt32Ty(), kLanes), "fragments.operand");
  const auto move = [&](const Value &variable, AllocaInst *memory, bool isLoad) {
    const unsigned granule = privates_.granule(*shapes_.variableOf(variable));
    assert(granule == bytes && "the shim's arrays have elements of one type");
    (void)granule;
    Value *first = placeOf(variable, 0);
    BasicBlock *before = b_.GetInsertBlock(), *body = newBlock("places"), *done = newBlock("places.done");
    b_.CreateBr(body);
    b_.SetInsertPoint(body);
    PHINode *place = b_.CreatePHI(b_.getInt64Ty(), 2);
    place->addIncoming(b_.getInt64(0), before);
    Value *row = b_.CreatePtrAdd(first, b_.CreateMul(place, b_.getInt64(kLanes * bytes)));
    Value *column = b_.CreatePtrAdd(memory, b_.CreateMul(place, b_.getInt64(bytes)));
    Value *values = isLoad ? b_.CreateAlignedLoad(wide(type), row, Align(bytes)) : nullptr;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      Value *at = b_.CreateConstGEP1_64(b_.getInt8Ty(), column, lane * site.count * bytes);
      if (isLoad)
        b_.CreateAlignedStore(b_.CreateExtractElement(values, lane), at, Align(bytes));
      else
        values = b_.CreateInsertElement(lane ? values : PoisonValue::get(wide(type)),
                                        b_.CreateAlignedLoad(type, at, Align(bytes)), lane);
    }
    if (!isLoad)
      b_.CreateAlignedStore(values, row, Align(bytes));
    Value *next = b_.CreateAdd(place, b_.getInt64(1));
    place->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(site.count)), body, done);
    b_.SetInsertPoint(done);
  };
  move(*call.getArgOperand(2), in, true);
  b_.CreateStore(values_.lane(*call.getArgOperand(4)), numbers);
  b_.CreateCall(runtimeFunction(*to_.getParent(), RuntimeCall::SimdgroupOp),
                {laneArgument(), call.getArgOperand(1), bitsOf(mask_), in, out, numbers});
  move(*call.getArgOperand(3), out, false); // the runtime has made sure that all lanes are here
}

} // namespace assay::lowering::vector
