// One of the two sides of `assay diff`: a kernel's call that can be run again and again, or recorded outputs.
//
// A side is one dispatch, or several in order over the same buffers. It runs once. Two questions may need a
// further run each, in which its memory accesses are observed: whether an element that did not change was
// written at all, and which threads wrote the elements that differ.
// Rejected: a second run with another poison. It does not answer the first question for buffers that are also
// read.
#pragma once

#include "layout.h"
#include "mapping.h"
#include "writers.h"

#include "../commands.h"
#include "../run_buffers.h"
#include "../run_textures.h"

#include "../../host/assay.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli::diff {

/// A kernel and its arguments.
struct Step {
  std::string file, kernel;
  std::vector<std::string> constants;
  DispatchSize size;
  std::map<uint32_t, uint64_t> threadgroupMemory;
  std::vector<std::string> buffers; ///< INDEX|NAME=SPEC, as --buffer takes them
  std::vector<std::string> structs; ///< INDEX=SPEC, as --struct takes them
  std::map<uint32_t, Image> images; ///< made of tensors and structs
  /// In a call of several steps: the call's buffer at each of the kernel's indices; others have its number.
  std::map<uint32_t, uint32_t> bind;
};

/// One dispatch, or several over the same buffers.
struct Call : Step {
  CompileOptions compile;
  Numerics numerics;
  Engine engine = Engine::Auto;
  std::vector<std::string> textures, samplers; ///< as --texture and --sampler take them
  std::vector<Step> steps;                     ///< none: the call itself is the step
  std::vector<std::string> linkedFiles;        ///< with every step's file

  size_t stepCount() const { return steps.empty() ? 1 : steps.size(); }
  const Step &step(size_t i) const { return steps.empty() ? *this : steps[i]; }
};

class Side {
public:
  /// name   "A" or "B"
  /// errors those of compiling, with unchanged diagnostics; Usage "bad-option", "unknown-function-constant"
  static Result<Side> compile(std::string name, Call call, const Device &device,
                              const DispatchOptions &dispatch);

  const std::string &name() const { return name_; }
  const Call &call() const { return call_; }
  Call &call() { return call_; }
  const ComputePipeline &pipeline(size_t step = 0) const { return kernels_[step].pipeline; }
  /// The warnings of all its kernels.
  std::vector<Diagnostic> warnings() const;

  /// Runs the kernel. Bytes that no input gives are 0xA5.
  ///   granules  bytes of an element, for each buffer that holds outputs: if a whole element is unchanged, a
  ///             second run finds out whether it was written
  ///   errors    those of a dispatch
  Result<void> run(const std::map<uint32_t, uint64_t> &granules);
  /// The contents of the buffer or the texture that has an output, after the run; none if it is not bound.
  std::optional<std::string_view> contents(const Placement &place) const;
  /// The type of the texels of the texture in which an output lies; none for a buffer.
  std::optional<ScalarType> texelType(const Placement &place) const;
  /// For each byte of a buffer, 1 if nothing was stored to it; empty if there is no such byte.
  std::string_view stale(uint32_t buffer) const;

  struct Place {
    uint32_t buffer = 0;
    uint64_t byte = 0, bytes = 0;
  };
  /// Runs once more with pipelines that report their accesses.
  Result<std::vector<Writer>> writersOf(const std::vector<Place> &places);

  /// The kernels with probes in them.
  ///   errors   those of compiling
  Result<std::vector<ComputePipeline>> probedPipelines(const std::vector<SourceProbe> &probes) const;
  /// Runs once more with these pipelines. Returns whether all buffers then have the bits of the first run.
  Result<bool> runAgain(const std::vector<ComputePipeline> &pipelines, Observer &observer) const;

private:
  struct Memory {
    RunBuffers shared;
    std::vector<RunBuffers> own; ///< of each step
    TexturePlan textures;
  };
  Result<Memory> allocate() const;
  Result<std::vector<ComputePipeline>> watchedPipelines() const;
  Result<void> dispatch(const std::vector<ComputePipeline> &pipelines, Memory &memory,
                        Observer *observer) const;
  Result<Bindings> bindings(size_t step, const ComputePipeline &pipeline, Memory &memory) const;
  std::string name_;
  Call call_;
  Device device_;
  DispatchOptions dispatch_;
  std::vector<KernelRequest> requests_; ///< of each step
  std::vector<BuiltKernel> kernels_;
  Memory memory_; ///< after the run
  std::map<uint32_t, TextureArray> texels_;
  std::map<uint32_t, PagedBytes> stale_;
};

} // namespace assay::cli::diff
