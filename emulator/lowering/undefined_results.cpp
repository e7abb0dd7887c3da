// See undefined_results.h.
#include "undefined_results.h"

#include "primitives.h"
#include "source_place.h"
#include "unwritten_values.h"

#include "support/abi/module_info.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <cmath>

namespace assay::lowering {
namespace {

using namespace llvm;

Constant *every(Type *type, const APInt &value) {
  return ConstantInt::get(type, value);
}

Value *badDivision(IRBuilder<> &b, BinaryOperator &operation) {
  Type *type = operation.getType();
  const unsigned bits = type->getScalarSizeInBits();
  Value *divisor = operation.getOperand(1);
  Value *bad = b.CreateICmpEQ(divisor, Constant::getNullValue(type));
  if (operation.getOpcode() == Instruction::SDiv || operation.getOpcode() == Instruction::SRem)
    bad = b.CreateOr(
        bad, b.CreateAnd(b.CreateICmpEQ(operation.getOperand(0), every(type, APInt::getSignedMinValue(bits))),
                         b.CreateICmpEQ(divisor, Constant::getAllOnesValue(type))));
  return bad;
}

Value *badShift(IRBuilder<> &b, BinaryOperator &shift) {
  Type *type = shift.getType();
  const unsigned bits = type->getScalarSizeInBits();
  return b.CreateICmpUGE(shift.getOperand(1), every(type, APInt(bits, bits)));
}

// The integers that the type has reach from `least` to below `end`. Of the numbers between least - 1 and
// least, which are rounded to least, a float type has all or none.
Value *badConversion(IRBuilder<> &b, CastInst &cast) {
  Value *source = cast.getOperand(0);
  if (source->getType()->getScalarSizeInBits() < 32)
    source = b.CreateFPExt(source, source->getType()->getWithNewType(b.getFloatTy()));
  Type *type = source->getType();
  const bool isSigned = cast.getOpcode() == Instruction::FPToSI;
  const int bits = int(cast.getType()->getScalarSizeInBits()) - (isSigned ? 1 : 0);
  const double least = isSigned ? -std::ldexp(1.0, bits) : 0;
  const bool hasLess = !isSigned || bits < int(type->getScalarType()->getFPMantissaWidth());
  Value *fits = b.CreateAnd(hasLess ? b.CreateFCmpOGT(source, ConstantFP::get(type, least - 1))
                                    : b.CreateFCmpOGE(source, ConstantFP::get(type, least)),
                            b.CreateFCmpOLT(source, ConstantFP::get(type, std::ldexp(1.0, bits))));
  return b.CreateNot(fits);
}

// The namespace of the shim's vectors, whose operators do what the user wrote.
constexpr StringLiteral kVectors = "__assay_vectors";

// As unwrittenValue. The condition keeps two of them apart that one operator has become by inlining.
FunctionCallee unwrittenResult(Module &module, Type *type, Type *condition) {
  std::string name = kUnwrittenValue.str() + ".result.";
  raw_string_ostream(name) << *type;
  FunctionCallee callee =
      module.getOrInsertFunction(name, type, Type::getInt32Ty(type->getContext()), condition);
  cast<Function>(callee.getCallee())->setAttributes(effectsOfUnwritten(type->getContext()));
  return callee;
}

std::optional<BirthKind> kindOf(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem: return BirthKind::Division;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr: return BirthKind::Shift;
  case Instruction::FPToSI:
  case Instruction::FPToUI: return BirthKind::Conversion;
  default: return std::nullopt;
  }
}

Value *isBad(IRBuilder<> &b, Instruction &instruction, BirthKind kind) {
  switch (kind) {
  case BirthKind::Division: return badDivision(b, cast<BinaryOperator>(instruction));
  case BirthKind::Shift: return badShift(b, cast<BinaryOperator>(instruction));
  case BirthKind::Conversion: return badConversion(b, cast<CastInst>(instruction));
  case BirthKind::Variable: break;
  }
  return b.getFalse();
}

} // namespace

void giveUndefinedResults(Lowering &state, Function &function) {
  if (function.hasFnAttribute(kShimFunction) && !function.getName().contains(kVectors))
    return;
  SmallVector<Instruction *> operations;
  for (Instruction &instruction : instructions(function))
    if (kindOf(instruction))
      operations.push_back(&instruction);
  for (Instruction *operation : operations) {
    const BirthKind kind = *kindOf(*operation);
    IRBuilder<> b(operation->getNextNode());
    b.SetCurrentDebugLocation(operation->getDebugLoc());
    Value *bad = isBad(b, *operation, kind);
    if (const auto *constant = dyn_cast<Constant>(bad); constant && constant->isNullValue())
      continue;
    Type *type = operation->getType();
    state.info.births.push_back({"", placeOf(*operation), kind});
    Value *unknown = b.CreateCall(unwrittenResult(*state.module, type, bad->getType()),
                                  {b.getInt32(uint32_t(state.info.births.size())), bad});
    Value *undefined = b.CreateSelect(bad, unknown, Constant::getNullValue(type));
    // The operation comes last, so that operands without a value are named before what it makes of them.
    Value *result = b.CreateXor(undefined, operation);
    operation->replaceUsesWithIf(result, [&](Use &use) { return use.getUser() != result; });
  }
}

} // namespace assay::lowering
