// Makes the site of an access: everything that a fault or an observer is told about the access.
#pragma once

#include "memory_accesses.h"
#include "provenance.h"

namespace assay::lowering {

/// where   the instruction whose place in the user's file the site gets
SiteInfo accessSite(const llvm::Instruction &where, const MemoryAccess &access, const Bounds &bounds);

} // namespace assay::lowering
