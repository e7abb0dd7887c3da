// MTLDevice: where libraries, pipelines, buffers and encoders come from.
#pragma once

#include "buffer.h"
#include "command.h"
#include "library.h"
#include "pipeline.h"
#include "texture.h"

#include "../support/limits.h"
#include "../support/result.h"

#include <string>
#include <string_view>

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
  /// source   relative #includes are looked up in options.includePaths
  Result<Library> newLibraryWithSource(std::string_view source, const CompileOptions &options = {}) const;

  /// errors   Usage "missing-function-constant" (names it); Kernel "threadgroup-memory", "unsupported"
  Result<ComputePipeline> newComputePipelineState(const Function &function,
                                                  const PipelineOptions &options = {}) const;

  /// Zeroed memory. Throws std::bad_alloc if there is none, as `new` does.
  Buffer newBuffer(size_t length) const;
  Buffer newBuffer(const void *bytes, size_t length) const; ///< with a copy of `bytes`

  LogState newLogState(const LogStateDescriptor &descriptor = {}) const { return LogState(descriptor); }
  /// Zeroed texels. errors: Usage "texture-descriptor", "pixel-format"
  Result<Texture> newTexture(const TextureDescriptor &descriptor) const;
  /// errors: Usage "sampler-descriptor"
  Result<SamplerState> newSamplerState(const SamplerDescriptor &descriptor) const;

  ComputeCommandEncoder computeCommandEncoder() const { return {}; }
};

} // namespace assay
