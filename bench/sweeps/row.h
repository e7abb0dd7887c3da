// A row of a sweep: one variant of a step on one problem, its work counted, and its time here.
//
// Problem.  A default for a GPU is to be chosen where there is no GPU. Times of this machine say what its
//           emulator costs.
// Choice.   Work is counted (support/abi/work.h). Two numbers of it bound what a GPU needs: `total`, what
//           simdgroups do altogether, and `longest`, what the longest simdgroup does by itself. With P
//           simdgroups at a time, a schedule that leaves none idle ends after at most total / P + longest
//           steps, and none before the larger of the two (Brent's bound). `steps` is the sum.
// Limit.    Every operation is a step: a load costs as much as a sum. Bytes by address space stand beside it.
#pragma once

#include "kernels_msl/dispatch/kernel_set.h"

#include <functional>
#include <string>

namespace assay::sweeps {

struct Problem {
  int headDim = 64, heads = 14, keyHeads = 2, queries = 1, keys = 128;
};

struct Row {
  std::string sweep;
  Problem problem;
  std::string variant;
  bool isDefault = false; ///< what the step takes by itself
  WorkCounts work;        ///< of all dispatches, one after the other
  int dispatches = 0;
  double milliseconds = 0; ///< the fastest of some
  std::string refused;     ///< the rule by which the variant does not run; then the numbers are 0
};

/// One run of a variant; what failed.
using Run = std::function<Result<void>(kernels::KernelSet &kernels)>;

/// Counts and times variants of the kernels in this repository.
class Meter {
public:
  /// times   after one that compiles, at most so many runs, of which the fastest counts; no more once they
  ///         took a tenth of a second. 0: no times
  explicit Meter(int times);
  /// Fills in work, dispatches, milliseconds and refused. Errors that are not of the usage end the program.
  void measure(Row &row, const Run &run);

private:
  kernels::KernelSet counting_, timed_;
  int times_;
};

/// A line with the names of the columns, and one for each row, with tabs: scripts/sweep-table.awk reads them.
void printHeader();
void print(const Row &row);

} // namespace assay::sweeps
