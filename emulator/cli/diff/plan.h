// The work of `assay diff`, from the command line alone or with a mapping file: two calls or recordings, and
// the outputs that are compared.
#pragma once

#include "side.h"
#include "trace.h"

#include "../run_textures.h"

#include "../../support/files/npy.h"

namespace assay::cli::diff {

struct DiffArguments {
  SourceArguments source; ///< without its file
  std::string a, b;       ///< .metal or .npy; "-" and "": the mapping's
  std::string mapping;
  std::vector<std::string> sets;
  std::string kernel, kernelB, threadgroups, grid, threads, numericsB;
  std::string engine = "auto", engineB; ///< engineB empty: as engine
  std::vector<std::string> constants, buffers, structs, threadgroupMemory, outputs;
  NumericsArguments numerics;
  std::string ulp, atol, rtol, nan; ///< as given; empty: the mapping's
  std::string picture;
  bool trace = false;
  std::vector<std::string> tracePairs; ///< LINE=LINE
  std::string traceThread;             ///< X[,Y[,Z]]
  std::vector<std::string> textures, samplers, linkedFiles;
  uint32_t workers = 0;
  double timeoutSeconds = 20;
};

/// A side before anything is compiled.
struct PlannedSide {
  std::string name;                            ///< "A", "B"
  std::optional<Call> call;                    ///< none: everything is recorded
  std::map<std::string, Placement> outputs;    ///< of a call
  std::map<std::string, std::string> recorded; ///< an output's file
  std::string recording;                       ///< the file of the only output, whatever its name
  std::vector<Rounding> roundings;
};

struct Plan {
  PlannedSide sides[2];
  std::vector<LogicalOutput> outputs;
  std::vector<std::pair<std::string, double>> sizes;
  bool mapped = false;
  std::vector<std::string> generated; ///< made-up buffers, in the form of --buffer
  TraceRequest trace;
};

/// errors  Usage: those of a mapping, of --buffer and of every other option
Result<Plan> makePlan(const DiffArguments &arguments);

/// Without a mapping only the kernels know which buffers there are. Buffers that are not given are made up,
/// with one element for each thread, and the buffers that both may write are compared.
///   pipelines  of the sides that are calls, else null
///   errors     Usage "missing-binding" for a buffer that cannot be made up; "no-output"; "unknown-output"
Result<void> completeFromReflection(const DiffArguments &arguments, Plan &plan,
                                    const ComputePipeline *const (&pipelines)[2], const Device &device);

/// Completes the plan's trace by --pair and --trace-thread, and by the tolerance that is asked for.
///   errors   Usage "bad-option", "expression", "unknown-size"
Result<void> planTrace(const DiffArguments &arguments, Plan &plan);

/// Replaces the mapping's tolerances by --ulp, --atol, --rtol and --nan. errors: Usage "bad-option"
Result<void> applyTolerance(const DiffArguments &arguments, Plan &plan);

} // namespace assay::cli::diff
