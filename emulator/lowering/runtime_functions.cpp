// See runtime_functions.h. A declaration's type is made from the type of the C function.
#include "runtime_functions.h"

#include "support/abi/lane_abi.h"

#include <llvm/IR/DerivedTypes.h>

#include <type_traits>

namespace assay::lowering {
namespace {

using namespace llvm;

template <class T> Type *irTypeOf(LLVMContext &context) {
  if constexpr (std::is_void_v<T>)
    return Type::getVoidTy(context);
  else if constexpr (std::is_pointer_v<T>)
    return PointerType::get(context, 0);
  else {
    static_assert(std::is_integral_v<T>);
    return IntegerType::get(context, 8 * sizeof(T));
  }
}

template <class R, class... Parameters> FunctionType *irTypeOf(LLVMContext &context, R (*)(Parameters...)) {
  return FunctionType::get(irTypeOf<R>(context), {irTypeOf<Parameters>(context)...}, /*isVarArg=*/false);
}

FunctionType *irTypeOf(LLVMContext &context, RuntimeCall call) {
  switch (call) {
#define ASSAY_RUNTIME_CALL(name, symbol, result, parameters, memory, end, waits)                             \
  case RuntimeCall::name: return irTypeOf(context, static_cast<result(*) parameters>(nullptr));
#include "support/abi/runtime_calls.def"
#undef ASSAY_RUNTIME_CALL
  }
  llvm_unreachable("every call is in the table");
}

MemoryEffects effectsOf(CallMemory memory) {
  switch (memory) {
  case CallMemory::Everything: return MemoryEffects::unknown();
  case CallMemory::Nothing: return MemoryEffects::none();
  case CallMemory::Inaccessible: return MemoryEffects::inaccessibleMemOnly();
  case CallMemory::Arguments: return MemoryEffects::argMemOnly() | MemoryEffects::inaccessibleMemOnly();
  case CallMemory::ReadsArguments:
    return MemoryEffects::argMemOnly(ModRefInfo::Ref) | MemoryEffects::inaccessibleMemOnly();
  case CallMemory::ReadsAnything: return MemoryEffects::readOnly() | MemoryEffects::inaccessibleMemOnly();
  }
  llvm_unreachable("no such memory");
}

} // namespace

FunctionCallee runtimeFunction(Module &module, RuntimeCall call) {
  const RuntimeCallInfo &info = runtimeCallInfo(call);
  FunctionCallee callee = module.getOrInsertFunction(info.symbol, irTypeOf(module.getContext(), call));
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotThrow();
  if (info.memory != CallMemory::Everything)
    function->setMemoryEffects(effectsOf(info.memory));
  if (info.memory == CallMemory::ReadsArguments)
    for (Argument &argument : drop_begin(function->args())) // the first is the lane
      if (argument.getType()->isPointerTy())
        argument.addAttr(Attribute::NoCapture);
  if (info.end == CallEnd::Returns)
    function->addFnAttr(Attribute::WillReturn);
  if (info.end == CallEnd::Never) {
    function->setDoesNotReturn();
    function->addFnAttr(Attribute::Cold);
  }
  return callee;
}

} // namespace assay::lowering
