#include "frontend/argument_values.h"

namespace assay::frontend {

using namespace llvm;

Value *ArgumentValues::pointer(const ArgumentInfo &argument) {
  switch (argument.space) {
  case AddressSpace::Constant:
    return primitive("__assay_buffer_constant", builder_.getPtrTy(kIrConstant), {argument.index});
  case AddressSpace::Threadgroup:
    return primitive("__assay_threadgroup_slot", builder_.getPtrTy(kIrThreadgroup), {argument.index});
  default: return primitive("__assay_buffer_device", builder_.getPtrTy(kIrDevice), {argument.index});
  }
}

void ArgumentValues::storeBuiltin(const ArgumentInfo &argument, Value *slot, uint64_t bytes) {
  const uint32_t scalarBytes = scalarTypeInfo(argument.element.value_or(ScalarType::UInt)).bytes;
  const BuiltinInfo &row = builtinInfo(*argument.builtin);
  for (uint32_t c = 0; c < row.components && (c + 1) * scalarBytes <= bytes; ++c) {
    Value *value = primitive("__assay_builtin", builder_.getInt32Ty(), {uint32_t(row.builtin), c});
    value = builder_.CreateTrunc(value, builder_.getIntNTy(scalarBytes * 8));
    builder_.CreateStore(value, builder_.CreateConstGEP1_32(builder_.getInt8Ty(), slot, c * scalarBytes));
  }
}

Value *ArgumentValues::primitive(StringRef name, Type *result, ArrayRef<uint32_t> operands) {
  SmallVector<Type *> types(operands.size(), builder_.getInt32Ty());
  auto callee = module_.getOrInsertFunction(name, FunctionType::get(result, types, false));
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->addFnAttr(Attribute::WillReturn);
  SmallVector<Value *> values;
  for (uint32_t operand : operands)
    values.push_back(builder_.getInt32(operand));
  return builder_.CreateCall(callee, values);
}

} // namespace assay::frontend
