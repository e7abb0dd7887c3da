#include "make_library.h"

#include "../support/files/npy.h"

#include <algorithm>

namespace assay::detail {
namespace {

CompileCache cacheFor(const CompileOptions &options) {
  return CompileCache(options.cache ? Cache::fromEnvironment() : Cache::off());
}

} // namespace

frontend::SourceRequest sourceRequest(const CompileOptions &options) {
  frontend::SourceRequest request;
  request.path = options.name;
  request.includePaths = options.includePaths;
  request.defines = options.preprocessorMacros;
  // Clang defines it if infinities and NaNs may be neglected, which the relaxed mode does not allow.
  const auto isFastMath = [](const auto &macro) { return macro.first == "__FAST_MATH__"; };
  if (options.mathMode == MathMode::Fast && std::ranges::none_of(request.defines, isFastMath))
    request.defines.emplace_back("__FAST_MATH__", "1");
  request.safeMath = options.mathMode == MathMode::Safe;
  request.debug = options.debug;
  request.contractStatements = options.contractStatements;
  request.language = options.languageVersion;
  request.kernels = options.kernels;
  request.probes = options.probes;
  return request;
}

Result<std::shared_ptr<const LibraryState>> makeLibrary(frontend::SourceRequest request, CompileCache cache) {
  auto state = std::make_shared<LibraryState>();
  state->request = std::move(request);
  state->cache = std::move(cache);
  if (std::optional<CompileCache::Found> found = state->cache.findModule(state->request)) {
    state->info = std::move(found->module.info);
    state->warnings = std::move(found->module.warnings);
    state->moduleKey = std::move(found->moduleKey);
    state->fromCache = true;
    return std::shared_ptr<const LibraryState>(std::move(state));
  }
  Result<frontend::CompiledModule> module = frontend::compile(state->request, state->cache.precompiled());
  if (!module)
    return module.error();
  state->moduleKey = state->cache.storeModule(state->request, *module);
  state->info = std::move(module->info);
  state->warnings = std::move(module->warnings);
  state->bitcodeBytes = std::move(module->bitcode);
  return std::shared_ptr<const LibraryState>(std::move(state));
}

Result<std::shared_ptr<const LibraryState>> libraryOfFile(std::string_view path,
                                                          const CompileOptions &options) {
  frontend::SourceRequest request = sourceRequest(options);
  request.path = path;
  Result<SourceFile> source = readSource(request.path);
  if (!source)
    return source.error();
  if (source->once) {
    request.path = source->name;
    request.text = std::move(source->text);
  }
  return makeLibrary(std::move(request), cacheFor(options));
}

Result<std::shared_ptr<const LibraryState>> libraryOfText(std::string_view source,
                                                          const CompileOptions &options) {
  frontend::SourceRequest request = sourceRequest(options);
  request.text = source;
  return makeLibrary(std::move(request), cacheFor(options));
}

Result<std::string_view> LibraryState::bitcode() const {
  const std::lock_guard lock(mutex);
  if (!bitcodeBytes)
    bitcodeBytes = cache.findBitcode(moduleKey);
  if (!bitcodeBytes) {
    Result<frontend::CompiledModule> module = frontend::compile(request, cache.precompiled());
    if (!module)
      return module.error();
    bitcodeBytes = std::move(module->bitcode);
  }
  return std::string_view(*bitcodeBytes);
}

} // namespace assay::detail
