// One lane of the reference: its place in the code, its values and its memory.
#include "lane.h"

#include "../sites.h"
#include "../source_place.h"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <fmt/format.h>

#include <cstring>

namespace assay::lowering::reference {

using namespace llvm;

Lane::Lane(const Surroundings &around, const LaneAbi &builtins, uint8_t *published)
    : counters(around.state->order.loops.size()), around_(around), builtins_(builtins), published_(published),
      floats_(around.state->options.numerics), block_(&around.state->entry->getEntryBlock()),
      next_(block_->begin()) {}

void Lane::run() {
  while (standing == Standing::Ready)
    step();
}

void Lane::fail(std::string what) {
  if (standing == Standing::Failed)
    return;
  standing = Standing::Failed;
  error = Error::kernel("unsupported", "the reference does not do this: " + what,
                        placeOf(next_ == block_->begin() ? *next_ : *std::prev(next_)));
}

void Lane::step() {
  const Instruction &instruction = *next_++;
  constexpr uint64_t kLookAtClock = 1 << 16;
  const uint64_t left = --*around_.stepsLeft;
  const bool late = left % kLookAtClock == 0 && std::chrono::steady_clock::now() > around_.deadline;
  if (left == 0 || late) {
    standing = Standing::Failed;
    error = Error::kernel("no-progress",
                          late ? "the threadgroup has not ended in its time, on the reference"
                               : "the reference has reached its limit of steps",
                          placeOf(instruction));
    return;
  }
  if (const auto *branch = dyn_cast<BranchInst>(&instruction)) {
    enter(branch->getSuccessor(branch->isConditional() && !number(branch->getCondition())));
  } else if (const auto *choice = dyn_cast<SwitchInst>(&instruction)) {
    const APInt value = get(choice->getCondition())[0];
    const BasicBlock *to = choice->getDefaultDest();
    for (const auto &option : choice->cases())
      if (option.getCaseValue()->getValue() == value)
        to = option.getCaseSuccessor();
    enter(to);
  } else if (isa<ReturnInst>(instruction)) {
    standing = Standing::Ended;
  } else {
    compute(instruction);
  }
}

// All phis of a block take their values at once. The iteration of a loop counts from 0 on each way in.
void Lane::enter(const BasicBlock *block) {
  const BasicBlock *from = block_;
  std::vector<std::pair<const PHINode *, Value>> phis;
  for (const PHINode &phi : block->phis())
    phis.push_back({&phi, get(phi.getIncomingValueForBlock(from))});
  for (auto &[phi, value] : phis)
    set(*phi, std::move(value));
  for (const WaitLoop &loop : around_.state->order.loops)
    if (loop.hasSites && loop.header == block)
      counters[loop.counter] = is_contained(loop.latches, from) ? counters[loop.counter] + 1 : 0;
  block_ = block;
  next_ = block->getFirstNonPHIIt();
}

// ---- values ----

Value Lane::get(Operand operand) {
  if (const auto *known = dyn_cast<Constant>(operand))
    return constant(*known);
  const auto found = values_.find(operand);
  return found != values_.end() ? found->second : zeroOf(operand->getType(), *around_.layout);
}

Value Lane::constant(const Constant &constant) {
  Type *type = constant.getType();
  if (const auto *integer = dyn_cast<ConstantInt>(&constant); integer && !type->isVectorTy())
    return {integer->getValue()};
  if (const auto *real = dyn_cast<ConstantFP>(&constant); real && !type->isVectorTy())
    return {real->getValueAPF().bitcastToAPInt()};
  if (constant.isNullValue() || isa<UndefValue>(constant))
    return zeroOf(type, *around_.layout);
  if (const auto *variable = dyn_cast<GlobalVariable>(&constant)) {
    const auto inArena = around_.state->threadgroupIndex.find(const_cast<GlobalVariable *>(variable));
    if (inArena != around_.state->threadgroupIndex.end())
      return {APInt(64, uintptr_t(around_.group->arena) +
                            around_.state->info.threadgroupVariables[inArena->second].offset)};
    const auto bytes = around_.constants->find(variable);
    if (bytes == around_.constants->end()) {
      fail("the address of " + variable->getName().str());
      return zeroOf(type, *around_.layout);
    }
    return {APInt(64, uintptr_t(bytes->second.data()))};
  }
  if (const auto *pointer = dyn_cast<GEPOperator>(&constant))
    return address(*pointer);
  if (const auto *expression = dyn_cast<ConstantExpr>(&constant)) {
    if (expression->isCast())
      if (auto value = cast(expression->getOpcode(), expression->getOperand(0)->getType(), type,
                            get(expression->getOperand(0))))
        return *value;
    if (Instruction::isBinaryOp(expression->getOpcode()) && !type->isVectorTy())
      if (auto value = integerOperation(expression->getOpcode(), get(expression->getOperand(0))[0],
                                        get(expression->getOperand(1))[0]))
        return {*value};
    fail("a constant expression");
    return zeroOf(type, *around_.layout);
  }
  Value value; // a vector, a struct or an array
  for (unsigned i = 0; const Constant *element = constant.getAggregateElement(i); ++i)
    value.append(this->constant(*element));
  return value;
}

std::optional<Value> Lane::binary(const Instruction &instruction) {
  const Value a = get(instruction.getOperand(0)), b = get(instruction.getOperand(1));
  Type *type = instruction.getType()->getScalarType();
  Value result;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto one = type->isFloatingPointTy() ? floats_.operation(instruction.getOpcode(), type, a[i], b[i])
                                               : integerOperation(instruction.getOpcode(), a[i], b[i]);
    if (!one)
      return std::nullopt;
    result.push_back(*one);
  }
  return result;
}

