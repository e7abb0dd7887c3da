// The kernels of one folder, compiled when they are first asked for and kept:
// what every dispatcher here takes.
//
// A dispatcher is a function `dispatchX(KernelSet &, const XArguments &)`: it checks its arguments, fills the
// parameters that host and kernel share, picks an entry point and its function constants, and runs. It
// refuses before anything has run, or it runs everything.
#pragma once

#include "emulator/host/assay.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace assay::kernels {

/// The text of a kernel that is generated; nothing where the folder's file has it. The text stands for the
/// file, so the kernel's name is the same.
using KernelSource =
    std::function<Result<std::optional<std::string>>(std::string_view file, std::string_view kernel)>;

class KernelSet {
public:
  /// folder   with the families in it: kernels_msl, or another with the same files
  explicit KernelSet(std::filesystem::path folder, PipelineOptions pipeline = {})
      : folder_(std::move(folder)), pipeline_(pipeline) {}

  /// Asked for each kernel before the folder is. Set it before the first pipeline.
  void generateFrom(KernelSource source) { source_ = std::move(source); }

  /// A kernel's text from now on, whatever file it is asked for in. It comes before generateFrom's.
  ///   source   outlives this
  void registerSource(std::string_view kernel, std::string_view source);

  const std::filesystem::path &folder() const { return folder_; }
  const Device &device() const { return device_; }
  /// How dispatches run. Dispatchers pass it on; set it between calls.
  DispatchOptions &options() { return options_; }
  const PipelineOptions &pipelineOptions() const { return pipeline_; }

  /// A kernel with its function constants. Only that kernel of the file is compiled.
  ///   file     relative to the folder: "attention/flash_attn_prefill.metal";
  ///            an absolute path is taken as it is
  ///   errors   those of Device::newLibraryWithFile, Library::newFunction, Device::newComputePipelineState
  ///            and the KernelSource
  Result<ComputePipeline> pipeline(std::string_view file, std::string_view kernel,
                                   const FunctionConstantValues &constants = {});

  /// An encoder with the pipeline and options() set.
  ComputeCommandEncoder encoder(const ComputePipeline &pipeline) const;

private:
  std::filesystem::path folder_;
  KernelSource source_;
  std::map<std::string, std::string_view, std::less<>> registered_; // by kernel
  PipelineOptions pipeline_;
  Device device_ = Device::systemDefault();
  DispatchOptions options_;
  LibraryMemo libraries_;
  std::map<std::string, ComputePipeline> pipelines_; // by file, kernel and constants
};

} // namespace assay::kernels
