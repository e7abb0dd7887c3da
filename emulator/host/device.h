// MTLDevice, which makes libraries, pipelines, buffers and encoders.
#pragma once

#include "buffer.h"
#include "command.h"
#include "command_queue.h"
#include "library.h"
#include "pipeline.h"
#include "shared_event.h"
#include "tensor.h"
#include "texture.h"

#include "../support/abi/limits.h"
#include "../support/text/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// This machine's CPU in the role of an Apple GPU.
class Device {
public:
  static Device systemDefault();

  std::string name() const;
  uint32_t maxThreadgroupMemoryLength() const { return kMaxThreadgroupMemory; } ///< bytes
  Size maxThreadsPerThreadgroup() const {
    return {kMaxThreadsPerThreadgroup, kMaxThreadsPerThreadgroup, kMaxThreadsPerThreadgroup};
  }

  /// errors   Usage: the file cannot be read; Kernel: diagnostics, placed in the user's files
  Result<Library> newLibraryWithFile(std::string_view path, const CompileOptions &options = {}) const;
  /// source   relative #includes are looked up in options.includePaths; <metal_stdlib> is included before the
  ///          first line, unless options.textIsFile
  Result<Library> newLibraryWithSource(std::string_view source, const CompileOptions &options = {}) const;
  /// Several sources as one library, as Xcode compiles and links the .metal files of a target: a function
  /// that one of them declares may be defined in another (frontend/link.h).
  ///   sources   options for pipelines (debug, contractStatements) are equal in all; the cache is the first's
  ///   errors    as above; Kernel "duplicate-symbol", "undefined-symbol", "symbol-type"
  Result<Library> newLibraryWithSources(const std::vector<LibrarySource> &sources) const;
  Result<Library> newLibraryWithFiles(const std::vector<std::string> &paths,
                                      const CompileOptions &options = {}) const;

  /// errors   Usage "missing-function-constant" (names it), "not-a-kernel", "linked-functions"; Kernel
  ///          "threadgroup-memory", "unsupported"
  Result<ComputePipeline> newComputePipelineState(const Function &function,
                                                  const PipelineOptions &options = {}) const;

  /// Zeroed memory. Throws std::bad_alloc if there is none, as `new` does.
  Buffer newBuffer(size_t length) const;
  Buffer newBuffer(const void *bytes, size_t length) const; ///< with a copy of `bytes`
  /// As newBuffer(length), with additional room: kernels may touch this many bytes before and after the
  /// buffer, which goes unseen on a GPU. The room holds Buffer::kPoisonByte, so a result that depends on it
  /// is conspicuous. Dispatches with checks (DispatchOptions::checks) have no room.
  ///   room   a multiple of 256
  Buffer newBufferWithRoom(size_t length, size_t room) const;
  /// The host's own memory, at any address; nothing is registered or pinned. Kernels and host see each
  /// other's stores, unless the address is not a multiple of 256: then a dispatch works on a copy and writes
  /// it back at its end.
  ///   deallocator   called once, after the last handle and the last command are gone; may be empty
  ///   room          as in newBufferWithRoom; only the host and this buffer may use these bytes around the
  ///                 memory
  Buffer newBufferWithBytesNoCopy(void *bytes, size_t length,
                                  std::function<void(void *bytes, size_t length)> deallocator = {},
                                  size_t room = 0) const;
  /// A queue whose commands run asynchronously: command_queue.h.
  CommandQueue newCommandQueue() const;
  SharedEvent newSharedEvent() const;

  LogState newLogState(const LogStateDescriptor &descriptor = {}) const;
  /// Zeroed texels. errors: Usage "texture-descriptor", "pixel-format"
  Result<Texture> newTexture(const TextureDescriptor &descriptor) const;
  /// Zeroed elements, without gaps between rows. errors: Usage "tensor-descriptor"
  Result<Tensor> newTensor(const TensorDescriptor &descriptor) const;
  /// errors: Usage "sampler-descriptor"
  Result<SamplerState> newSamplerState(const SamplerDescriptor &descriptor) const;

  ComputeCommandEncoder computeCommandEncoder() const;
};

} // namespace assay