std::optional<Value> Lane::cast(unsigned opcode, Type *from, Type *to, const Value &value) {
  if (opcode == Instruction::BitCast)
    return bitCast(value, to, *around_.layout);
  Type *element = to->getScalarType();
  const unsigned bits = bitsOfScalar(element, *around_.layout);
  Value result;
  for (const APInt &scalar : value)
    switch (opcode) {
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
    case Instruction::AddrSpaceCast: result.push_back(scalar.zextOrTrunc(bits)); break;
    case Instruction::SExt: result.push_back(scalar.sext(bits)); break;
    default:
      if (auto number = floats_.cast(opcode, from->getScalarType(), element, scalar, bits))
        result.push_back(*number);
      else
        return std::nullopt;
    }
  return result;
}

Value Lane::address(const GEPOperator &address) {
  const DataLayout &layout = *around_.layout;
  uint64_t place = number(address.getPointerOperand());
  if (address.getType()->isVectorTy())
    fail("addresses in a vector");
  for (auto type = gep_type_begin(address), end = gep_type_end(address); type != end; ++type) {
    if (StructType *structure = type.getStructTypeOrNull())
      place += layout.getStructLayout(structure)
                   ->getElementOffset(unsigned(number(type.getOperand())))
                   .getFixedValue();
    else
      place += uint64_t(get(type.getOperand())[0].getSExtValue()) *
               type.getSequentialElementStride(layout).getFixedValue();
  }
  return {APInt(64, place)};
}

Value Lane::choose(const SelectInst &select) {
  const Value condition = get(select.getCondition()), a = get(select.getTrueValue()),
              b = get(select.getFalseValue());
  if (condition.size() == 1)
    return condition[0].isZero() ? b : a;
  Value result;
  for (size_t i = 0; i < a.size(); ++i)
    result.push_back(condition[i].isZero() ? b[i] : a[i]);
  return result;
}

Value Lane::shuffle(const ShuffleVectorInst &shuffle) {
  Value all = get(shuffle.getOperand(0));
  all.append(get(shuffle.getOperand(1)));
  Value result;
  for (const int element : shuffle.getShuffleMask())
    result.push_back(element < 0 ? APInt(all[0].getBitWidth(), 0) : all[size_t(element)]);
  return result;
}

