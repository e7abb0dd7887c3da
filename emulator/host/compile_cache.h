// Makes the keys of the cache entries of compilations and pipelines, and decides whether an entry is still
// valid.
//
// The result of a compilation depends on files that are known only after it. So a lookup has two steps. The
// first looks for a manifest. The manifest's key contains what is known in advance: path or text, options,
// and this build of Assay. The manifest has lists of the files that were read, each file with its digest. The
// second step looks for the module: the first list that still matches is part of the module's key. A
// pipeline's key adds the kernel, its constants, its options and the CPU.
//
// Any rebuild of Assay makes all entries unreachable, because keys contain the identity of the binary that
// this code is in. The shim is embedded in that binary. So a developer of Assay never runs an old code
// generator.
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
    CachedModule module; ///< or the refusal
    std::string moduleKey;
  };
  /// sources   of one library
  std::optional<Found> findModule(const std::vector<frontend::SourceRequest> &sources) const;
  std::optional<std::string> findBitcode(const std::string &moduleKey) const;
  /// Returns the module's key.
  std::string storeModule(const std::vector<frontend::SourceRequest> &sources,
                          const frontend::CompiledModule &module) const;
  /// Remembers that the sources are refused, if the refusal lasts as long as their files do not change.
  void storeRefusal(const std::vector<frontend::SourceRequest> &sources, const frontend::Refusal &refusal,
                    const Error &error) const;

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
  void storeManifest(const std::string &at, const ManifestVariant &variant) const;

  Cache cache_;
  std::shared_ptr<frontend::PrecompiledStore> precompiled_;
};

/// The versions of Assay and of the lane ABI, and the build id of the program or library that this code is
/// in; if it has none, time and size of the program's file.
const std::string &buildIdentity();

} // namespace assay
