// One of the two sides of `assay diff`: a kernel's call that can be run again and again, or recorded outputs.
//
// A kernel runs once. It runs again, with its memory accesses observed, for each question that is left:
// whether an element that did not change was written at all, and which threads wrote the elements that
// differ.
// Rejected: a second run with another poison; it cannot tell for buffers that are also read.
#pragma once

#include "layout.h"
#include "mapping.h"
#include "writers.h"

#include "../commands.h"
#include "../run_buffers.h"

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
struct Call {
  std::string file, kernel;
  CompileOptions compile;
  std::vector<std::string> constants;
  Numerics numerics;
  Engine engine = Engine::Auto;
  DispatchSize size;
  std::map<uint32_t, uint64_t> threadgroupMemory;
  std::vector<std::string> buffers; ///< INDEX|NAME=SPEC, as --buffer takes them
  std::map<uint32_t, Image> images; ///< made of tensors and structs
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
  const ComputePipeline &pipeline() const { return kernel_->pipeline; }
  const Library &library() const { return kernel_->library; }

  /// Runs the kernel. Bytes that no input gives are 0xA5.
  ///   granules  bytes of an element, for each buffer that holds outputs: if a whole element is unchanged, a
  ///             second run finds out whether it was written
  ///   errors    those of a dispatch
  Result<void> run(const std::map<uint32_t, uint64_t> &granules);
  /// Of a buffer after the run; none if no such buffer is bound.
  std::optional<std::string_view> contents(uint32_t buffer) const;
  /// For each byte of a buffer, 1 if nothing was stored to it; empty if there is no such byte.
  std::string_view stale(uint32_t buffer) const;

  struct Place {
    uint32_t buffer = 0;
    uint64_t byte = 0, bytes = 0;
  };
  /// Runs the kernel once more with a pipeline that reports its accesses.
  Result<std::vector<Writer>> writersOf(const std::vector<Place> &places);

private:
  Result<RunBuffers> allocate() const;
  Result<ComputePipeline> watchedPipeline() const;
  Result<void> dispatch(const ComputePipeline &pipeline, const RunBuffers &buffers, Observer *observer) const;
  std::string name_;
  Call call_;
  Device device_;
  DispatchOptions dispatch_;
  KernelRequest request_;
  std::optional<BuiltKernel> kernel_;
  RunBuffers buffers_; ///< after the run
  std::map<uint32_t, StoreObserver::Untouched> stale_;
};

} // namespace assay::cli::diff
