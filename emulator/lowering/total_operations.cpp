// Gives every operation of a function a result, before anything is optimised.
//
// Problem.  LLVM's optimiser may do anything with undefined behaviour: drop later checks, run off the end of
//           a function into other code, or give another result at another level. Sooner or later a kernel
//           under test does all of that. It must neither harm the process nor change its answer.
// Choice.   Rewrite the unoptimised IR so that nothing in it is undefined or poison: instructions get guards,
//           and flags, attributes and metadata that promise something are removed. The bounds of memory
//           accesses are the one thing left; bounds_checks.h handles them.
// Cost.     Most guards fold away where the operands are known. address_space_aa.h makes up for the lack of
//           type-based aliasing; unaligned loads cost nothing on the CPUs in question.
#include "total_operations.h"

#include "source_place.h"
#include "support/abi/module_info.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace assay::lowering {
namespace {

using namespace llvm;

// ---- promises ----

AttributeMask promises() {
  AttributeMask mask;
  for (Attribute::AttrKind kind :
       {Attribute::NonNull, Attribute::NoUndef, Attribute::Dereferenceable, Attribute::DereferenceableOrNull,
        Attribute::NoAlias, Attribute::ReadOnly, Attribute::WriteOnly, Attribute::ReadNone,
        Attribute::Returned, Attribute::Range, Attribute::NoFPClass, Attribute::NoCapture,
        Attribute::AllocAlign})
    mask.addAttribute(kind);
  return mask;
}

AttributeList withoutPromises(LLVMContext &context, AttributeList attributes, unsigned parameters) {
  const AttributeMask mask = promises();
  attributes = attributes.removeRetAttributes(context, mask);
  attributes = attributes.removeRetAttribute(context, Attribute::Alignment);
  for (unsigned i = 0; i < parameters; ++i) {
    attributes = attributes.removeParamAttributes(context, i, mask);
    if (!attributes.hasParamAttr(i, Attribute::ByVal) && !attributes.hasParamAttr(i, Attribute::StructRet))
      attributes = attributes.removeParamAttribute(context, i, Attribute::Alignment);
  }
  return attributes;
}

void resetAttributes(Function &function, const NumericsProfile &numerics, bool debug) {
  LLVMContext &context = function.getContext();
  AttributeList attributes = withoutPromises(context, function.getAttributes(), function.arg_size());
  const bool shim = function.hasFnAttribute(kShimFunction); // no promise: who wrote it
  function.setAttributes(attributes.removeFnAttributes(context));
  if (shim)
    function.addFnAttr(kShimFunction);
  function.setDoesNotThrow();
  function.setConvergent();
  function.addFnAttr(Attribute::NoRedZone); // a signal may arrive on a lane's stack
  // Constant folding must flush where MXCSR will.
  function.addFnAttr("denormal-fp-math-f32",
                     numerics.flushesInHardware() ? "preserve-sign,preserve-sign" : "ieee,ieee");
  function.addFnAttr("no-trapping-math", "true");
  if (debug) {
    function.addFnAttr("frame-pointer", "all");
    function.setUWTableKind(UWTableKind::Async);
  }
}

void dropPromises(Instruction &instruction) {
  instruction.dropUnknownNonDebugMetadata();
  instruction.dropPoisonGeneratingFlags();
  // contractStatements needs its own flag later, and takes it away.
  if (isa<FPMathOperator>(instruction)) {
    FastMathFlags kept;
    kept.setAllowContract(instruction.hasAllowContract());
    instruction.copyFastMathFlags(kept);
  }
  if (auto *call = dyn_cast<CallBase>(&instruction); call && !isa<IntrinsicInst>(call)) {
    AttributeList kept = withoutPromises(call->getContext(), call->getAttributes(), call->arg_size());
    call->setAttributes(kept.removeFnAttributes(call->getContext()));
    call->setDoesNotThrow();
  }
}

void dropAlignment(Instruction &instruction) {
  const auto unknown = [](Value *pointer) { return !isa<AllocaInst>(getUnderlyingObject(pointer)); };
  if (auto *load = dyn_cast<LoadInst>(&instruction);
      load && !load->isAtomic() && unknown(load->getPointerOperand()))
    load->setAlignment(Align(1));
  if (auto *store = dyn_cast<StoreInst>(&instruction);
      store && !store->isAtomic() && unknown(store->getPointerOperand()))
    store->setAlignment(Align(1));
  if (auto *fill = dyn_cast<MemIntrinsic>(&instruction)) {
    if (unknown(fill->getRawDest()))
      fill->setDestAlignment(Align(1));
    if (auto *copy = dyn_cast<MemTransferInst>(fill); copy && unknown(copy->getRawSource()))
      copy->setSourceAlignment(Align(1));
  }
}

// ---- values ----

Constant *splat(Type *type, const APInt &value) {
  return ConstantInt::get(type, value);
}

bool isKnownDivisor(Value *divisor, bool isSigned) {
  const APInt *constant = nullptr;
  if (auto *scalar = dyn_cast<ConstantInt>(divisor))
    constant = &scalar->getValue();
  else if (auto *vector = dyn_cast<Constant>(divisor); vector && divisor->getType()->isVectorTy())
    if (auto *element = dyn_cast_or_null<ConstantInt>(vector->getSplatValue()))
      constant = &element->getValue();
  return constant && !constant->isZero() && !(isSigned && constant->isAllOnes());
}

void guardDivision(BinaryOperator &operation) {
  const auto opcode = operation.getOpcode();
  const bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem;
  const bool isQuotient = opcode == Instruction::SDiv || opcode == Instruction::UDiv;
  Value *dividend = operation.getOperand(0), *divisor = operation.getOperand(1);
  if (isKnownDivisor(divisor, isSigned))
    return;
  Type *type = operation.getType();
  const unsigned bits = type->getScalarSizeInBits();
  IRBuilder<> b(&operation);
  Value *isZero = b.CreateICmpEQ(divisor, Constant::getNullValue(type));
  Value *refused = isZero;
  if (isSigned) {
    Value *overflow = b.CreateAnd(b.CreateICmpEQ(dividend, splat(type, APInt::getSignedMinValue(bits))),
                                  b.CreateICmpEQ(divisor, Constant::getAllOnesValue(type)));
    refused = b.CreateOr(isZero, overflow);
  }
  operation.setOperand(1, b.CreateSelect(refused, splat(type, APInt(bits, 1)), divisor));
  b.SetInsertPoint(operation.getNextNode());
  auto *result = b.CreateSelect(isZero, isQuotient ? Constant::getAllOnesValue(type) : dividend, &operation);
  operation.replaceUsesWithIf(result, [&](Use &use) { return use.getUser() != result; });
}

void maskShift(BinaryOperator &shift) {
  Type *type = shift.getType();
  const unsigned bits = type->getScalarSizeInBits();
  if (auto *amount = dyn_cast<ConstantInt>(shift.getOperand(1)); amount && amount->getValue().ult(bits))
    return;
  IRBuilder<> b(&shift);
  Value *amount = shift.getOperand(1);
  shift.setOperand(1, isPowerOf2_32(bits) ? b.CreateAnd(amount, splat(type, APInt(bits, bits - 1)))
                                          : b.CreateURem(amount, splat(type, APInt(bits, bits))));
}

void saturate(CastInst &cast) {
  const bool isSigned = cast.getOpcode() == Instruction::FPToSI;
  Type *type = cast.getType();
  Value *source = cast.getOperand(0);
  IRBuilder<> b(&cast);
  // LLVM 19 for x86 converts a NaN of half to the least short instead of to 0; of float it converts it right.
  if (source->getType()->getScalarType()->isHalfTy())
    source = b.CreateFPExt(source, source->getType()->getWithNewType(b.getFloatTy()));
  Value *result = b.CreateIntrinsic(isSigned ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
                                    {type, source->getType()}, {source});
  if (isSigned && type->getScalarSizeInBits() == 64) {
    Value *tooLarge = b.CreateFCmpOGE(source, ConstantFP::get(source->getType(), 9223372036854775808.0));
    result = b.CreateSelect(tooLarge, splat(type, APInt::getSignedMinValue(64)), result);
  }
  cast.replaceAllUsesWith(result);
  cast.eraseFromParent();
}

void wrapIndex(Instruction &instruction, unsigned operand, const VectorType &vector) {
  const unsigned width = cast<FixedVectorType>(vector).getNumElements();
  Value *index = instruction.getOperand(operand);
  Type *type = index->getType();
  if (auto *constant = dyn_cast<ConstantInt>(index); constant && constant->getValue().ult(width))
    return;
  IRBuilder<> b(&instruction);
  instruction.setOperand(operand, b.CreateURem(index, ConstantInt::get(type, width)));
}

// ---- memory without a value ----

void storeZero(AllocaInst &variable, Instruction *before) {
  Type *type = variable.getAllocatedType();
  const DataLayout &layout = variable.getModule()->getDataLayout();
  IRBuilder<> b(before);
  b.SetCurrentDebugLocation(DebugLoc());
  if (type->isSingleValueType() && !variable.isArrayAllocation()) {
    b.CreateAlignedStore(Constant::getNullValue(type), &variable, variable.getAlign());
    return;
  }
  Value *bytes = b.CreateMul(b.CreateZExt(variable.getArraySize(), b.getInt64Ty()),
                             b.getInt64(layout.getTypeAllocSize(type)));
  b.CreateMemSet(&variable, b.getInt8(0), bytes, variable.getAlign());
}

void giveValue(AllocaInst &variable) {
  SmallVector<Instruction *> births;
  for (User *user : variable.users())
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(user);
        intrinsic && intrinsic->getIntrinsicID() == Intrinsic::lifetime_start)
      births.push_back(intrinsic);
  if (births.empty()) {
    // After the whole run of allocas: InlineFunction moves them together to the caller's entry.
    Instruction *after = variable.getNextNode();
    while (isa<AllocaInst>(after))
      after = after->getNextNode();
    storeZero(variable, after);
  }
  for (Instruction *birth : births)
    storeZero(variable, birth->getNextNode());
}

