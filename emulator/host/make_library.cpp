#include "make_library.h"

#include "undefined_symbols.h"

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
  request.headers = options.headers;
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

Result<std::shared_ptr<const LibraryState>> makeLibrary(std::vector<frontend::SourceRequest> sources,
                                                        CompileCache cache) {
  auto state = std::make_shared<LibraryState>();
  state->sources = std::move(sources);
  state->cache = std::move(cache);
  if (std::optional<CompileCache::Found> found = state->cache.findModule(state->sources)) {
    if (found->module.refused)
      return Error{ErrorKind::Kernel, std::move(found->module.diagnostics)};
    state->info = std::move(found->module.info);
    state->warnings = std::move(found->module.diagnostics);
    state->moduleKey = std::move(found->moduleKey);
    state->fromCache = true;
    return std::shared_ptr<const LibraryState>(std::move(state));
  }
  frontend::Refusal refusal;
  Result<frontend::CompiledModule> module =
      frontend::compileSources(state->sources, state->cache.precompiled(), &refusal);
  if (!module) {
    state->cache.storeRefusal(state->sources, refusal, module.error());
    return module.error();
  }
  state->moduleKey = state->cache.storeModule(state->sources, *module);
  state->info = std::move(module->info);
  state->warnings = std::move(module->warnings);
  state->bitcodeBytes = std::move(module->bitcode);
  return std::shared_ptr<const LibraryState>(std::move(state));
}

Result<std::shared_ptr<const LibraryState>> libraryOf(const std::vector<LibrarySource> &sources) {
  if (sources.empty())
    return Error::usage("no-such-file", "a library needs at least one source");
  std::vector<frontend::SourceRequest> requests;
  for (const LibrarySource &source : sources) {
    frontend::SourceRequest request = sourceRequest(source.options);
    request.text = source.text;
    request.impliesLibrary = source.text && !source.options.textIsFile;
    if (!source.text) {
      request.path = source.file;
      Result<SourceFile> file = readSource(request.path);
      if (!file)
        return file.error();
      if (file->once) {
        request.path = file->name;
        request.text = std::move(file->text);
      }
    }
    requests.push_back(std::move(request));
  }
  Result<std::shared_ptr<const LibraryState>> library =
      makeLibrary(std::move(requests), cacheFor(sources.front().options));
  if (library && std::ranges::any_of(sources, [](const auto &s) { return s.options.warningsAreErrors; }))
    if (std::optional<Error> error = warningsAsErrors((*library)->warnings))
      return *error;
  return library;
}

std::string LibraryState::fileNames() const {
  std::string names;
  for (const frontend::SourceRequest &source : sources)
    names += (names.empty() ? "" : ", ") + source.path;
  return names;
}

Result<std::string_view> LibraryState::bitcode() const {
  const std::lock_guard lock(mutex);
  if (!bitcodeBytes)
    bitcodeBytes = cache.findBitcode(moduleKey);
  if (!bitcodeBytes) {
    Result<frontend::CompiledModule> module = frontend::compileSources(sources, cache.precompiled());
    if (!module)
      return module.error();
    bitcodeBytes = std::move(module->bitcode);
  }
  return std::string_view(*bitcodeBytes);
}

} // namespace assay::detail