void Lane::compute(const Instruction &instruction) {
  Type *type = instruction.getType();
  const DataLayout &layout = *around_.layout;
  const auto setOrFail = [&](std::optional<Value> value) {
    if (value)
      set(instruction, std::move(*value));
    else
      fail(fmt::format("the instruction {}", instruction.getOpcodeName()));
  };
  const auto compared = [&](auto compare) {
    const Value a = get(instruction.getOperand(0)), b = get(instruction.getOperand(1));
    Value result;
    for (size_t i = 0; i < a.size(); ++i)
      result.push_back(APInt(1, compare(a[i], b[i])));
    set(instruction, std::move(result));
  };
  if (isa<BinaryOperator>(instruction))
    return setOrFail(binary(instruction));
  if (isa<CastInst>(instruction))
    return setOrFail(cast(instruction.getOpcode(), instruction.getOperand(0)->getType(), type,
                          get(instruction.getOperand(0))));
  if (const auto *pointer = dyn_cast<GEPOperator>(&instruction))
    return set(instruction, address(*pointer));
  if (const auto *called = dyn_cast<CallBase>(&instruction))
    return call(*called);
  if (const auto *compare = dyn_cast<ICmpInst>(&instruction))
    return compared(
        [&](const APInt &a, const APInt &b) { return compareIntegers(compare->getPredicate(), a, b); });
  if (const auto *compare = dyn_cast<FCmpInst>(&instruction))
    return compared([&](const APInt &a, const APInt &b) {
      return floats_.compare(compare->getPredicate(), compare->getOperand(0)->getType()->getScalarType(), a,
                             b);
    });
  switch (instruction.getOpcode()) {
  case Instruction::FNeg: {
    Value value = get(instruction.getOperand(0));
    for (APInt &scalar : value)
      scalar.flipBit(scalar.getBitWidth() - 1);
    return set(instruction, std::move(value));
  }
  case Instruction::Select: return set(instruction, choose(cast<SelectInst>(instruction)));
  case Instruction::Freeze: return set(instruction, get(instruction.getOperand(0)));
  case Instruction::ExtractElement: {
    const Value vector = get(instruction.getOperand(0));
    return set(instruction, {vector[number(instruction.getOperand(1)) % vector.size()]});
  }
  case Instruction::InsertElement: {
    Value vector = get(instruction.getOperand(0));
    vector[number(instruction.getOperand(2)) % vector.size()] = get(instruction.getOperand(1))[0];
    return set(instruction, std::move(vector));
  }
  case Instruction::ShuffleVector: return set(instruction, shuffle(cast<ShuffleVectorInst>(instruction)));
  case Instruction::ExtractValue: {
    const auto &extract = cast<ExtractValueInst>(instruction);
    Type *whole = extract.getAggregateOperand()->getType();
    if (extract.getNumIndices() != 1 || !whole->isStructTy())
      return fail("a part of a nested value");
    unsigned first = 0;
    for (unsigned i = 0; i < extract.getIndices()[0]; ++i)
      first += scalarsIn(whole->getStructElementType(i));
    const Value all = get(extract.getAggregateOperand());
    return set(instruction, Value(ArrayRef(all).slice(first, scalarsIn(type))));
  }
  case Instruction::InsertValue: {
    const auto &insert = cast<InsertValueInst>(instruction);
    if (insert.getNumIndices() != 1 || !type->isStructTy())
      return fail("a part of a nested value");
    unsigned first = 0;
    for (unsigned i = 0; i < insert.getIndices()[0]; ++i)
      first += scalarsIn(type->getStructElementType(i));
    Value all = get(insert.getAggregateOperand());
    copy(get(insert.getInsertedValueOperand()), all.begin() + first);
    return set(instruction, std::move(all));
  }
  case Instruction::Alloca: {
    const auto &variable = cast<AllocaInst>(instruction);
    const uint64_t bytes = layout.getTypeAllocSize(variable.getAllocatedType()).getFixedValue() *
                           number(variable.getArraySize());
    variables_.push_back({std::make_unique<uint8_t[]>(bytes), bytes});
    return set(instruction, {APInt(64, uintptr_t(variables_.back().first.get()))});
  }
  case Instruction::Load:
    if (const uint8_t *from = access(number(cast<LoadInst>(instruction).getPointerOperand()),
                                     layout.getTypeStoreSize(type).getFixedValue()))
      set(instruction, load(from, type, layout));
    return;
  case Instruction::Store: {
    const auto &made = cast<StoreInst>(instruction);
    Type *stored = made.getValueOperand()->getType();
    if (uint8_t *to =
            access(number(made.getPointerOperand()), layout.getTypeStoreSize(stored).getFixedValue()))
      store(to, get(made.getValueOperand()), stored, layout);
    return;
  }
  case Instruction::AtomicRMW: return update(cast<AtomicRMWInst>(instruction));
  case Instruction::AtomicCmpXchg: return exchange(cast<AtomicCmpXchgInst>(instruction));
  case Instruction::Fence: return; // one lane runs at a time
  default: return fail(fmt::format("the instruction {}", instruction.getOpcodeName()));
  }
}

