// Makes the site of an access, which has all that a fault or an observer is told about it.
#pragma once

#include "memory_accesses.h"
#include "provenance.h"

namespace assay::lowering {

/// where   the place of this instruction
SiteInfo accessSite(const llvm::Instruction &where, const MemoryAccess &access, const Bounds &bounds);

} // namespace assay::lowering
