// What the optimiser may assume of primitives.
//
// Barriers touch all memory: nothing moves over them. A simd operation other than simdgroup_barrier orders no
// memory in Metal, so it touches its own operands and the state of the other lanes (inaccessible memory, so
// two of them do not swap). All of them are convergent: no pass may make one depend on more or fewer
// conditions, which would change who takes part. They are nomerge, so each keeps its place and order. A log
// reads what its record points to and appends to the host's lines, which are inaccessible memory too; only
// its own lane takes part in it. A failed assertion is similar, and so is a call through a pointer that holds
// no function. They are not declared noreturn: the code after them stays as it is.
//
// A probe must leave the kernel as it is. It reads only its own copy of the value, so memory accesses move
// over it freely. It always returns. It is not convergent, since no lane waits at it. Inaccessible memory
// (the host's record) keeps two probes, and a probe and a bounds check, in their order.
#include "primitives.h"

#include "support/abi/builtins.h"
#include "support/abi/limits.h"
#include "support/abi/simd_op.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>

namespace assay::lowering {

std::optional<Primitive> primitiveOf(const llvm::Value &value) {
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&value);
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->getName().starts_with("__assay_"))
    return std::nullopt;
  static constexpr std::pair<llvm::StringLiteral, Primitive> kNames[] = {
      {kBufferDevice, Primitive::BufferDevice},
      {kBufferConstant, Primitive::BufferConstant},
      {kThreadgroupSlot, Primitive::ThreadgroupSlot},
      {kTensorRecord, Primitive::TensorRecord},
      {kTensorField, Primitive::TensorField},
      {kTensorDevice, Primitive::TensorDevice},
      {kTensorConstant, Primitive::TensorConstant},
      {kTensorScalesDevice, Primitive::TensorScalesDevice},
      {kTensorScalesConstant, Primitive::TensorScalesConstant},
      {kBuiltin, Primitive::Builtin},
      {kFunctionConstant, Primitive::FunctionConstant},
      {kFunctionConstantDefined, Primitive::FunctionConstantDefined},
      {kThreadgroupBarrier, Primitive::ThreadgroupBarrier},
      {kSimdOp, Primitive::SimdOp},
      {kSpin, Primitive::Spin},
      {kLog, Primitive::Log},
      {kAssertionFailed, Primitive::AssertionFailed},
      {kRefuse, Primitive::Refuse},
      {kNoTableEntry, Primitive::NoTableEntry},
      {kCallsTooDeep, Primitive::CallsTooDeep},
      {kNoFunction, Primitive::NoFunction},
      {kProbe, Primitive::Probe},
      {kTextureRead, Primitive::TextureRead},
      {kTextureWrite, Primitive::TextureWrite},
      {kTextureSample, Primitive::TextureSample},
      {kTextureAtomic, Primitive::TextureAtomic},
      {kTextureQuery, Primitive::TextureQuery},
      {kPointsTo, Primitive::PointsTo},
      {kFence, Primitive::Fence},
  };
  for (const auto &[name, primitive] : kNames)
    if (callee->getName() == name)
      return primitive;
  if (callee->getName().starts_with(kPublish))
    return Primitive::Publish;
  if (callee->getName().starts_with(kUnwrittenValue))
    return Primitive::UnwrittenValue;
  if (callee->getName().starts_with(kAccess))
    return Primitive::Access;
  return std::nullopt;
}

bool isSite(const llvm::Instruction &instruction) {
  const std::optional<Primitive> primitive = primitiveOf(instruction);
  return primitive == Primitive::ThreadgroupBarrier || primitive == Primitive::SimdOp;
}

std::optional<uint32_t> constantArgument(const llvm::CallBase &call, unsigned index) {
  if (const auto *value = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(index)))
    return static_cast<uint32_t>(value->getZExtValue());
  return std::nullopt;
}

