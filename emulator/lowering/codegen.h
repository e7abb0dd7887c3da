// Compiles a module to an ELF object in memory.
#pragma once

#include "support/text/result.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

namespace assay::lowering {

struct GeneratedObject {
  std::string bytes;
  uint64_t stackBytes = 0; ///< of the largest frame; the entry is the only function
};

/// variables       whether debug information follows variables through registers
/// largeFunction   the code of functions with more instructions is generated in a cheaper way
///                 (large_functions.h)
Result<GeneratedObject> generateObject(llvm::Module &module, llvm::TargetMachine &machine, bool variables,
                                       size_t largeFunction);

} // namespace assay::lowering
