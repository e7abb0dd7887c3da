#include "initializer_interpreter.h"

#include "constant_memory.h"
#include "fp_arithmetic.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <map>

namespace assay::lowering {
namespace {

using namespace llvm;

constexpr uint64_t kMaxSteps = 10'000'000;
constexpr uint64_t kMaxBytes = 64 << 20; // of one variable
constexpr unsigned kMaxDepth = 200;

using Frame = DenseMap<const Value *, Constant *>;

class Interpreter {
public:
  Interpreter(Module &module, const TargetLibraryInfo &library,
              function_ref<void(GlobalVariable &)> beforeUse)
      : module_(module), layout_(module.getDataLayout()), library_(library), beforeUse_(beforeUse),
        unknown_(newLocal(Type::getInt8Ty(module.getContext()), 0)) {}

  ~Interpreter() {
    for (GlobalVariable *local : locals_) {
      local->removeDeadConstantUsers();
      local->replaceAllUsesWith(PoisonValue::get(local->getType()));
      local->eraseFromParent();
    }
  }

  bool run(Function &function) {
    Constant *nothing = nullptr;
    return call(function, {}, nothing, 0);
  }

  std::optional<SmallVector<GlobalVariable *>> commit() {
    SmallVector<std::pair<GlobalVariable *, Constant *>> results;
    for (GlobalVariable *variable : written_) {
      Constant *value = memory_.at(variable).asInitializer(variable->getValueType(), layout_);
      if (!value || namesLocal(*value))
        return std::nullopt;
      results.push_back({variable, value});
    }
    SmallVector<GlobalVariable *> variables;
    for (auto &[variable, value] : results) {
      variable->setInitializer(value);
      variables.push_back(variable);
    }
    return variables;
  }

private:
  struct Place {
    GlobalVariable *variable;
    uint64_t offset;
  };

  bool namesLocal(const Constant &value) const {
    if (auto *variable = dyn_cast<GlobalVariable>(&value))
      return locals_.contains(const_cast<GlobalVariable *>(variable));
    return !isa<GlobalValue>(value) &&
           any_of(value.operands(), [&](const Use &operand) { return namesLocal(*cast<Constant>(operand)); });
  }

  // Parts of vectors that were passed as integers are constant expressions, which LLVM computes when asked.
  Constant *computed(Constant *value) const {
    return value && isa<ConstantExpr, ConstantVector>(value) ? ConstantFoldConstant(value, layout_, &library_)
                                                             : value;
  }

  Constant *value(const Frame &frame, Value *v) const {
    if (auto *constant = dyn_cast<Constant>(v))
      return computed(constant);
    return frame.lookup(v);
  }

  ConstantMemory *memoryOf(GlobalVariable &variable) {
    if (const auto found = memory_.find(&variable); found != memory_.end())
      return &found->second;
    beforeUse_(variable);
    if (!variable.hasInitializer())
      return nullptr;
    const uint64_t size = layout_.getTypeAllocSize(variable.getValueType());
    if (size > kMaxBytes)
      return nullptr;
    ConstantMemory memory(size);
    memory.fill(0, size, 0); // padding, too: as C++ has it before anything is initialised
    if (!variable.getInitializer()->isNullValue() && !memory.write(0, variable.getInitializer(), layout_))
      return nullptr;
    return &memory_.emplace(&variable, std::move(memory)).first->second;
  }

