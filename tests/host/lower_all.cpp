// Runs the passes of lowering on kernels, for scripts/check-lowering to watch them under valgrind.
//
//   lower_all --sources FILE.metal...   compiles the files, so that the cache has their modules
//   lower_all FILE.metal...             one kernel for each signature of the cached modules
//
// No code is generated: that is LLVM's work alone, and most of the time. Function constants without a value
// are 0. Exit 1 if a file or a kernel is refused, or if there was none.
#include "host/cache.h"
#include "host/compile_cache.h"
#include "lowering/lower.h"
#include "support/abi/kernel_signatures.h"
#include "support/process/deep_stack.h"

#include <cstdio>
#include <cstring>

namespace {

using namespace assay;

bool fail(const std::string &what, const Error &error) {
  std::fprintf(stderr, "%s\n%s\n", what.c_str(), renderDiagnostics(error.diagnostics).c_str());
  return false;
}

bool compileToCache(const CompileCache &cache, const frontend::SourceRequest &request) {
  const Result<frontend::CompiledModule> module = frontend::compile(request, cache.precompiled());
  if (!module)
    return fail(request.path, module.error());
  cache.storeModule({request}, *module);
  return true;
}

bool lower(const CompileCache &cache, const frontend::SourceRequest &request, size_t &lowered) {
  const auto found = cache.findModule({request});
  const auto bitcode = found ? cache.findBitcode(found->moduleKey) : std::nullopt;
  if (!bitcode)
    return fail(request.path,
                Error::usage(Rule::own("lower_all"), "the cache does not have it: --sources comes first"));
  lowering::LoweringOptions options;
  options.zeroMissingConstants = true;
  bool ok = true;
  for (const size_t index : firstOfEachSignature(found->module.info)) {
    const KernelInfo &kernel = found->module.info.kernels[index];
    ++lowered;
    if (const Result<void> done = lowering::runPasses(*bitcode, found->module.info, kernel, {}, options);
        !done)
      ok = fail(kernel.name, done.error());
  }
  return ok;
}

} // namespace

int main(int count, char **arguments) {
  const bool sources = count > 1 && std::strcmp(arguments[1], "--sources") == 0;
  size_t lowered = 0;
  const CompileCache cache(Cache::fromEnvironment());
  bool ok = true;
  // One deep stack for all kernels: valgrind takes two seconds for each that is made and removed.
  onDeepStack([&] {
    for (int i = sources ? 2 : 1; i < count; ++i) {
      frontend::SourceRequest request;
      request.path = arguments[i];
      ok &= sources ? compileToCache(cache, request) : lower(cache, request, lowered);
    }
  });
  if (sources)
    return ok ? 0 : 1;
  std::printf("%zu kernels lowered\n", lowered);
  return ok && lowered ? 0 : 1;
}
