// Emits the values of arguments as calls of primitives in IR (lowering/primitives.h).
#pragma once

#include "support/abi/module_info.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace assay::frontend {

class ArgumentValues {
public:
  /// Calls are inserted at the position of `builder`.
  ArgumentValues(llvm::Module &module, llvm::IRBuilder<> &builder) : module_(module), builder_(builder) {}

  /// Sets the arguments of the kernel that is being built. If function constants decide the index of an
  /// argument that `pointer` or `handle` gets, it must be one of these arguments.
  void setArguments(const std::vector<ArgumentInfo> &arguments) { arguments_ = &arguments; }

  /// The address of a buffer, of threadgroup memory, or of the record of a tensor.
  llvm::Value *pointer(const ArgumentInfo &argument);

  /// Stores the components of a built-in one after the other, as many as `bytes` hold.
  void storeBuiltin(const ArgumentInfo &argument, llvm::Value *slot, uint64_t bytes);

  /// The value that a texture or a sampler holds, or an element of an array of them
  /// (msl_shim/detail/texture_request.h).
  static uint64_t handle(uint64_t index, uint32_t element) { return index + element + 1; }
  llvm::Value *handle(const ArgumentInfo &argument, uint32_t element);

  /// The address of a thread's value of an attribute (stage_input_abi.h). It must be one of the arguments.
  llvm::Value *attribute(const ArgumentInfo &argument);

private:
  llvm::Value *number(const ArgumentInfo &argument);
  llvm::Value *builtin(Builtin builtin, uint32_t component);
  llvm::Value *index(const ArgumentInfo &argument);
  llvm::Value *primitive(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<llvm::Value *> operands);

  llvm::Module &module_;
  llvm::IRBuilder<> &builder_;
  const std::vector<ArgumentInfo> *arguments_ = nullptr;
};

} // namespace assay::frontend