// ---- memory ----

bool Lane::owns(uint64_t address, uint64_t bytes) const {
  const auto within = [&](uint64_t first, uint64_t size) {
    return address >= first && address - first <= size && bytes <= size - (address - first);
  };
  for (const BufferAbi &buffer : around_.group->dispatch->buffers)
    if (buffer.base && within(uintptr_t(buffer.begin()), buffer.allBytes()))
      return true;
  for (const TensorAbi *tensor : around_.group->dispatch->tensors)
    if (tensor && within(uintptr_t(tensor), sizeof *tensor))
      return true;
  for (const BufferAbi &buffer : around_.resources)
    if (buffer.base && within(uintptr_t(buffer.begin()), buffer.allBytes()))
      return true;
  for (const auto &[variable, constant] : *around_.constants)
    if (within(uintptr_t(constant.data()), constant.size()))
      return true;
  for (const auto &[memory, size] : variables_)
    if (within(uintptr_t(memory.get()), size))
      return true;
  return within(uintptr_t(around_.group->arena), around_.arenaBytes);
}

bool Lane::pointsTo(uint64_t address, uint64_t space) const {
  const auto within = [&](const void *first, uint64_t size) {
    return address - reinterpret_cast<uintptr_t>(first) <= size; // its end as well
  };
  const bool isThread =
      any_of(variables_,
             [&](const auto &variable) { return within(variable.first.get(), variable.second); }) ||
      any_of(*around_.constants,
             [&](const auto &constant) { return within(constant.second.data(), constant.second.size()); });
  const bool isThreadgroup = !isThread && within(around_.group->arena, around_.arenaBytes);
  const unsigned pointed = isThread ? kIrThread : isThreadgroup ? kIrThreadgroup : kIrDevice;
  return address && pointed == space;
}

uint8_t *Lane::access(uint64_t address, uint64_t bytes) {
  if (standing == Standing::Failed)
    return nullptr;
  if (owns(address, bytes))
    return reinterpret_cast<uint8_t *>(address);
  standing = Standing::Failed;
  error = Error::kernel("out-of-bounds",
                        fmt::format("an access of {} bytes outside of the kernel's memory", bytes),
                        placeOf(*std::prev(next_)));
  return nullptr;
}

void Lane::update(const AtomicRMWInst &update) {
  Type *type = update.getType();
  uint8_t *place =
      access(number(update.getPointerOperand()), around_.layout->getTypeStoreSize(type).getFixedValue());
  if (!place)
    return;
  const Value before = load(place, type, *around_.layout);
  const APInt &a = before[0], b = get(update.getValOperand())[0];
  std::optional<APInt> after;
  switch (update.getOperation()) {
  case AtomicRMWInst::Xchg: after = b; break;
  case AtomicRMWInst::Add: after = a + b; break;
  case AtomicRMWInst::Sub: after = a - b; break;
  case AtomicRMWInst::And: after = a & b; break;
  case AtomicRMWInst::Or: after = a | b; break;
  case AtomicRMWInst::Xor: after = a ^ b; break;
  case AtomicRMWInst::Max: after = APIntOps::smax(a, b); break;
  case AtomicRMWInst::Min: after = APIntOps::smin(a, b); break;
  case AtomicRMWInst::UMax: after = APIntOps::umax(a, b); break;
  case AtomicRMWInst::UMin: after = APIntOps::umin(a, b); break;
  case AtomicRMWInst::FAdd: after = floats_.operation(Instruction::FAdd, type, a, b); break;
  case AtomicRMWInst::FSub: after = floats_.operation(Instruction::FSub, type, a, b); break;
  default: break;
  }
  if (!after)
    return fail("an atomic operation");
  store(place, {*after}, type, *around_.layout);
  set(update, before);
}

