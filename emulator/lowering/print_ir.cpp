// The one file of lowering/ that prints, and only when a developer asks for it.
#include "print_ir.h"

#include <llvm/Support/raw_ostream.h>

#include <cstdlib>

namespace assay::lowering {

void printIrAfter(llvm::StringRef pass, const llvm::Module &module) {
  static const char *const wanted = std::getenv("ASSAY_PRINT_IR");
  if (!wanted || (pass != wanted && llvm::StringRef(wanted) != "all"))
    return;
  llvm::errs() << "; after " << pass << "\n";
  module.print(llvm::errs(), nullptr);
}

} // namespace assay::lowering
