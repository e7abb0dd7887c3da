// One kernel from its source to its results, for programs that know what they want to run: the command line,
// tests, kernel systems, benchmarks.
//
//   assay::KernelRequest request{.file = "saxpy.metal", .kernel = "saxpy"};
//   auto kernel = assay::buildKernel(device, request);
//   assay::Bindings bindings;
//   bindings.buffers[2] = x;
//   const auto size = assay::DispatchSize::threads({n}, {256});
//   auto report = assay::launch(device, kernel->pipeline, bindings, size);
//
// Problem.  Metal's calls leave five steps to the caller: compile a source, take a function with its
//           constants, make a pipeline, bind, dispatch. A program that only runs a kernel always has the same
//           five steps, with the same checks between them. Some options must agree between steps (the
//           debugger, contraction), and are easily set in one and forgotten in another.
// Choice.   There are two plain values, KernelRequest and Bindings, and a function for each part. A caller
//           that needs the library first, to read constants or functions by name, calls compileLibrary,
//           completes the request, and continues with buildKernel. A caller that dispatches again keeps the
//           encoder.
// Rejected. One call from source to results: every caller uses the pipeline or the times in between. A class
//           with setters: the encoder already is one. Callbacks for what only the library knows: two calls
//           are easier to read, and to step through.
// Limit.    Buffers are bound from their beginning, and the device's own encoder runs the dispatch. Offsets,
//           command buffers and indirect dispatches are Metal's calls.
#pragma once

#include "command.h"
#include "device.h"

#include "../support/text/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// What a pipeline is made of.
struct KernelRequest {
  std::string file = {};                   ///< the path of a .metal file
  std::optional<std::string> source = {};  ///< the text instead of a file; messages call it compile.name
  std::vector<std::string> moreFiles = {}; ///< that are linked with it: Device::newLibraryWithSources
  std::string kernel = {};
  CompileOptions compile = {}; ///< what the pipeline's options need is added: CompileOptions::forPipelines
  FunctionConstantValues constants = {};
  PipelineOptions pipeline = {};
};

struct BuiltKernel {
  Library library;
  Function function;
  ComputePipeline pipeline;
};

/// The first step of buildKernel alone. errors: those of Device::newLibraryWithSources
Result<Library> compileLibrary(const Device &device, const KernelRequest &request);
/// library   of compileLibrary with the same compile options; the source is not looked at again
/// errors    those of Library::newFunction and Device::newComputePipelineState
Result<BuiltKernel> buildKernel(const Device &device, const Library &library, const KernelRequest &request);
/// Both. errors: those of both
Result<BuiltKernel> buildKernel(const Device &device, const KernelRequest &request);

/// Compiles each source once for each set of compile options, and keeps the libraries; a file that changes
/// meanwhile is not read again. A source with probes and one that is not for the cache are compiled each
/// time. Copies share what they keep. Calls may come from any thread.
class LibraryMemo {
public:
  LibraryMemo();
  /// errors   those of compileLibrary; they are not kept
  Result<Library> compile(const Device &device, const KernelRequest &request) const;

private:
  struct State;
  std::shared_ptr<State> state_;
};

/// What is bound at the indices of a dispatch.
struct Bindings {
  std::map<uint32_t, Buffer> buffers;
  std::map<uint32_t, std::vector<std::byte>> bytes; ///< of setBytes
  std::map<uint32_t, VisibleFunctionTable> functionTables;
  std::map<uint32_t, Tensor> tensors; ///< at indices of buffers
  std::map<uint32_t, Texture> textures;
  std::map<uint32_t, SamplerState> samplers;
  std::map<uint32_t, uint64_t> threadgroupMemory; ///< lengths in bytes
  std::optional<StageInRegion> stageInRegion;     ///< the threads that have [[stage_in]] data
  std::vector<Buffer> usedBuffers;                ///< reached through addresses in other buffers
  std::vector<Texture> usedTextures;              ///< reached through argument buffers
  std::vector<VisibleFunctionTable> usedTables;   ///< likewise
  std::vector<Tensor> usedTensors;                ///< likewise

  void setOn(ComputeCommandEncoder &encoder) const;
};

/// An encoder of the device on which all of this is set; the caller may set more.
ComputeCommandEncoder encoderFor(const Device &device, const ComputePipeline &pipeline,
                                 const Bindings &bindings = {}, const DispatchOptions &options = {});
/// What can be said against a dispatch before a pipeline is made, which may take minutes.
///   kernel   of Library::newFunction, with its constants
/// errors   those of ComputeCommandEncoder::checkDeclared
Result<void> checkDeclared(const Device &device, const Function &kernel, const Bindings &bindings,
                           const DispatchSize &size);
/// One of Metal's two calls. errors: those of ComputeCommandEncoder::dispatchThreadgroups
Result<DispatchReport> dispatch(ComputeCommandEncoder &encoder, const DispatchSize &size);
/// Both: one dispatch, which has run when the call returns. errors: as above
Result<DispatchReport> launch(const Device &device, const ComputePipeline &pipeline, const Bindings &bindings,
                              const DispatchSize &size, const DispatchOptions &options = {});

} // namespace assay