void replaceUndefOperands(Instruction &instruction) {
  if (!isa<StoreInst, GetElementPtrInst, ReturnInst, CallBase, PHINode, SelectInst, BinaryOperator, CmpInst,
           CastInst, SwitchInst, BranchInst>(instruction))
    return;
  for (Use &use : instruction.operands())
    if (isa<UndefValue>(use.get()) && use->getType()->isFirstClassType() && !use->getType()->isMetadataTy() &&
        !use->getType()->isTokenTy())
      use.set(Constant::getNullValue(use->getType()));
}

// The fourth place of a vector of three, which Clang stores as one of four. LLVM leaves it open, and
// takes all places for poison once it moves the vector as one number, as functions of small vectors do.
void fillElements(ShuffleVectorInst &shuffle) {
  SmallVector<int> mask(shuffle.getShuffleMask());
  if (!is_contained(mask, PoisonMaskElem) || !isa<UndefValue>(shuffle.getOperand(1)))
    return;
  Type *operand = shuffle.getOperand(1)->getType();
  const int firstZero = int(cast<FixedVectorType>(operand)->getNumElements());
  for (int &element : mask)
    if (element == PoisonMaskElem)
      element = firstZero;
  shuffle.setOperand(1, Constant::getNullValue(operand));
  shuffle.setShuffleMask(mask);
}

