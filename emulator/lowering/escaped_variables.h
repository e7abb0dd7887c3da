// The variables of a thread into which a pointer of unknown origin may point.
//
// These are the variables whose address escapes: it is stored, or becomes a number. Before the kernel runs,
// nothing is known of a pointer of unknown origin, but the code can compare it with these few variables.
#pragma once

#include "provenance.h"

#include <llvm/IR/IRBuilder.h>

#include <vector>

namespace assay::lowering {

class EscapedVariables {
public:
  /// Looks at the function as it is now. Checks must not be inserted yet, because they turn addresses into
  /// numbers, too.
  explicit EscapedVariables(llvm::Function &function);

  /// Makes `b` continue in a block of its own, which is skipped if [address, address + bytes) lies in one of
  /// these variables. Does nothing if there are none, or if the pointer's address space rules them out.
  void enterIfOutside(llvm::IRBuilder<> &b, const llvm::Value &pointer, llvm::Value *address,
                      llvm::Value *bytes, Provenance &provenance) const;

private:
  std::vector<llvm::AllocaInst *> variables_;
};

} // namespace assay::lowering
