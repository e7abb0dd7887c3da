// See narrow_indices.h.
#include "narrow_indices.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Operator.h>

namespace assay::lowering {
namespace {

using namespace llvm;

constexpr unsigned kMostLevels = 8;

// What an instruction does to whole numbers, if it is a sum, a difference or a product.
struct Arithmetic {
  IndexOp op;
  Value *a, *b;
  int64_t factor = 0; ///< instead of b, if not 0
};

std::optional<Arithmetic> arithmeticOf(Value &value) {
  auto *operation = dyn_cast<BinaryOperator>(&value);
  if (!operation)
    return std::nullopt;
  Value *a = operation->getOperand(0), *b = operation->getOperand(1);
  switch (operation->getOpcode()) {
  case Instruction::Add: return Arithmetic{IndexOp::Add, a, b};
  case Instruction::Sub: return Arithmetic{IndexOp::Subtract, a, b};
  case Instruction::Mul: return Arithmetic{IndexOp::Multiply, a, b};
  case Instruction::Or:
    if (!cast<PossiblyDisjointInst>(operation)->isDisjoint())
      return std::nullopt;
    return Arithmetic{IndexOp::Add, a, b};
  case Instruction::Shl: {
    const auto *distance = dyn_cast<ConstantInt>(b);
    if (!distance || distance->getValue().uge(std::min(operation->getType()->getIntegerBitWidth(), 62u)))
      return std::nullopt;
    return Arithmetic{IndexOp::Multiply, a, nullptr, int64_t(1) << distance->getZExtValue()};
  }
  default: return std::nullopt;
  }
}

bool isNarrow(const Value &value) {
  const auto *type = dyn_cast<IntegerType>(value.getType());
  return type && type->getBitWidth() >= 8 && type->getBitWidth() < 64;
}

class Walk {
public:
  explicit Walk(unsigned levels) : levels_(levels) {}

  // Sums of addresses.
  void ofPointer(Value &pointer) {
    const Value *at = &pointer;
    while (const auto *step = dyn_cast<GEPOperator>(at)) {
      for (const Use &index : step->indices())
        if (isNarrow(*index) && !isa<Constant>(index))
          widened(*index, /*isSigned=*/true);
        else
          ofWide(*index, levels_);
      at = step->getPointerOperand();
    }
  }

  NarrowIndices found;

private:
  // What is computed in 64 bits already: the indices that it is made of.
  void ofWide(Value &value, unsigned levels) {
    if (const auto *cast = dyn_cast<CastInst>(&value); cast && isNarrow(*cast->getOperand(0))) {
      if (isa<ZExtInst>(cast) || isa<SExtInst>(cast))
        widened(*cast->getOperand(0), isa<SExtInst>(cast));
    } else if (const auto parts = arithmeticOf(value); parts && levels) {
      ofWide(*parts->a, levels - 1);
      if (parts->b)
        ofWide(*parts->b, levels - 1);
    }
  }

  // Keeps the computation if it may wrap.
  void widened(Value &value, bool isSigned) {
    const NarrowIndices before = found;
    mayWrap_ = false;
    compute(value, isSigned, levels_);
    step(isSigned ? IndexOp::SignExtend : IndexOp::ZeroExtend, 64);
    if (!mayWrap_)
      found = before;
  }

  void compute(Value &value, bool isSigned, unsigned levels) {
    const unsigned bits = value.getType()->getIntegerBitWidth();
    if (const auto parts = arithmeticOf(value); parts && levels) {
      const auto *flags = dyn_cast<OverflowingBinaryOperator>(&value);
      mayWrap_ |= flags && !(isSigned ? flags->hasNoSignedWrap() : flags->hasNoUnsignedWrap());
      compute(*parts->a, isSigned, levels - 1);
      if (!parts->b)
        step(IndexOp::Constant, bits, parts->factor);
      else if (const auto *term = dyn_cast<ConstantInt>(parts->b); term && parts->op != IndexOp::Multiply)
        step(IndexOp::Constant, bits, term->getSExtValue()); // i - 1 is a sum with 0xFFFFFFFF
      else
        compute(*parts->b, isSigned, levels - 1);
      return step(parts->op, bits);
    }
    const auto *cast = dyn_cast<CastInst>(&value);
    if (cast && levels && (isa<ZExtInst>(cast) || isa<SExtInst>(cast)) && isNarrow(*cast->getOperand(0))) {
      compute(*cast->getOperand(0), isa<SExtInst>(cast), levels - 1);
      return step(isa<SExtInst>(cast) ? IndexOp::SignExtend : IndexOp::ZeroExtend, bits);
    }
    // uint(a * b) of ulongs. Of other values of 64 bits the lower half may be a value of its own.
    if (cast && levels && isa<TruncInst>(cast) && cast->getOperand(0)->getType()->isIntegerTy(64) &&
        arithmeticOf(*cast->getOperand(0))) {
      mayWrap_ = true;
      compute(*cast->getOperand(0), isSigned, levels - 1);
      return step(IndexOp::Truncate, bits);
    }
    found.operands.push_back(&value);
    step(IndexOp::Operand, bits);
  }

  void step(IndexOp op, unsigned bits, int64_t value = 0) {
    found.steps.push_back({op, uint8_t(bits), value});
  }

  unsigned levels_;
  bool mayWrap_ = false;
};

} // namespace

NarrowIndices narrowIndices(Value &pointer) {
  for (unsigned levels = kMostLevels; levels > 0; --levels) {
    Walk walk(levels);
    walk.ofPointer(pointer);
    if (walk.found.operands.size() <= kMostIndexOperands)
      return std::move(walk.found);
  }
  return {};
}

} // namespace assay::lowering
