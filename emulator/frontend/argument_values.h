// Emits the values of arguments as calls of primitives in IR (lowering/primitives.h).
#pragma once

#include "support/abi/module_info.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace assay::frontend {

class ArgumentValues {
public:
  /// Calls are put where `builder` stands.
  ArgumentValues(llvm::Module &module, llvm::IRBuilder<> &builder) : module_(module), builder_(builder) {}

  /// The address of a buffer or of threadgroup memory.
  llvm::Value *pointer(const ArgumentInfo &argument);

  /// Stores the components of a built-in one after the other, as many as `bytes` hold.
  void storeBuiltin(const ArgumentInfo &argument, llvm::Value *slot, uint64_t bytes);

  /// What a texture or a sampler holds, or each of an array (msl_shim/detail/texture_request.h).
  static uint64_t handle(const ArgumentInfo &argument, uint32_t element) {
    return uint64_t(argument.index) + element + 1;
  }

private:
  llvm::Value *primitive(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<uint32_t> operands);

  llvm::Module &module_;
  llvm::IRBuilder<> &builder_;
};

} // namespace assay::frontend
