#include "frontend/argument_values.h"

#include "support/abi/stage_input_abi.h"

#include <algorithm>
#include <cstddef>

namespace assay::frontend {

using namespace llvm;

Value *ArgumentValues::pointer(const ArgumentInfo &argument) {
  if (argument.kind == ArgumentKind::Tensor)
    return primitive("__assay_tensor", builder_.getPtrTy(kIrConstant), {index(argument)});
  switch (argument.space) {
  case AddressSpace::Constant:
    return primitive("__assay_buffer_constant", builder_.getPtrTy(kIrConstant), {index(argument)});
  case AddressSpace::Threadgroup:
    return primitive("__assay_threadgroup_slot", builder_.getPtrTy(kIrThreadgroup), {index(argument)});
  default: return primitive("__assay_buffer_device", builder_.getPtrTy(kIrDevice), {index(argument)});
  }
}

Value *ArgumentValues::handle(const ArgumentInfo &argument, uint32_t element) {
  return builder_.CreateAdd(builder_.CreateZExt(index(argument), builder_.getInt64Ty()),
                            builder_.getInt64(handle(0, element)));
}

Value *ArgumentValues::number(const ArgumentInfo &argument) {
  return builder_.getInt32(uint32_t(&argument - arguments_->data()));
}

Value *ArgumentValues::index(const ArgumentInfo &argument) {
  if (argument.indexConstant.empty() && argument.kind != ArgumentKind::Attribute)
    return builder_.getInt32(argument.index);
  return primitive("__assay_argument_slot", builder_.getInt32Ty(), {number(argument)});
}

Value *ArgumentValues::attribute(const ArgumentInfo &argument) {
  const auto before = std::count_if(arguments_->data(), &argument, [](const ArgumentInfo &other) {
    return other.kind == ArgumentKind::Attribute;
  });
  Value *table = primitive("__assay_buffer_constant", builder_.getPtrTy(kIrConstant), {index(argument)});
  const auto field = [&](size_t offset) {
    return builder_.CreateAlignedLoad(
        builder_.getInt64Ty(),
        builder_.CreatePtrAdd(table, builder_.getInt64(before * sizeof(StageAttributeAbi) + offset)),
        Align(8));
  };
  const auto along = [&](uint32_t axis, size_t stride) {
    Value *place = builtin(Builtin::ThreadPositionInGrid, axis);
    return builder_.CreateMul(builder_.CreateZExt(place, builder_.getInt64Ty()), field(stride));
  };
  Value *offset = builder_.CreateAdd(field(offsetof(StageAttributeAbi, first)),
                                     along(0, offsetof(StageAttributeAbi, columnStride)));
  offset = builder_.CreateAdd(offset, along(1, offsetof(StageAttributeAbi, rowStride)));
  return builder_.CreatePtrAdd(table, offset);
}

Value *ArgumentValues::builtin(Builtin builtin, uint32_t component) {
  return primitive("__assay_builtin", builder_.getInt32Ty(),
                   {builder_.getInt32(uint32_t(builtin)), builder_.getInt32(component)});
}

void ArgumentValues::storeBuiltin(const ArgumentInfo &argument, Value *slot, uint64_t bytes) {
  const uint32_t scalarBytes = scalarTypeInfo(argument.element.value_or(ScalarType::UInt)).bytes;
  const BuiltinInfo &row = builtinInfo(*argument.builtin);
  for (uint32_t c = 0; c < row.components && (c + 1) * scalarBytes <= bytes; ++c) {
    Value *value = builtin(row.builtin, c);
    value = builder_.CreateTrunc(value, builder_.getIntNTy(scalarBytes * 8));
    builder_.CreateStore(value, builder_.CreateConstGEP1_32(builder_.getInt8Ty(), slot, c * scalarBytes));
  }
}

Value *ArgumentValues::primitive(StringRef name, Type *result, ArrayRef<Value *> operands) {
  SmallVector<Type *> types(operands.size(), builder_.getInt32Ty());
  auto callee = module_.getOrInsertFunction(name, FunctionType::get(result, types, false));
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->addFnAttr(Attribute::WillReturn);
  return builder_.CreateCall(callee, operands);
}

} // namespace assay::frontend
