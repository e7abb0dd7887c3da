// What `assay diff` is asked to do, from the command line alone or from a mapping file: two calls or recordings, and
// the outputs that are compared.
#pragma once

#include "side.h"

#include "../../support/npy.h"

namespace assay::cli::diff {

struct DiffArguments {
  SourceArguments source; ///< but for its file
  std::string a, b;       ///< .metal or .npy; "-" and "": what the mapping says
  std::string mapping;
  std::vector<std::string> sets;
  std::string kernel, kernelB, threadgroups, grid, threads, numericsB;
  std::vector<std::string> constants, buffers, threadgroupMemory, outputs;
  NumericsArguments numerics;
  std::string ulp, atol, rtol, nan; ///< as given; empty: what the mapping says
  std::string picture;
  uint32_t workers = 0;
  double timeoutSeconds = 20;
};

/// A side before anything is compiled.
struct PlannedSide {
  std::string name;                            ///< "A", "B"
  std::optional<Call> call;                    ///< none: everything is recorded
  std::map<std::string, Placement> outputs;    ///< of a call
  std::map<std::string, std::string> recorded; ///< an output's file
  std::string recording;                       ///< a file that is the one output, whatever its name
  std::vector<Rounding> roundings;
};

struct Plan {
  PlannedSide sides[2];
  std::vector<LogicalOutput> outputs;
  std::vector<std::pair<std::string, double>> sizes;
  bool mapped = false;
  std::vector<std::string> generated; ///< buffers that nobody gave, as --buffer would have given them
};

/// errors  Usage: those of a mapping, of --buffer and of every other option
Result<Plan> makePlan(const DiffArguments &arguments);

/// Without a mapping only the kernels know which buffers there are: those that are not given are made up, of one
/// element for each thread, and what both may write is compared.
///   pipelines  of the sides that are calls, else null
///   errors     Usage "missing-binding" for a buffer that cannot be made up; "no-output"; "unknown-output"
Result<void> completeFromReflection(const DiffArguments &arguments, Plan &plan,
                                    const ComputePipeline *const (&pipelines)[2], const Device &device);

/// What --ulp, --atol, --rtol and --nan say, in place of what the mapping says. errors: Usage "bad-option"
Result<void> applyTolerance(const DiffArguments &arguments, Plan &plan);

} // namespace assay::cli::diff
