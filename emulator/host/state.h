// The state that handles of libraries and pipelines share. Not installed.
#pragma once

#include "compile_cache.h"
#include "kernel_codes.h"
#include "pipeline.h"
#include "validate.h"

#include "../frontend/compile.h"
#include "../lowering/lower.h"
#include "../support/abi/module_info.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace assay::detail {

struct LibraryState {
  std::vector<frontend::SourceRequest> sources; ///< at least one
  CompileCache cache{Cache::off()};
  std::string moduleKey;
  ModuleInfo info;
  std::vector<Diagnostic> warnings;
  bool fromCache = false;

  std::string fileNames() const; ///< for messages
  /// If only the reflection came from the cache, reads the bitcode from it too, or compiles again.
  Result<std::string_view> bitcode() const;

  mutable std::mutex mutex;
  mutable std::optional<std::string> bitcodeBytes;
  mutable std::map<std::string, KernelInfo> placed; ///< see placed_kernel.h
};

struct PipelineState {
  std::shared_ptr<const LibraryState> library;
  const KernelInfo *kernel = nullptr;
  PipelineOptions options;
  std::vector<uint32_t> linked; ///< numbers of functions that its tables may hold (ModuleInfo::handleOf)
  std::vector<ArgumentInfo> activeArguments;
  std::vector<StageBuffer> stageBuffers; ///< that [[stage_in]] comes from
  std::unique_ptr<KernelCodes> codes;

  uint32_t maxThreads() const;
};

} // namespace assay::detail