  GlobalVariable *variableOf(Constant *pointer, APInt &offset) const {
    offset = APInt(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
    while (true) {
      Value *object = pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
      // How the shim changes the address space of a pointer.
      auto *back = dyn_cast<ConstantExpr>(object);
      auto *number = back && back->getOpcode() == Instruction::IntToPtr
                         ? dyn_cast<ConstantExpr>(back->getOperand(0))
                         : nullptr;
      if (!number || number->getOpcode() != Instruction::PtrToInt ||
          layout_.getIndexTypeSizeInBits(number->getOperand(0)->getType()) != offset.getBitWidth())
        return dyn_cast<GlobalVariable>(object);
      pointer = number->getOperand(0);
    }
  }

  std::optional<Place> place(Constant *pointer, uint64_t bytes) {
    if (!pointer || pointer == unknown_ || !pointer->getType()->isPointerTy())
      return std::nullopt;
    APInt offset;
    GlobalVariable *variable = variableOf(pointer, offset);
    ConstantMemory *memory = variable ? memoryOf(*variable) : nullptr;
    if (!memory || offset.isNegative() || offset.ugt(memory->size()) ||
        bytes > memory->size() - offset.getZExtValue())
      return std::nullopt;
    return Place{variable, offset.getZExtValue()};
  }

  ConstantMemory &written(GlobalVariable *variable) {
    if (!locals_.contains(variable))
      written_.insert(variable);
    return memory_.at(variable);
  }

  Constant *load(Constant *pointer, Type *type) {
    if (!pointer || pointer == unknown_)
      return pointer;
    if (const auto from = place(pointer, layout_.getTypeStoreSize(type)))
      return memory_.at(from->variable).read(from->offset, type, layout_);
    APInt offset;
    const GlobalVariable *variable = variableOf(pointer, offset);
    return variable && !variable->hasInitializer() ? unknown_ : nullptr;
  }

  bool store(Constant *pointer, Constant *stored) {
    if (!stored || stored == unknown_)
      return false;
    const auto to = place(pointer, layout_.getTypeStoreSize(stored->getType()));
    return to && written(to->variable).write(to->offset, stored, layout_);
  }

  bool fill(Constant *pointer, uint64_t size, uint8_t byte) {
    const auto to = place(pointer, size);
    if (to)
      written(to->variable).fill(to->offset, size, byte);
    return to.has_value();
  }

  bool copy(Constant *target, Constant *source, uint64_t size) {
    const auto from = place(source, size), to = place(target, size);
    if (from && to)
      written(to->variable).copy(to->offset, memory_.at(from->variable), from->offset, size);
    return from && to;
  }

  // A variable of a function is a variable of the module for as long as the interpreter runs.
  GlobalVariable *newLocal(Type *type, unsigned space) {
    auto *variable =
        new GlobalVariable(module_, type, false, GlobalValue::InternalLinkage, Constant::getNullValue(type),
                           "", nullptr, GlobalValue::NotThreadLocal, space);
    locals_.insert(variable);
    memory_.emplace(variable, ConstantMemory(layout_.getTypeAllocSize(type)));
    return variable;
  }

  Constant *local(AllocaInst &alloca) {
    if (alloca.isArrayAllocation() || layout_.getTypeAllocSize(alloca.getAllocatedType()) > kMaxBytes)
      return nullptr;
    return newLocal(alloca.getAllocatedType(), alloca.getAddressSpace());
  }

  bool call(Function &function, ArrayRef<Constant *> arguments, Constant *&result, unsigned depth) {
    if (function.isDeclaration() || depth > kMaxDepth)
      return false;
    Frame frame;
    for (size_t i = 0; i < arguments.size(); ++i)
      frame[function.getArg(unsigned(i))] = arguments[i];
    const BasicBlock *previous = nullptr;
    BasicBlock *block = &function.getEntryBlock();
    while (block) {
      BasicBlock *next = nullptr;
      Frame merged; // all at once: one may read another
      for (PHINode &phi : block->phis())
        if (!(merged[&phi] = value(frame, phi.getIncomingValueForBlock(previous))))
          return false;
      for (auto &[phi, v] : merged)
        frame[phi] = v;
      for (Instruction &instruction : *block) {
        if (++steps_ > kMaxSteps)
          return false;
        if (isa<PHINode>(instruction))
          continue;
        if (auto *leave = dyn_cast<ReturnInst>(&instruction)) {
          result = leave->getReturnValue() ? value(frame, leave->getReturnValue()) : nullptr;
          return !leave->getReturnValue() || result;
        }
        if (instruction.isTerminator()) {
          if (!(next = successor(frame, instruction)))
            return false;
        } else if (!step(frame, instruction, depth)) {
          return false;
        }
      }
      previous = block;
      block = next;
    }
    return false;
  }

  BasicBlock *successor(const Frame &frame, Instruction &terminator) const {
    if (auto *branch = dyn_cast<BranchInst>(&terminator)) {
      if (!branch->isConditional())
        return branch->getSuccessor(0);
      auto *condition = dyn_cast_or_null<ConstantInt>(value(frame, branch->getCondition()));
      return condition ? branch->getSuccessor(condition->isZero()) : nullptr;
    }
    if (auto *choice = dyn_cast<SwitchInst>(&terminator)) {
      auto *selector = dyn_cast_or_null<ConstantInt>(value(frame, choice->getCondition()));
      return selector ? choice->findCaseValue(selector)->getCaseSuccessor() : nullptr;
    }
    return nullptr;
  }

  bool step(Frame &frame, Instruction &instruction, unsigned depth) {
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
      return (frame[alloca] = local(*alloca));
    if (auto *read = dyn_cast<LoadInst>(&instruction))
      return (frame[read] = load(value(frame, read->getPointerOperand()), read->getType()));
    if (auto *write = dyn_cast<StoreInst>(&instruction)) {
      Constant *stored = value(frame, write->getValueOperand());
      return store(value(frame, write->getPointerOperand()), stored);
    }
    if (auto *block = dyn_cast<AnyMemIntrinsic>(&instruction)) {
      auto *size = dyn_cast_or_null<ConstantInt>(value(frame, block->getLength()));
      Constant *target = value(frame, block->getRawDest());
      if (!size)
        return false;
      if (auto *transfer = dyn_cast<AnyMemTransferInst>(block))
        return copy(target, value(frame, transfer->getRawSource()), size->getZExtValue());
      auto *byte = dyn_cast_or_null<ConstantInt>(value(frame, cast<AnyMemSetInst>(block)->getValue()));
      return byte && fill(target, size->getZExtValue(), uint8_t(byte->getZExtValue()));
    }
    SmallVector<Constant *> operands;
    if (auto *called = dyn_cast<CallBase>(&instruction)) {
      auto *callee = dyn_cast_or_null<Function>(value(frame, called->getCalledOperand()));
      if (called->isDebugOrPseudoInst() || called->isLifetimeStartOrEnd() || isa<AssumeInst>(called))
        return true;
      if (!callee)
        return false;
      for (Value *argument : called->args()) {
        operands.push_back(value(frame, argument));
        if (!operands.back())
          return false;
      }
      Constant *result = nullptr;
      if (!callee->isDeclaration()) {
        if (!call(*callee, operands, result, depth + 1))
          return false;
      } else if (called->getType()->isVoidTy()) {
        return false;
      } else if (is_contained(operands, unknown_)) {
        result = unknown_;
      } else if (any_of(operands, [](Constant *operand) { return isa<UndefValue>(operand); })) {
        result = PoisonValue::get(called->getType()); // as of the fourth component of a float3
      } else if (called->isNoBuiltin() || called->getIntrinsicID() == Intrinsic::canonicalize) {
        result = foldFlushed(*called, operands); // LLVM would not fold the mark of a NaN
      } else if (canConstantFoldCallTo(called, callee)) {
        result = ConstantFoldCall(called, callee, operands, &library_);
      }
      if (!result && !called->getType()->isVoidTy())
        return false;
      if (result)
        frame[called] = computed(result);
      return true;
    }
    if (auto *choice = dyn_cast<SelectInst>(&instruction))
      if (auto *condition = dyn_cast_or_null<ConstantInt>(value(frame, choice->getCondition())))
        return (frame[choice] =
                    value(frame, condition->isZero() ? choice->getFalseValue() : choice->getTrueValue()));
    for (Value *operand : instruction.operands()) {
      operands.push_back(value(frame, operand));
      if (!operands.back())
        return false;
    }
    if (is_contained(operands, unknown_))
      return (frame[&instruction] = unknown_);
    return (frame[&instruction] =
                computed(ConstantFoldInstOperands(&instruction, operands, layout_, &library_)));
  }

  Module &module_;
  const DataLayout &layout_;
  const TargetLibraryInfo &library_;
  function_ref<void(GlobalVariable &)> beforeUse_;
  std::map<GlobalVariable *, ConstantMemory> memory_; // references stay valid
  SetVector<GlobalVariable *> locals_, written_;
  Constant *unknown_; // what is computed from a variable without a value
  uint64_t steps_ = 0;
};

} // namespace

std::optional<SmallVector<GlobalVariable *>>
interpretInitializer(Function &initializer, const TargetLibraryInfo &library,
                     function_ref<void(GlobalVariable &)> beforeUse) {
  Interpreter interpreter(*initializer.getParent(), library, beforeUse);
  if (!interpreter.run(initializer))
    return std::nullopt;
  return interpreter.commit();
}

} // namespace assay::lowering
