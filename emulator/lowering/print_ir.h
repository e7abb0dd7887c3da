// ASSAY_PRINT_IR=<pass> prints the module to stderr after that pass (or "all"): an aid for developers of
// lowering/.
#pragma once

#include <llvm/IR/Module.h>

namespace assay::lowering {

void printIrAfter(llvm::StringRef pass, const llvm::Module &module);

} // namespace assay::lowering
