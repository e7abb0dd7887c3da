// The site of an access: what a fault or an observer learns about it.
#pragma once

#include "memory_accesses.h"
#include "provenance.h"

namespace assay::lowering {

/// where   the place of this instruction
SiteInfo accessSite(const llvm::Instruction &where, const MemoryAccess &access, const Bounds &bounds);

} // namespace assay::lowering
