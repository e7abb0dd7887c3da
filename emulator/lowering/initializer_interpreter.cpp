#include "initializer_interpreter.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

namespace assay::lowering {
namespace {

using namespace llvm;

constexpr uint64_t kMaxSteps = 50'000'000;
constexpr uint64_t kMaxBytes = 64 << 20; // of one variable
constexpr unsigned kMaxDepth = 200;

struct Memory {
  std::vector<uint8_t> bytes;
  bool written = false;
};

class Interpreter {
public:
  Interpreter(Module &module, const TargetLibraryInfo &library)
      : module_(module), layout_(module.getDataLayout()), library_(library) {}

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

  bool commit() {
    std::vector<std::pair<GlobalVariable *, Constant *>> results;
    for (auto &[variable, memory] : memory_) {
      if (!memory.written || isLocal(variable))
        continue;
      Constant *value = constantFromBytes(variable->getValueType(), memory.bytes, layout_);
      if (!value)
        return false;
      results.push_back({variable, value});
    }
    for (auto &[variable, value] : results)
      variable->setInitializer(value);
    return true;
  }

private:
  struct Place {
    GlobalVariable *variable;
    uint64_t offset;
  };

  bool isLocal(GlobalVariable *variable) const {
    return std::find(locals_.begin(), locals_.end(), variable) != locals_.end();
  }

  Constant *value(const std::map<const Value *, Constant *> &frame, Value *v) const {
    if (auto *constant = dyn_cast<Constant>(v))
      return constant;
    const auto found = frame.find(v);
    return found == frame.end() ? nullptr : found->second;
  }

  // The bytes of a variable: those of its initialiser, or, of a local one, zeros.
  Memory *memoryOf(GlobalVariable *variable) {
    if (const auto found = memory_.find(variable); found != memory_.end())
      return &found->second;
    const uint64_t size = layout_.getTypeAllocSize(variable->getValueType());
    if (size > kMaxBytes || !variable->hasInitializer())
      return nullptr;
    Memory memory{std::vector<uint8_t>(size)};
    Constant *initializer = variable->getInitializer();
    Type *byte = Type::getInt8Ty(module_.getContext());
    if (!initializer->isNullValue() && !isa<UndefValue>(initializer))
      for (uint64_t i = 0; i < size; ++i) {
        Constant *part = ConstantFoldLoadFromConst(initializer, byte, APInt(64, i), layout_);
        if (auto *number = dyn_cast_or_null<ConstantInt>(part))
          memory.bytes[i] = uint8_t(number->getZExtValue());
        else if (!part || !isa<UndefValue>(part))
          return nullptr;
      }
    return &memory_.emplace(variable, std::move(memory)).first->second;
  }

  std::optional<Place> place(Constant *pointer, uint64_t bytes) {
    if (!pointer)
      return std::nullopt;
    APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
    Value *base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
    auto *variable = dyn_cast<GlobalVariable>(base);
    Memory *memory = variable ? memoryOf(variable) : nullptr;
    if (!memory || offset.isNegative() || offset.ugt(memory->bytes.size()) ||
        bytes > memory->bytes.size() - offset.getZExtValue())
      return std::nullopt;
    return Place{variable, offset.getZExtValue()};
  }

  static bool holdsAddresses(Type *type) { return type->isPtrOrPtrVectorTy(); }

  Constant *load(Constant *pointer, Type *type) {
    // One that has no value may be read, as long as nothing comes of it: `has ? constant : 4`.
    if (auto *unknown = dyn_cast_or_null<GlobalVariable>(pointer); unknown && !unknown->hasInitializer())
      return PoisonValue::get(type);
    const auto from = place(pointer, layout_.getTypeStoreSize(type));
    return from && !holdsAddresses(type)
               ? constantFromBytes(type, ArrayRef(memory_[from->variable].bytes).drop_front(from->offset), layout_)
               : nullptr;
  }

  bool store(Constant *pointer, Constant *stored) {
    const uint64_t size = layout_.getTypeStoreSize(stored->getType());
    const auto to = place(pointer, size);
    if (!to || stored->containsPoisonElement() || isa<PoisonValue>(stored))
      return false;
    Memory &memory = memory_[to->variable];
    memory.written = true;
    if (isa<UndefValue>(stored))
      return true;
    Type *byte = Type::getInt8Ty(module_.getContext());
    for (uint64_t i = 0; i < size; ++i) {
      Constant *part = ConstantFoldLoadFromConst(stored, byte, APInt(64, i), layout_);
      if (auto *number = dyn_cast_or_null<ConstantInt>(part))
        memory.bytes[to->offset + i] = uint8_t(number->getZExtValue());
      else if (!part || !isa<UndefValue>(part))
        return false;
    }
    return true;
  }

  bool fill(Constant *pointer, uint64_t size, uint8_t byte) {
    const auto to = place(pointer, size);
    if (!to)
      return false;
    Memory &memory = memory_[to->variable];
    memory.written = true;
    std::memset(memory.bytes.data() + to->offset, byte, size);
    return true;
  }

  bool copy(Constant *target, Constant *source, uint64_t size) {
    const auto from = place(source, size), to = place(target, size);
    if (!from || !to)
      return false;
    Memory &memory = memory_[to->variable];
    memory.written = true;
    std::memmove(memory.bytes.data() + to->offset, memory_[from->variable].bytes.data() + from->offset, size);
    return true;
  }

