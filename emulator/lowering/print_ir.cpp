// The one file of lowering/ that prints, and only when a developer asks for it.
#include "print_ir.h"

#include <llvm/Support/raw_ostream.h>

namespace assay::lowering {

void printIrAfter(llvm::StringRef pass, llvm::StringRef wanted, const llvm::Module &module) {
  if (wanted != pass && wanted != "all")
    return;
  llvm::errs() << "; after " << pass << "\n";
  module.print(llvm::errs(), nullptr);
}

} // namespace assay::lowering
