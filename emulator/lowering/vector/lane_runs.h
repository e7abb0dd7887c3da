// Finds rows of lanes: what the lanes of each run of 8 or 16 have in common if all 32 lanes have nothing in
// common.
//
// Problem.  In a threadgroup of 16 columns, a simdgroup is two rows. `in[row * n + column]` is consecutive
//           within each row. How far apart the rows are is known only when the kernel runs.
// Choice.   The expression of a varying address that is loaded is examined once more, for the distances of
//           lanes from the first lane of their run. Only one extension to 64 bits in it may have a value that
//           differs within a run, so that one comparison shows whether any lane of a run has wrapped. Then
//           the value of a lane follows from uniform and affine values alone, so one lane of each run is
//           computed with scalars (Values::at).
// Rejected. Runs as shapes of values in the fixpoint (lane_shapes.h): few values need them.
#pragma once

#include "lane_shapes.h"

namespace assay::lowering::vector {

/// The extension of numbers that differ within runs. The distances hold if no lane wraps in it.
struct RunExtension {
  const llvm::Instruction *instruction = nullptr; ///< null if there is none
  Distances distances = {};                       ///< of what is extended, from the first lane of its run
};

struct LaneRuns {
  unsigned length = 0; ///< of each run
  bool same = false;   ///< one address for all lanes of a run; else they are consecutive
  RunExtension extension{};
};

/// How lanes differ from the first lane of their run.
struct RunDistances {
  unsigned length = 0; ///< of each run
  Distances distances = {};
  RunExtension extension{};
  llvm::SmallVector<const llvm::Instruction *> between{}; ///< what it is computed from: all that varies
};

/// The distances of any number or address that varies; nullopt if they are not known for runs of this length.
std::optional<RunDistances> distancesInRuns(const LaneShapes &shapes, const llvm::Value &value,
                                            unsigned length);
/// The lengths of runs that are looked for, the longest one first.
inline constexpr unsigned kRunLengths[] = {16, 8};

/// The runs of a pointer to elements of `bytes` bytes; nullopt if there are none of any length.
std::optional<LaneRuns> runsOf(const LaneShapes &shapes, const llvm::Value &pointer, unsigned bytes);

} // namespace assay::lowering::vector
