// The variables of a thread into which a pointer of unknown origin may point.
//
// They are those whose address gets away: it is stored, or becomes a number. Of such a pointer nothing is
// known before the kernel runs, but the code can compare it with these few variables.
#pragma once

#include "provenance.h"

#include <llvm/IR/IRBuilder.h>

#include <vector>

namespace assay::lowering {

class EscapedVariables {
public:
  /// Of the function as it is now: before checks are inserted, which make numbers of addresses, too.
  explicit EscapedVariables(llvm::Function &function);

  /// If the pointer, of unknown origin, may point into one of them: `b` goes on in a block of its own, which
  /// is skipped if [address, address + bytes) lies in one. Not if the address space says that it does not.
  void enterIfOutside(llvm::IRBuilder<> &b, const llvm::Value &pointer, llvm::Value *address,
                      llvm::Value *bytes, Provenance &provenance) const;

private:
  std::vector<llvm::AllocaInst *> variables_;
};

} // namespace assay::lowering