void Lane::exchange(const AtomicCmpXchgInst &exchange) {
  Type *type = exchange.getNewValOperand()->getType();
  uint8_t *place =
      access(number(exchange.getPointerOperand()), around_.layout->getTypeStoreSize(type).getFixedValue());
  if (!place)
    return;
  Value result = load(place, type, *around_.layout);
  const bool same = result[0] == get(exchange.getCompareOperand())[0];
  if (same)
    store(place, get(exchange.getNewValOperand()), type, *around_.layout);
  result.push_back(APInt(1, same));
  set(exchange, std::move(result));
}

// ---- calls ----

void Lane::call(const CallBase &call) {
  if (const std::optional<Primitive> known = primitiveOf(call))
    return primitive(call, *known);
  if (const auto *known = dyn_cast<IntrinsicInst>(&call)) {
    if (isa<DbgInfoIntrinsic, AssumeInst>(known) || known->isLifetimeStartOrEnd())
      return;
    if (isa<MemIntrinsic>(known))
      return moveMemory(*known);
    if (auto value = intrinsic(*known))
      return set(call, std::move(*value));
  }
  const Function *callee = call.getCalledFunction();
  fail(fmt::format("a call of {}", callee ? callee->getName().str() : "a pointer"));
}

void Lane::primitive(const CallBase &call, Primitive primitive) {
  const auto address = [&](const void *place) { set(call, {APInt(64, uintptr_t(place))}); };
  const uint32_t first = call.arg_size() > 0 && call.getArgOperand(0)->getType()->isIntegerTy()
                             ? uint32_t(number(call.getArgOperand(0)))
                             : 0;
  const DispatchAbi &dispatch = *around_.group->dispatch;
  switch (primitive) {
  case Primitive::BufferDevice:
  case Primitive::BufferConstant: return address(dispatch.buffers[first].base);
  case Primitive::TensorRecord: return address(dispatch.tensors[first]);
  case Primitive::ThreadgroupSlot: return address(around_.group->arena + dispatch.threadgroupOffset[first]);
  case Primitive::Builtin: {
    const auto component = number(call.getArgOperand(1));
    const bool ofGroup = builtinInfo(static_cast<Builtin>(first)).scope == BuiltinScope::Group;
    return set(call, {APInt(32, (ofGroup ? around_.group->builtin : builtins_.builtin)[first][component])});
  }
  case Primitive::ThreadgroupBarrier:
    site = siteOf(call);
    standing = Standing::AtBarrier;
    return;
  case Primitive::SimdOp:
    site = siteOf(call);
    in = reinterpret_cast<const void *>(number(call.getArgOperand(3)));
    out = reinterpret_cast<void *>(number(call.getArgOperand(4)));
    operand = uint32_t(number(call.getArgOperand(5)));
    standing = Standing::AtSimd;
    return;
  case Primitive::PointsTo:
    return set(call, {APInt(32, pointsTo(number(call.getArgOperand(0)), number(call.getArgOperand(1))))});
  case Primitive::Publish: return publish(call);
  case Primitive::Spin: return;
  case Primitive::TextureRead:
  case Primitive::TextureWrite:
  case Primitive::TextureSample:
  case Primitive::TextureAtomic:
  case Primitive::TextureQuery: return fail("textures");
  case Primitive::Log:
  case Primitive::AssertionFailed: return fail("logging and assertions");
  default: return fail(fmt::format("a call of {}", call.getCalledFunction()->getName().str()));
  }
}

