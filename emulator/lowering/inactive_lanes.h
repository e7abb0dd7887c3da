// Defines what a lane reads from an inactive lane, that is, from one that does not take part in the
// operation.
//
// Problem.  if (lane >= 1) x += simd_shuffle_up(x, 1);   Lane 1 reads lane 0, which is inactive. Metal calls
//           that undefined. Apple's GPUs do not mask a shuffle by execution: it reads the register of the
//           other lane, active or not, and published scans rely on this. On fibers, the other lane may have
//           run ahead, so that a later iteration, or the end of the kernel, has replaced its value.
//
// Definition (NumericsProfile::inactiveLanes, `register`). The operand of an inactive lane is the value that
//   this lane last computed for it. If it never computed one, the reader uses its own value.
//   computed  as the kernel is written, not as optimised code runs: in the IR after inline-calls, in which
//             variables are values, loops of constant length that index operands are unrolled, and nothing
//             has been moved. The calls that are inserted there (below) keep their place, so no later pass
//             can move a definition over a branch and change which lanes have computed it.
//   for it    a register, as a register allocator would see it: the values that meet in a phi with the
//             operand, directly or through other phis, are one variable, unless two of them are needed at the
//             same time. In x = f(); if (c) x += simd_shuffle_up(x, 1);   both values of x belong to it. A
//             value that is computed inside the `if` for the operand alone, as in simd_shuffle_up(x + 1, 1),
//             was not computed by the other lanes. Operations that only take bits apart or put them together
//             (elements of vectors, casts of bits) do not count as computing.
//   last      in the order in which lanes perform operations between lanes (reconvergence.h). A lane that is
//             ahead waits before it computes the next value while others may still read this one.
//
// Neutral form, for every engine. Two things in the module, from the pass publish-operands until an engine
// lowers them:
//             call void @__assay_publish.iN(i32 register, i32 byte, iN bits)    convergent
//             an attribute of the call of @__assay_simd_op, "assay-register"="n"
//           A register holds a site's operand as it lies in memory, and for each element whether it has been
//           computed. An engine whose lanes run in step blends the value in under the execution mask, and
//           reads all lanes of the register at the site. Nothing has to be inserted where each site runs with
//           all lanes.
//
// The fiber engine. Inline code publishes a value: it stores the value into the lane's own memory
//           (LaneAbi::published) and sets a byte. The reader finds this memory even after the other lane has
//           ended. A lane could publish too early if it can pass a site without performing it, and then reach
//           a publish of the same register without waiting for any other lane. Only in this case does it have
//           to wait: a meeting (SimdOp::Lockstep) is put before the publish. In a scan no lane has to wait,
//           because the next step's own site comes before the computation of the next value.
//
// Cost.     Only sites in blocks that may run without some lanes (uniformity.h) have registers. This is
//           decided before calls are inserted, and again before sites are numbered, because optimisation
//           finds out more. Other sites cost nothing.
//
// Without optimisation (debug), variables stay in memory. Then a variable itself is the register, and each
// store to it publishes. A parameter is a different variable from the argument that it was made from. A
// variable that is reached through a pointer, or indexed by another one, is not followed: its value counts as
// computed where it is loaded.
//
// Rejected. Values by version, that is, each lane keeps its last values with their iterations: it costs more
//           than waiting, and has no bound. Reading the other fiber's stack: it is gone when the fiber has
//           ended, and overwritten when the fiber is ahead. Letting every lane wait at the end of each `if`:
//           most kernels would pay for it. The definition on optimised code: InstCombine moves x = f() into
//           the `if` if nothing else uses it, and then the lane would not have computed it.
#pragma once

#include "lowering_state.h"
#include "optimizer.h"

#include <optional>

namespace assay::lowering {

/// Inserts the publishes and marks the sites. Runs after inline-calls.
void publishOperands(Lowering &state, Optimizer &optimizer);

/// Removes registers that turned out not to be needed, gives the others their places in state.info, and makes
/// lanes wait where they would publish too early. Runs before sites are numbered.
void placeRegisters(Lowering &state, llvm::FunctionAnalysisManager &analyses);

/// KernelCodeInfo's place for the register of a site; nullopt if it has none.
std::optional<uint32_t> registerPlaceOf(const Lowering &state, const llvm::CallBase &site);

/// Turns a publish into a store. This is a part of lower-state.
void lowerPublish(Lowering &state, llvm::CallBase &publish);

} // namespace assay::lowering
