// The machine that code is generated for: this one, or an x86-64 CPU that the caller names.
#pragma once

#include "support/text/result.h"

#include <llvm/Target/TargetMachine.h>

#include <memory>

namespace assay::lowering {

///   cpu     as LoweringOptions::cpu
///   debug   no optimisation in code generation
Result<std::unique_ptr<llvm::TargetMachine>> makeHostTarget(const std::string &cpu, bool debug);

} // namespace assay::lowering