namespace {

// Textures are memory that no pointer of the kernel leads to; two accesses keep their order. An access may
// end the kernel, so none is dropped, repeated or moved up; nomerge keeps two of them apart, each with its
// own line.
llvm::AttributeList textureEffects(llvm::LLVMContext &context, llvm::StringRef name) {
  llvm::AttributeList list;
  for (auto kind : {llvm::Attribute::NoUnwind, llvm::Attribute::NoFree, llvm::Attribute::NoCallback,
                    llvm::Attribute::NoMerge})
    list = list.addFnAttribute(context, kind);
  list = list.addFnAttribute(
      context, llvm::Attribute::getWithMemoryEffects(
                   context, llvm::MemoryEffects::argMemOnly() | llvm::MemoryEffects::inaccessibleMemOnly()));
  const unsigned in = name == kTextureSample ? 2 : 1;
  for (unsigned pointer : {in, in + 1})
    list = list.addParamAttribute(context, pointer, llvm::Attribute::NoCapture);
  list = list.addParamAttribute(context, in, llvm::Attribute::ReadOnly);
  return list.addParamAttribute(
      context, in + 1, name == kTextureWrite ? llvm::Attribute::ReadOnly : llvm::Attribute::WriteOnly);
}

} // namespace

void declareEnd(llvm::Function &function) {
  function.setAttributes({});
  for (auto kind :
       {llvm::Attribute::NoUnwind, llvm::Attribute::NoFree, llvm::Attribute::NoMerge, llvm::Attribute::Cold})
    function.addFnAttr(kind);
  function.setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
}

void declareEffects(llvm::Module &module) {
  for (llvm::StringRef name : {kBufferDevice, kBufferConstant, kThreadgroupSlot, kTensorRecord, kBuiltin,
                               kFunctionConstant, kFunctionConstantDefined, kTextureQuery, kPointsTo}) {
    llvm::Function *function = module.getFunction(name);
    if (!function || !function->isDeclaration())
      continue;
    function->setAttributes({});
    for (auto kind : {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::NoFree,
                      llvm::Attribute::NoSync, llvm::Attribute::NoCallback, llvm::Attribute::Speculatable})
      function->addFnAttr(kind);
    function->setDoesNotAccessMemory();
    if (name == kPointsTo)
      function->addParamAttr(0, llvm::Attribute::NoCapture);
  }
  // The record of an argument does not change while the kernel runs. One in an argument buffer may be none.
  for (llvm::StringRef name :
       {kTensorField, kTensorDevice, kTensorConstant, kTensorScalesDevice, kTensorScalesConstant}) {
    llvm::Function *function = module.getFunction(name);
    if (!function || !function->isDeclaration())
      continue;
    function->setAttributes({});
    for (auto kind : {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::NoFree,
                      llvm::Attribute::NoSync, llvm::Attribute::NoCallback})
      function->addFnAttr(kind);
    function->setDoesNotAccessMemory();
  }
  for (llvm::StringRef name : {kLog, kAssertionFailed, kRefuse}) {
    llvm::Function *function = module.getFunction(name);
    if (!function)
      continue;
    function->setAttributes({});
    for (auto kind : {llvm::Attribute::NoUnwind, llvm::Attribute::NoFree, llvm::Attribute::NoMerge})
      function->addFnAttr(kind);
    function->addParamAttr(0, llvm::Attribute::NoCapture);
    function->setMemoryEffects(llvm::MemoryEffects::readOnly() | llvm::MemoryEffects::inaccessibleMemOnly());
  }
  if (llvm::Function *function = module.getFunction(kNoTableEntry))
    declareEnd(*function);
  if (llvm::Function *function = module.getFunction(kProbe)) {
    function->setAttributes({});
    for (auto kind : {llvm::Attribute::NoUnwind, llvm::Attribute::NoFree, llvm::Attribute::NoMerge,
                      llvm::Attribute::WillReturn, llvm::Attribute::NoCallback})
      function->addFnAttr(kind);
    for (unsigned pointer : {0u, 3u}) {
      function->addParamAttr(pointer, llvm::Attribute::NoCapture);
      function->addParamAttr(pointer, llvm::Attribute::ReadOnly);
    }
    function->setMemoryEffects(llvm::MemoryEffects::argMemOnly() |
                               llvm::MemoryEffects::inaccessibleMemOnly());
  }
  // In order with atomic operations and with marks of accesses. It orders nothing itself.
  if (llvm::Function *function = module.getFunction(kFence)) {
    function->setAttributes({});
    for (auto kind : {llvm::Attribute::NoUnwind, llvm::Attribute::NoFree, llvm::Attribute::NoMerge,
                      llvm::Attribute::WillReturn, llvm::Attribute::NoCallback})
      function->addFnAttr(kind);
    function->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  }
  for (llvm::StringRef name : {kThreadgroupBarrier, kSimdOp}) {
    llvm::Function *function = module.getFunction(name);
    if (!function)
      continue;
    function->setAttributes({});
    for (auto kind : {llvm::Attribute::NoUnwind, llvm::Attribute::Convergent, llvm::Attribute::NoMerge,
                      llvm::Attribute::NoFree})
      function->addFnAttr(kind);
    if (name == kSimdOp)
      for (unsigned pointer : {3u, 4u})
        function->addParamAttr(pointer, llvm::Attribute::NoCapture);
  }
  for (llvm::StringRef name : {kTextureRead, kTextureWrite, kTextureSample, kTextureAtomic})
    if (llvm::Function *function = module.getFunction(name)) {
      function->setAttributes(textureEffects(module.getContext(), name));
    }
}

