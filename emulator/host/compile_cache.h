// Which cache entries a compilation and a pipeline have: the keys, and when an entry still holds.
//
// What a source compiles to depends on files that are known only after it has been compiled. So a lookup has
// two steps. A manifest, under a key of what is known beforehand (path or text, options, this build of
// Assay), lists the files that were read, each with its digest. For the first list that still matches, the
// module is under a key of all of that. A pipeline's key adds the kernel, its constants, its options and the
// CPU.
//
// Any rebuild of Assay makes all entries unreachable: the key contains the identity of the binary that this
// code is in (the shim is embedded in it), so that nobody working on Assay runs yesterday's code generator.
#pragma once

#include "cache.h"
#include "cache_entries.h"

#include "../frontend/compile.h"
#include "../lowering/lower.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay {

class CompileCache {
public:
  explicit CompileCache(Cache cache);

  struct Found {
    CachedModule module;
    std::string moduleKey;
  };
  /// sources   of one library
  std::optional<Found> findModule(const std::vector<frontend::SourceRequest> &sources) const;
  std::optional<std::string> findBitcode(const std::string &moduleKey) const;
  /// Returns the module's key.
  std::string storeModule(const std::vector<frontend::SourceRequest> &sources,
                          const frontend::CompiledModule &module) const;

  /// Where the front end keeps the precompiled shim. Null if the cache is off.
  frontend::PrecompiledStore *precompiled() const { return cache_.isOff() ? nullptr : precompiled_.get(); }

  bool isOff() const { return cache_.isOff(); }

  /// Under the key of the pipeline.
  std::optional<CachedFacts> findFacts(const std::string &key) const;
  void storeFacts(const std::string &key, const CachedFacts &facts) const;
  std::optional<CachedPipeline> findPipeline(const std::string &key) const;
  void storePipeline(const std::string &key, const CachedPipeline &pipeline) const;

  static std::string pipelineKey(const std::string &moduleKey, const std::string &kernel,
                                 const std::map<uint32_t, ConstantValue> &constants,
                                 const lowering::LoweringOptions &options);

private:
  Cache cache_;
  std::shared_ptr<frontend::PrecompiledStore> precompiled_;
};

/// The versions of Assay and of the lane ABI, and time and size of the file that this code was loaded from.
const std::string &buildIdentity();

} // namespace assay
