// Prints the module to stderr after one pass or after each: an aid for developers of lowering/.
#pragma once

#include <llvm/IR/Module.h>

namespace assay::lowering {

///   wanted   as LoweringOptions::printIrAfter
void printIrAfter(llvm::StringRef pass, llvm::StringRef wanted, const llvm::Module &module);

} // namespace assay::lowering