namespace {

// What the limits of limits.h say about built-ins: half of all bounds checks fold on it.
std::optional<std::pair<uint32_t, uint32_t>> rangeOf(Builtin builtin) {
  switch (builtin) {
  case Builtin::ThreadIndexInSimdgroup: return {{0, kSimdWidth}};
  case Builtin::ThreadIndexInQuadgroup: return {{0, kQuadWidth}};
  case Builtin::SimdgroupIndexInThreadgroup: return {{0, kMaxSimdgroupsPerThreadgroup}};
  case Builtin::QuadgroupIndexInThreadgroup: return {{0, kMaxThreadsPerThreadgroup / kQuadWidth}};
  case Builtin::ThreadPositionInThreadgroup:
  case Builtin::ThreadIndexInThreadgroup: return {{0, kMaxThreadsPerThreadgroup}};
  case Builtin::ThreadsPerThreadgroup:
  case Builtin::DispatchThreadsPerThreadgroup: return {{1, kMaxThreadsPerThreadgroup + 1}};
  case Builtin::ThreadsPerSimdgroup:
  case Builtin::ThreadExecutionWidth: return {{1, kSimdWidth + 1}};
  default: return std::nullopt;
  }
}

void addRange(llvm::CallBase &call) {
  const std::optional<uint32_t> builtin = constantArgument(call, 0);
  if (!builtin || *builtin >= kBuiltinCount)
    return;
  if (const auto range = rangeOf(static_cast<Builtin>(*builtin)))
    call.setMetadata(llvm::LLVMContext::MD_range,
                     llvm::MDBuilder(call.getContext())
                         .createRange(llvm::APInt(32, range->first), llvm::APInt(32, range->second)));
}

} // namespace

void refineEffects(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    const std::optional<Primitive> primitive = primitiveOf(instruction);
    if (!primitive)
      continue;
    auto &call = llvm::cast<llvm::CallBase>(instruction);
    // The attributes that the front end wrote at the call may promise less or more than is true here.
    llvm::AttributeList attributes;
    llvm::LLVMContext &context = function.getContext();
    if (isSite(call)) {
      attributes = attributes.addFnAttribute(context, llvm::Attribute::Convergent)
                       .addFnAttribute(context, llvm::Attribute::NoMerge)
                       .addFnAttribute(context, llvm::Attribute::NoUnwind);
      const std::optional<uint32_t> op =
          primitive == Primitive::SimdOp ? constantArgument(call, 0) : std::nullopt;
      call.setAttributes(attributes);
      if (op && !onlyMeets(static_cast<SimdOp>(*op))) {
        call.addFnAttr(llvm::Attribute::WillReturn);
        call.setMemoryEffects(llvm::MemoryEffects::argMemOnly() | llvm::MemoryEffects::inaccessibleMemOnly());
        call.addParamAttr(3, llvm::Attribute::ReadOnly);
        if (simdOpInfo(static_cast<SimdOp>(std::min<uint32_t>(*op, kSimdOps.size() - 1))).result !=
            SimdResult::None)
          call.addParamAttr(4, llvm::Attribute::WriteOnly);
      }
    } else if (isTextureAccess(*primitive)) {
      call.setAttributes(textureEffects(context, call.getCalledFunction()->getName()));
    } else {
      call.setAttributes(attributes);
      if (primitive == Primitive::Builtin)
        addRange(call);
    }
  }
}

} // namespace assay::lowering
