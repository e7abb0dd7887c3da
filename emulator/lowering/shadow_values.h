// Tracks undefined values through a kernel, and reports where something depends on one.
//
// Problem.  A kernel that reads memory before anything has been written to it computes with arbitrary values.
//           The read alone is not a defect: a tile is copied with its unused corner, or a lane shuffles a
//           value that is not used. It is a defect if the value decides something.
// Choice.   For each value that can be undefined (shadow_flow.h), the kernel also computes its shadow, which
//           has the undefined bits (shadow_rules.h), and its origin. It keeps both beside memory
//           (shadow_memory.h), as MemorySanitizer does. At a decision, it calls the runtime if a bit of the
//           shadow is set. Decisions are branches and switches, the address of an access, a value that is
//           stored to device memory or a texture, an operand of an atomic operation, and the lane from which
//           a simd operation reads. A choice between values (select, quiet_branches.h) is not a decision: its
//           result is undefined. A reported value counts as defined in memory afterwards, so that one defect
//           has one finding.
// Order.    The pass comes after the neutral module is complete. So shadows change neither the results nor
//           the lanes that take part in simd operations. The decisions are those of the optimised program: if
//           two conditions have become one, the report has the line of that one. The pass comes before bounds
//           checks, because these are not decisions of the program.
// Meetings. A lane takes the shadow of its operand to a simd operation (LaneShadow). The observer learns of
//           each operation, and moves shadows between lanes as the operation moves values.
// Rejected. The reference interpreter with shadows: it is simple, but a thousand times slower. Shadows before
//           the first pass (unwritten_values.h). Reporting each use, as a debugger's memory check does:
//           copies of partly filled tiles are common.
#pragma once

#include "lowering_state.h"

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// In pipelines that track undefined values. Adds sites, and replaces calls of __assay_unwritten by zeros.
void trackUndefined(Lowering &state, llvm::FunctionAnalysisManager &analyses);

} // namespace assay::lowering
