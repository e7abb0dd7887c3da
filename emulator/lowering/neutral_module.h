// The first half of lowering: a kernel of the module, with its function constants, in a form that does not
// depend on the engine.
//
// Problem.  Fibers, vectors, an interpreter, and perhaps a GPU later, must compute the same bits, and all
//           kinds of checks must see the same events. So the bits, the lanes that meet at a simd operation,
//           and the accesses must be decided once, before any engine.
// Form.     One function `void ()`, optimised once, in which these are calls or instructions:
//             - reads of a lane from its dispatch: __assay_buffer_*, __assay_threadgroup_slot and
//               __assay_builtin
//             - barriers with their flags, simd operations, spins, publishes (inactive_lanes.h)
//             - textures, logs, assertions, probes, errors of calls through pointers that hold no function
//             for the call
//             - accesses of memory, fences and atomics, as LLVM's own instructions with their orders
//           primitives.h names the calls. Those that can wait, fail or be observed have a site
//           (describe_sites.h): the call has its number, and state.info has its SiteInfo. Threadgroup
//           variables are still variables, but their places in the arena are known. Floating point follows
//           the profile, except for what finishArithmetic does at the end of an engine's half.
//           Control flow is reducible and its loops are simple. state.order has the one order of sites and
//           loops that every engine follows (reconvergence.h).
// Not here. The lane argument, loop counters, bounds checks, and any layout at run time.
// Rejected. A module before the first optimisation: each engine would optimise the same code again, and
//           different lanes could take part. A module after the bounds checks: an engine for 32 lanes checks
//           an access once instead of 32 times.
#pragma once

#include "lowering_state.h"
#include "optimizer.h"

#include <functional>

namespace assay::lowering {

/// Called after each pass with its name, for those who print or verify modules.
using AfterPass = std::function<void(llvm::StringRef pass)>;

/// state   its module is that of the front end, just read
/// errors  those of lowerKernel
Result<void> makeNeutral(Lowering &state, Optimizer &optimizer, const AfterPass &after);

/// The two steps of makeNeutral. Between them the module can be written to bitcode and read again. Of the
/// state, only `info` and `registers` must then be kept.
Result<void> makeStructure(Lowering &state, Optimizer &optimizer, const AfterPass &after);
Result<void> makeSites(Lowering &state, Optimizer &optimizer, const AfterPass &after);

/// Runs after an engine's last optimisation, for scalar code and vector code alike. Makes the constants that
/// the optimiser computed follow the profile, makes NaNs canonical, and gives half and bfloat operations the
/// form that code generation needs. No optimisation may run afterwards, because it could undo these changes.
void finishArithmetic(Lowering &state, const AfterPass &after);

/// Runs the module's initialisers with the function constants of `state`. makeStructure begins with this.
Result<void> foldInitializers(Lowering &state, Optimizer &optimizer);

} // namespace assay::lowering