// As SiteInfo::published describes it: the operand as it lies in memory, then a byte for each element.
void Lane::publish(const CallBase &publish) {
  const OperandRegister &place = around_.state->registers[number(publish.getArgOperand(0))];
  const auto byte = uint32_t(number(publish.getArgOperand(1)));
  Operand value = publish.getArgOperand(2);
  store(published_ + place.place + byte, get(value), value->getType(), *around_.layout);
  published_[place.place + place.elements * place.elementBytes + byte / place.elementBytes] = 1;
}

void Lane::moveMemory(const IntrinsicInst &call) {
  const uint64_t bytes = number(call.getArgOperand(2));
  uint8_t *to = access(number(call.getArgOperand(0)), bytes);
  if (!to)
    return;
  if (isa<MemSetInst>(call))
    std::memset(to, int(number(call.getArgOperand(1))), bytes);
  else if (const uint8_t *from = access(number(call.getArgOperand(1)), bytes))
    std::memmove(to, from, bytes);
}

// The results of all elements, then whether each of them has wrapped.
static Value withOverflow(const WithOverflowInst &call, const Value &a, const Value &b) {
  Value results, wrapped;
  for (size_t i = 0; i < a.size(); ++i) {
    bool overflow = false;
    const APInt &x = a[i], &y = b[i];
    switch (call.getIntrinsicID()) {
    case Intrinsic::sadd_with_overflow: results.push_back(x.sadd_ov(y, overflow)); break;
    case Intrinsic::uadd_with_overflow: results.push_back(x.uadd_ov(y, overflow)); break;
    case Intrinsic::ssub_with_overflow: results.push_back(x.ssub_ov(y, overflow)); break;
    case Intrinsic::usub_with_overflow: results.push_back(x.usub_ov(y, overflow)); break;
    case Intrinsic::smul_with_overflow: results.push_back(x.smul_ov(y, overflow)); break;
    default: results.push_back(x.umul_ov(y, overflow)); break;
    }
    wrapped.push_back(APInt(1, overflow));
  }
  results.append(wrapped);
  return results;
}

std::optional<Value> Lane::intrinsic(const IntrinsicInst &call) {
  const Intrinsic::ID id = call.getIntrinsicID();
  Type *type = call.getType()->getScalarType();
  std::vector<Value> operands;
  for (const Use &argument : call.args())
    operands.push_back(get(argument));
  if (const auto *checked = dyn_cast<WithOverflowInst>(&call))
    return withOverflow(*checked, operands[0], operands[1]);
  Value result;
  for (unsigned i = 0; i < scalarsIn(call.getType()); ++i) {
    SmallVector<APInt, 3> one;
    for (const Value &operand : operands)
      one.push_back(operand[operand.size() == 1 ? 0 : i]);
    std::optional<APInt> made;
    const unsigned bits = one[0].getBitWidth();
    if (id == Intrinsic::fabs) {
      made = one[0] & APInt::getSignedMaxValue(bits);
    } else if (id == Intrinsic::copysign) {
      made = (one[0] & APInt::getSignedMaxValue(bits)) | (one[1] & APInt::getSignMask(bits));
    } else if (id == Intrinsic::is_fpclass) {
      const APFloat value(call.getArgOperand(0)->getType()->getScalarType()->getFltSemantics(), one[0]);
      made = APInt(1, (unsigned(value.classify()) & one[1].getZExtValue()) != 0);
    } else if (id == Intrinsic::fptosi_sat || id == Intrinsic::fptoui_sat) {
      made = floats_.cast(id == Intrinsic::fptosi_sat ? Instruction::FPToSI : Instruction::FPToUI,
                          call.getArgOperand(0)->getType()->getScalarType(), type, one[0],
                          type->getIntegerBitWidth());
    } else if (type->isFloatingPointTy()) {
      made = floats_.intrinsic(id, type, one);
    } else {
      made = integerIntrinsic(id, one);
    }
    if (!made)
      return std::nullopt;
    result.push_back(*made);
  }
  return result;
}

} // namespace assay::lowering::reference
