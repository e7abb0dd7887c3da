#include "frontend/argument_values.h"

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

Value *ArgumentValues::index(const ArgumentInfo &argument) {
  if (argument.indexConstant.empty())
    return builder_.getInt32(argument.index);
  const auto number = uint32_t(&argument - arguments_->data());
  return primitive("__assay_argument_slot", builder_.getInt32Ty(), {builder_.getInt32(number)});
}

void ArgumentValues::storeBuiltin(const ArgumentInfo &argument, Value *slot, uint64_t bytes) {
  const uint32_t scalarBytes = scalarTypeInfo(argument.element.value_or(ScalarType::UInt)).bytes;
  const BuiltinInfo &row = builtinInfo(*argument.builtin);
  for (uint32_t c = 0; c < row.components && (c + 1) * scalarBytes <= bytes; ++c) {
    Value *value = primitive("__assay_builtin", builder_.getInt32Ty(),
                             {builder_.getInt32(uint32_t(row.builtin)), builder_.getInt32(c)});
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
