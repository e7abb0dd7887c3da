// Bitcode → module, and taking away what the kernel does not reach.
#include "read_module.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace assay::lowering {
namespace {

Error badBitcode(llvm::Error error) {
  return Error::usage("bad-module", "the module cannot be read: " + llvm::toString(std::move(error)),
                      "it may come from another version; remove the cache and compile again");
}

// Functions that a constant mentions, through casts and aggregates.
void collectFunctions(const llvm::Constant &constant, llvm::SmallPtrSetImpl<const llvm::Constant *> &seen,
                      llvm::SmallVectorImpl<llvm::Function *> &found) {
  if (!seen.insert(&constant).second)
    return;
  if (auto *function = llvm::dyn_cast<llvm::Function>(&constant))
    found.push_back(const_cast<llvm::Function *>(function));
  if (const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant)) {
    if (variable->hasInitializer())
      collectFunctions(*variable->getInitializer(), seen, found);
    return;
  }
  if (llvm::isa<llvm::GlobalValue>(constant))
    return;
  for (const llvm::Use &operand : constant.operands())
    if (const auto *inner = llvm::dyn_cast<llvm::Constant>(operand))
      collectFunctions(*inner, seen, found);
}

} // namespace

Result<std::unique_ptr<llvm::Module>> readModule(std::string_view bitcode, llvm::LLVMContext &context) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(bitcode.data(), bitcode.size()), "kernel");
  auto module = llvm::getLazyBitcodeModule(buffer, context);
  if (!module)
    return badBitcode(module.takeError());
  return std::move(*module);
}

std::string writeModule(const llvm::Module &module) {
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream, /*ShouldPreserveUseListOrder=*/true);
  return bitcode;
}

Result<void> materializeReachable(llvm::Function &root, llvm::ArrayRef<llvm::Function *> others) {
  llvm::SmallPtrSet<const llvm::Constant *, 32> seen;
  llvm::SmallVector<llvm::Function *> work;
  collectFunctions(root, seen, work);
  for (llvm::Function *other : others)
    collectFunctions(*other, seen, work);
  while (!work.empty()) {
    llvm::Function *function = work.pop_back_val();
    if (llvm::Error error = function->materialize())
      return badBitcode(std::move(error));
    for (const llvm::Instruction &instruction : llvm::instructions(*function))
      for (const llvm::Use &operand : instruction.operands())
        if (const auto *constant = llvm::dyn_cast<llvm::Constant>(operand))
          collectFunctions(*constant, seen, work);
  }
  return {};
}

bool removeUnusedFunctions(llvm::Module &module, llvm::function_ref<bool(const llvm::Function &)> mayGo) {
  bool removed = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::Function &function : llvm::make_early_inc_range(module)) {
      function.removeDeadConstantUsers();
      if (!function.use_empty() || !mayGo(function))
        continue;
      function.eraseFromParent();
      changed = removed = true;
    }
  }
  return removed;
}

void keepOnly(llvm::Function &root, llvm::ArrayRef<llvm::Function *> others) {
  llvm::Module &module = *root.getParent();
  // Annotations have been read by the front end; the others are for linkers.
  for (const char *name : {"llvm.global.annotations", "llvm.global_ctors", "llvm.global_dtors", "llvm.used",
                           "llvm.compiler.used"})
    if (llvm::GlobalVariable *variable = module.getNamedGlobal(name))
      variable->eraseFromParent();

  llvm::SmallPtrSet<const llvm::Constant *, 32> seen;
  llvm::SmallVector<llvm::Function *> work;
  llvm::SmallPtrSet<const llvm::Function *, 32> reached;
  collectFunctions(root, seen, work);
  for (llvm::Function *other : others)
    collectFunctions(*other, seen, work);
  while (!work.empty()) {
    llvm::Function *function = work.pop_back_val();
    reached.insert(function);
    for (const llvm::Instruction &instruction : llvm::instructions(*function))
      for (const llvm::Use &operand : instruction.operands())
        if (const auto *constant = llvm::dyn_cast<llvm::Constant>(operand))
          collectFunctions(*constant, seen, work);
  }

  for (llvm::Function &function : module) {
    function.setComdat(nullptr);
    if (!reached.contains(&function))
      function.deleteBody();
    else if (!function.isDeclaration())
      function.setLinkage(&function == &root ? llvm::GlobalValue::ExternalLinkage
                                             : llvm::GlobalValue::InternalLinkage);
  }
  for (bool changed = true; changed;) {
    changed = removeUnusedFunctions(module, [&](const llvm::Function &function) {
      return &function != &root && !llvm::is_contained(others, &function);
    });
    for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(module.globals())) {
      variable.removeDeadConstantUsers();
      variable.setComdat(nullptr);
      if (variable.use_empty()) {
        variable.eraseFromParent();
        changed = true;
      } else if (!variable.isDeclaration()) {
        variable.setLinkage(llvm::GlobalValue::InternalLinkage);
      }
    }
    for (llvm::GlobalAlias &alias : llvm::make_early_inc_range(module.aliases()))
      if (alias.use_empty()) {
        alias.eraseFromParent();
        changed = true;
      }
  }
}

} // namespace assay::lowering
