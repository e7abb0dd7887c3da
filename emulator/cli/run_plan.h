// Turns the options of the command line into the request for one dispatch and its bindings, for the commands
// that run one kernel.
#pragma once

#include "commands.h"
#include "run_buffers.h"
#include "run_tables.h"
#include "run_textures.h"
#include "stage_spec.h"

#include "../host/assay.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

/// The options as they stand on the command line.
struct RunArguments {
  SourceArguments source;
  std::string kernel, threadgroups, grid, threads;
  std::vector<std::string> constants, buffers, structs, tables, threadgroupMemory, outs;
  NumericsArguments numerics;
  std::string schedule = "auto";
  std::string engine = "auto";
  uint32_t workers = 0;
  double timeoutSeconds = 20;
  bool debug = false, lockstep = false, count = false;
  std::string check, sarif, junit, suppress; ///< empty: not asked for
  TextureArguments textures;
  StageInputArguments stageInput;

  /// The kernel, its grid, and what is bound.
  void addDispatchTo(CLI::App &command);
};

struct OutFile {
  std::string buffer; // index or name
  OutputSpec spec;
};

/// The options, parsed, with buffers as they are before the run.
struct RunPlan {
  DispatchSize size;
  Engine engine = Engine::Auto;
  Numerics numerics;
  DispatchOptions dispatch;
  RunBuffers buffers;
  TablePlan tables;
  std::map<uint32_t, uint64_t> threadgroupMemory;
  std::vector<OutFile> outs;
  TexturePlan textures;
  std::optional<StageInputDescriptor> stageInput;
  std::optional<StageInRegion> stageInRegion;
  Suppressions suppressions;
};

/// errors   Usage: those of parseSize, readBuffers, planTables, planTextures, parseStageInput and the like
Result<RunPlan> makePlan(const RunArguments &arguments, const Device &device);
/// The kernel as the plan has it; constants and linked functions are added once its library is known.
KernelRequest requestOf(const RunArguments &arguments, const RunPlan &plan);
/// Adds constants and linked functions to the request, checks what the kernel's declaration says against the
/// plan, and makes the pipeline.
///   errors   those of parseConstants, functionsOf, checkStructs and host/launch.h
Result<BuiltKernel> buildKernel(const Device &device, const Library &library, const RunArguments &arguments,
                                const RunPlan &plan, KernelRequest &request);
/// Makes blocks of --struct and textures, and puts the numbers of tables and textures into argument buffers.
///   errors   those of completeBuffers, bindTables and bindTextures
Result<Bindings> bindingsOf(RunPlan &plan, const Device &device, const ComputePipeline &pipeline);

} // namespace assay::cli
