// What the handles of the public API share. Not installed.
#pragma once

#include "compile_cache.h"
#include "pipeline.h"

#include "../frontend/compile.h"
#include "../lowering/lower.h"
#include "../support/module_info.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace assay::detail {

struct LibraryState {
  frontend::SourceRequest request;
  CompileCache cache{Cache::off()};
  std::string moduleKey;
  ModuleInfo info;
  std::vector<Diagnostic> warnings;
  bool fromCache = false;

  /// Reads it back, or compiles again, if only the reflection came from the cache.
  Result<std::string_view> bitcode() const;
  /// The same source, marked for contraction across statements; compiled when it is first asked for.
  Result<std::shared_ptr<const LibraryState>> contracting() const;

  mutable std::mutex mutex;
  mutable std::optional<std::string> bitcodeBytes;
  mutable std::shared_ptr<const LibraryState> contractingState;
};

struct PipelineState {
  std::shared_ptr<const LibraryState> library;
  const KernelInfo *kernel = nullptr;
  PipelineOptions options;
  std::vector<ArgumentInfo> activeArguments;
  std::unique_ptr<lowering::NativeKernel> native;
  bool fromCache = false;

  uint32_t maxThreads() const;
};

} // namespace assay::detail
