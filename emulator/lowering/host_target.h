// The machine that code is generated for: this one.
#pragma once

#include "support/result.h"

#include <llvm/Target/TargetMachine.h>

#include <memory>

namespace assay::lowering {

/// A target machine for this CPU with all its features.
///   debug   no optimisation in code generation
Result<std::unique_ptr<llvm::TargetMachine>> makeHostTarget(bool debug);

} // namespace assay::lowering
