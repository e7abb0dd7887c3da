#include "compile_cache.h"

#include "../support/abi/lane_abi.h"
#include "../support/files/find_ignoring_case.h"
#include "../support/files/hash.h"
#include "../support/files/npy.h"
#include "../support/process/build_id.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

namespace assay {
namespace {

const char kIdentified = 0;        // lies in the program or in the library that this code is a part of
constexpr size_t kMaxVariants = 8; // sets of file contents that are remembered for one source

// Relative paths and debug information depend on it. It is empty if the request has neither, so that the same
// files give the same key from every folder.
std::string workingDirectory(const frontend::SourceRequest &request) {
  const auto relative = [](const std::string &path) { return !std::filesystem::path(path).is_absolute(); };
  std::error_code ignored;
  if (request.debug || relative(request.path) || std::ranges::any_of(request.includePaths, relative) ||
      std::ranges::any_of(request.headers, relative))
    return std::filesystem::current_path(ignored).string();
  return {};
}

void addSource(KeyBuilder &key, const frontend::SourceRequest &request) {
  key.add(workingDirectory(request));
  key.add(request.path).add(request.text ? 1 : 0).add(request.text.value_or(""));
  key.add(request.includePaths.size());
  for (const std::string &path : request.includePaths)
    key.add(path);
  key.add(request.headers.size());
  for (const std::string &header : request.headers)
    key.add(header);
  key.add(request.defines.size());
  for (const auto &[name, value] : request.defines)
    key.add(name).add(value);
  key.add(uint64_t(request.language)).add(request.kernels.size());
  for (const std::string &kernel : request.kernels)
    key.add(kernel);
  key.add(request.probes.size());
  for (const auto &[name, expression, anchor, line, side, file, form, offset] : request.probes) {
    key.add(name).add(expression).add(anchor).add(line).add(uint64_t(side)).add(file);
    key.add(uint64_t(form)).add(offset);
  }
  key.add(request.debug).add(request.safeMath).add(request.contractStatements).add(request.impliesLibrary);
}

std::string manifestKey(const std::vector<frontend::SourceRequest> &sources) {
  KeyBuilder key;
  key.add("manifest").add(buildIdentity()).add(sources.size());
  for (const frontend::SourceRequest &source : sources)
    addSource(key, source);
  return key.digest();
}

std::string moduleKey(const std::string &manifest, const std::vector<frontend::Dependency> &dependencies) {
  KeyBuilder key;
  key.add("module").add(manifest);
  for (const frontend::Dependency &dependency : dependencies)
    key.add(dependency.path).add(dependency.digest);
  return key.digest();
}

// An empty digest means that there was no such file.
bool stillHolds(const frontend::Dependency &dependency) {
  const auto found = findIgnoringCase(dependency.path);
  const Result<std::string> bytes = readFile(found ? found->string() : dependency.path);
  return bytes ? hashBytes(*bytes) == dependency.digest : dependency.digest.empty();
}

class PrecompiledEntries : public frontend::PrecompiledStore {
public:
  explicit PrecompiledEntries(Cache cache) : cache_(std::move(cache)) {}
  std::optional<std::string> get(const std::string &key) override {
    return cache_.get("shim", entryKey(key));
  }
  void put(const std::string &key, const std::string &bytes) override {
    cache_.put("shim", entryKey(key), bytes);
  }

private:
  static std::string entryKey(const std::string &key) {
    return KeyBuilder().add("shim").add(buildIdentity()).add(key).digest();
  }
  Cache cache_;
};

} // namespace

CompileCache::CompileCache(Cache cache)
    : cache_(std::move(cache)), precompiled_(std::make_shared<PrecompiledEntries>(cache_)) {}

// Not the time of the file at the program's path: a new build may have been put there since this one began,
// and what this one keeps would then be taken for the new one's.
const std::string &buildIdentity() {
  static const std::string identity = [] {
    std::string id = buildIdAt(&kIdentified);
    if (struct stat file{}; id.empty() && stat("/proc/self/exe", &file) == 0)
      id = fmt::format("{}.{}+{}", file.st_mtim.tv_sec, file.st_mtim.tv_nsec, file.st_size);
    return fmt::format("{} abi {} {}", ASSAY_VERSION, kLaneAbiVersion, id);
  }();
  return identity;
}

std::optional<CompileCache::Found>
CompileCache::findModule(const std::vector<frontend::SourceRequest> &sources) const {
  const std::optional<std::string> bytes = cache_.get("manifest", manifestKey(sources));
  const std::optional<Manifest> manifest = bytes ? fromBytes<Manifest>(*bytes) : std::nullopt;
  if (!manifest)
    return std::nullopt;
  for (const ManifestVariant &variant : manifest->variants) {
    if (!std::all_of(variant.dependencies.begin(), variant.dependencies.end(), stillHolds))
      continue;
    const std::optional<std::string> entry = cache_.get("module", variant.moduleKey);
    std::optional<CachedModule> module = entry ? fromBytes<CachedModule>(*entry) : std::nullopt;
    if (module && (!module->refused || !module->diagnostics.empty()))
      return Found{std::move(*module), variant.moduleKey};
  }
  return std::nullopt;
}

std::optional<std::string> CompileCache::findBitcode(const std::string &key) const {
  return cache_.get("bitcode", key);
}

std::string CompileCache::storeModule(const std::vector<frontend::SourceRequest> &sources,
                                      const frontend::CompiledModule &module) const {
  const std::string manifestAt = manifestKey(sources);
  const std::string key = moduleKey(manifestAt, module.dependencies);
  if (cache_.isOff())
    return key;
  cache_.put("bitcode", key, module.bitcode);
  cache_.put("module", key, toBytes(CachedModule{module.info, module.warnings}));
  storeManifest(manifestAt, {module.dependencies, key});
  return key;
}

void CompileCache::storeRefusal(const std::vector<frontend::SourceRequest> &sources,
                                const frontend::Refusal &refusal, const Error &error) const {
  if (cache_.isOff() || !refusal.lasts || error.kind != ErrorKind::Kernel)
    return;
  const std::string manifestAt = manifestKey(sources);
  const std::string key = moduleKey(manifestAt, refusal.dependencies);
  cache_.put("module", key, toBytes(CachedModule{{}, error.diagnostics, true}));
  storeManifest(manifestAt, {refusal.dependencies, key});
}

// The manifest is written after what it names, so that it never names an entry that was not written. Two
// processes that write it at once lose one variant.
void CompileCache::storeManifest(const std::string &at, const ManifestVariant &variant) const {
  Manifest manifest;
  if (std::optional<std::string> old = cache_.get("manifest", at))
    manifest = fromBytes<Manifest>(*old).value_or(Manifest{});
  std::erase_if(manifest.variants,
                [&](const ManifestVariant &v) { return v.moduleKey == variant.moduleKey; });
  manifest.variants.insert(manifest.variants.begin(), variant);
  manifest.variants.resize(std::min(manifest.variants.size(), kMaxVariants));
  cache_.put("manifest", at, toBytes(manifest));
}

std::optional<CachedFacts> CompileCache::findFacts(const std::string &key) const {
  const std::optional<std::string> bytes = cache_.get("facts", key);
  return bytes ? fromBytes<CachedFacts>(*bytes) : std::nullopt;
}

void CompileCache::storeFacts(const std::string &key, const CachedFacts &facts) const {
  if (!cache_.isOff())
    cache_.put("facts", key, toBytes(facts));
}

std::optional<CachedPipeline> CompileCache::findPipeline(const std::string &key) const {
  const std::optional<std::string> bytes = cache_.get("pipeline", key);
  return bytes ? fromBytes<CachedPipeline>(*bytes) : std::nullopt;
}

void CompileCache::storePipeline(const std::string &key, const CachedPipeline &pipeline) const {
  if (!cache_.isOff())
    cache_.put("pipeline", key, toBytes(pipeline));
}

std::string CompileCache::pipelineKey(const std::string &moduleKey, const std::string &kernel,
                                      const std::map<uint32_t, ConstantValue> &constants,
                                      const lowering::LoweringOptions &options) {
  // Taken apart by name, so that a new option cannot be left out of the key. What is printed changes no code.
  const auto &[numerics, debug, boundsChecks, observeMemory, trackUndefined, countWork, zeroMissingConstants,
               lockstep, threadSlack, engine] = static_cast<const CodeOptions &>(options);
  const auto &[linkedFunctions, cpu, group, independentOnFibers, largeFunction, printed] =
      static_cast<const lowering::LoweringTarget &>(options);
  KeyBuilder key;
  key.add("pipeline").add(buildIdentity()).add(lowering::targetKey(cpu)).add(moduleKey).add(kernel);
  key.add(numerics.name);
  for (const NumericsField &field : numericsFields())
    key.add(uint64_t(field.get(numerics)));
  key.add(uint64_t(engine))
      .add(debug)
      .add(boundsChecks)
      .add(observeMemory)
      .add(uint64_t(trackUndefined))
      .add(countWork)
      .add(zeroMissingConstants)
      .add(lockstep)
      .add(uint64_t(threadSlack));
  key.add(uint64_t(group.columns))
      .add(uint64_t(group.rows))
      .add(group.aligned)
      .add(group.full)
      .add(independentOnFibers);
  key.add(uint64_t(largeFunction));
  key.add(linkedFunctions.size());
  for (const uint32_t handle : linkedFunctions)
    key.add(handle);
  for (const auto &[index, value] : constants) {
    key.add(index).add(static_cast<uint64_t>(value.type)).add(value.components.size());
    for (uint64_t component : value.components)
      key.add(component);
  }
  return key.digest();
}

} // namespace assay