  // A variable of a function is a variable of the module for as long as the interpreter runs.
  Constant *local(AllocaInst &alloca) {
    if (alloca.isArrayAllocation())
      return nullptr;
    auto *variable = new GlobalVariable(module_, alloca.getAllocatedType(), false, GlobalValue::InternalLinkage,
                                        Constant::getNullValue(alloca.getAllocatedType()), "", nullptr,
                                        GlobalValue::NotThreadLocal, alloca.getAddressSpace());
    locals_.push_back(variable);
    return variable;
  }

  bool call(Function &function, ArrayRef<Constant *> arguments, Constant *&result, unsigned depth) {
    if (function.isDeclaration() || depth > kMaxDepth)
      return false;
    std::map<const Value *, Constant *> frame;
    for (size_t i = 0; i < arguments.size(); ++i)
      frame[function.getArg(unsigned(i))] = arguments[i];
    const BasicBlock *previous = nullptr;
    BasicBlock *block = &function.getEntryBlock();
    while (block) {
      BasicBlock *next = nullptr;
      std::map<const Value *, Constant *> merged; // all at once: one may read another
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

  BasicBlock *successor(const std::map<const Value *, Constant *> &frame, Instruction &terminator) const {
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

  bool step(std::map<const Value *, Constant *> &frame, Instruction &instruction, unsigned depth) {
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
      return (frame[alloca] = local(*alloca));
    if (auto *read = dyn_cast<LoadInst>(&instruction))
      return (frame[read] = load(value(frame, read->getPointerOperand()), read->getType()));
    if (auto *write = dyn_cast<StoreInst>(&instruction)) {
      Constant *stored = value(frame, write->getValueOperand());
      return stored && !holdsAddresses(stored->getType()) && store(value(frame, write->getPointerOperand()), stored);
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
      Function *callee = called->getCalledFunction();
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
      } else if (!canConstantFoldCallTo(called, callee) ||
                 !(result = ConstantFoldCall(called, callee, operands, &library_))) {
        return false;
      }
      if (result)
        frame[called] = result;
      return true;
    }
    if (auto *choice = dyn_cast<SelectInst>(&instruction))
      if (auto *condition = dyn_cast_or_null<ConstantInt>(value(frame, choice->getCondition())))
        return (frame[choice] = value(frame, condition->isZero() ? choice->getFalseValue() : choice->getTrueValue()));
    for (Value *operand : instruction.operands()) {
      operands.push_back(value(frame, operand));
      if (!operands.back())
        return false;
    }
    return (frame[&instruction] = ConstantFoldInstOperands(&instruction, operands, layout_, &library_));
  }

  Module &module_;
  const DataLayout &layout_;
  const TargetLibraryInfo &library_;
  std::map<GlobalVariable *, Memory> memory_;
  std::vector<GlobalVariable *> locals_;
  uint64_t steps_ = 0;
};

} // namespace

Constant *constantFromBytes(Type *type, ArrayRef<uint8_t> bytes, const DataLayout &layout) {
  const auto part = [&](Type *inner, uint64_t offset) {
    return constantFromBytes(inner, bytes.drop_front(offset), layout);
  };
  SmallVector<Constant *> parts;
  const auto add = [&](Constant *value) {
    parts.push_back(value);
    return value != nullptr;
  };
  if (auto *structure = dyn_cast<StructType>(type)) {
    const StructLayout *offsets = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      if (!add(part(structure->getElementType(i), offsets->getElementOffset(i))))
        return nullptr;
    return ConstantStruct::get(structure, parts);
  }
  if (auto *array = dyn_cast<ArrayType>(type)) {
    const uint64_t stride = layout.getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      if (!add(part(array->getElementType(), i * stride)))
        return nullptr;
    return ConstantArray::get(array, parts);
  }
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    const uint64_t bits = layout.getTypeSizeInBits(vector->getElementType()).getFixedValue();
    if (bits % 8)
      return nullptr;
    for (unsigned i = 0; i < vector->getNumElements(); ++i)
      if (!add(part(vector->getElementType(), i * bits / 8)))
        return nullptr;
    return ConstantVector::get(parts);
  }
  const uint64_t size = layout.getTypeStoreSize(type);
  if (type->isPointerTy()) { // the only address that bytes can hold
    for (uint64_t i = 0; i < size; ++i)
      if (bytes[i])
        return nullptr;
    return ConstantPointerNull::get(cast<PointerType>(type));
  }
  if (size > sizeof(uint64_t) || !(type->isIntegerTy() || type->isFloatingPointTy())) {
    if (!type->isIntegerTy())
      return nullptr;
    SmallVector<uint64_t> words((size + 7) / 8);
    std::memcpy(words.data(), bytes.data(), size);
    return ConstantInt::get(type->getContext(), APInt(type->getIntegerBitWidth(), words));
  }
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), size);
  const unsigned width = unsigned(layout.getTypeSizeInBits(type));
  Constant *number = ConstantInt::get(type->getContext(), APInt(width, bits));
  return type->isIntegerTy() ? number : ConstantExpr::getBitCast(number, type);
}

bool interpretInitializer(Function &initializer, const TargetLibraryInfo &library) {
  Interpreter interpreter(*initializer.getParent(), library);
  return interpreter.run(initializer) && interpreter.commit();
}

} // namespace assay::lowering
