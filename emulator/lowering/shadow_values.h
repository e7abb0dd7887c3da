// Tracks undefined values through a kernel, and reports where something depends on one.
//
// Problem.  A kernel that reads memory before anybody has written it computes what was there by chance. To
//           read it is no defect: a tile is copied with its unused corner, a lane shuffles a value that
//           nobody looks at. It is one where the value decides something.
// Choice.   Beside each value that can be undefined (shadow_flow.h) the kernel computes its shadow, the bits
//           that are undefined (shadow_rules.h), and its origin, and keeps both beside memory
//           (shadow_memory.h), as MemorySanitizer does. At a decision it calls the runtime if the shadow has
//           a bit. A decision is: a branch or switch; the address of an access; what is stored to device
//           memory or to a texture; an operand of an atomic operation; the lane that a simd operation reads.
//           A choice between values (select, quiet_branches.h) is none: its result is undefined.
//           What was reported counts as defined from there on in memory, so that one defect has one finding.
// Where.    After the neutral module is complete. So the shadows change neither what is computed nor who
//           takes part in simd operations, and decisions are those of the optimised program: two conditions
//           may be one, and the line is that of the one. Before bounds checks, which are no decisions of the
//           program.
// Meetings. A lane takes the shadow of its operand to a simd operation (LaneShadow). The observer, which is
//           told of each, moves shadows between lanes like the values.
// Rejected. The reference interpreter with shadows (simple, but a thousand times slower). Shadows before the
//           first pass (unwritten_values.h). Reporting each use, as a debugger's memory check does (copies of
//           partly filled tiles are common).
#pragma once

#include "lowering_state.h"

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// In pipelines that track undefined values. Adds sites, and replaces calls of __assay_unwritten by zeros.
void trackUndefined(Lowering &state, llvm::FunctionAnalysisManager &analyses);

} // namespace assay::lowering