// ---- intrinsics ----

Result<bool> rewriteIntrinsic(IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::invariant_start:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::var_annotation:
    if (call.use_empty() || call.getType()->isPointerTy()) {
      if (!call.use_empty())
        call.replaceAllUsesWith(Constant::getNullValue(call.getType()));
      call.eraseFromParent();
      return true;
    }
    return false;
  case Intrinsic::ptr_annotation:
  case Intrinsic::expect:
    call.replaceAllUsesWith(call.getArgOperand(0));
    call.eraseFromParent();
    return true;
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::abs: call.setArgOperand(1, ConstantInt::getFalse(call.getContext())); return false;
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap:
    return Error::kernel("unsupported", "__builtin_trap has no meaning on a GPU", placeOf(call), "remove it");
  default: return false;
  }
}

// A switch that is promised to have a case for its value: every body of a loop that leaves a scope by `break`
// ends with one. A way out that nobody takes would count as a way out of the loop (reconvergence.h).
void takeLastCase(SwitchInst &choice) {
  if (!isa<UnreachableInst>(choice.getDefaultDest()->front()) || choice.getNumCases() == 0)
    return;
  const auto last = std::prev(choice.case_end());
  choice.setDefaultDest(last->getCaseSuccessor());
  choice.removeCase(last);
}

Result<void> rewrite(Instruction &instruction) {
  dropPromises(instruction);
  dropAlignment(instruction);
  replaceUndefOperands(instruction);
  switch (instruction.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem: guardDivision(cast<BinaryOperator>(instruction)); break;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr: maskShift(cast<BinaryOperator>(instruction)); break;
  case Instruction::FPToSI:
  case Instruction::FPToUI: saturate(cast<CastInst>(instruction)); break;
  case Instruction::ExtractElement:
    wrapIndex(instruction, 1, *cast<ExtractElementInst>(instruction).getVectorOperandType());
    break;
  case Instruction::ShuffleVector: fillElements(cast<ShuffleVectorInst>(instruction)); break;
  case Instruction::InsertElement:
    wrapIndex(instruction, 2, *cast<InsertElementInst>(instruction).getType());
    break;
  case Instruction::Call:
    if (cast<CallBase>(instruction).isInlineAsm())
      return Error::kernel("unsupported", "inline assembly", placeOf(instruction));
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
      if (Result<bool> done = rewriteIntrinsic(*intrinsic); !done)
        return done.error();
    break;
  case Instruction::Unreachable: {
    // The end of a function that returns a value, or a point that the source promised not to reach.
    Function &function = *instruction.getFunction();
    Type *type = function.getReturnType();
    ReturnInst::Create(function.getContext(), type->isVoidTy() ? nullptr : Constant::getNullValue(type),
                       instruction.getIterator());
    instruction.eraseFromParent();
    break;
  }
  case Instruction::Switch: takeLastCase(cast<SwitchInst>(instruction)); break;
  default: break;
  }
  return {};
}

} // namespace

Result<void> makeTotal(Function &function, const NumericsProfile &numerics, bool debug) {
  resetAttributes(function, numerics, debug);
  SmallVector<Instruction *> instructions;
  SmallVector<AllocaInst *> variables;
  for (Instruction &instruction : llvm::instructions(function)) {
    instructions.push_back(&instruction);
    if (auto *variable = dyn_cast<AllocaInst>(&instruction))
      variables.push_back(variable);
  }
  for (Instruction *instruction : instructions)
    if (Result<void> done = rewrite(*instruction); !done)
      return done;
  for (AllocaInst *variable : variables)
    giveValue(*variable);
  return {};
}

} // namespace assay::lowering
