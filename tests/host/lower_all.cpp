// Lowers every kernel of the files that it is given, for scripts/check-lowering to run it under valgrind.
//
//   lower_all [--sources] FILE.metal...
//     --sources   only what comes before lowering, so that the cache has it
//
// Compiling the sources costs most of the time and is Clang's; lowering is ours. Pipelines are not taken from
// the cache. Function constants without a default are 0. Exit 1 if a file or a kernel is refused.
#include "host/assay.h"

#include <cstdio>
#include <cstring>

namespace {

using namespace assay;

FunctionConstantValues zeros(const ModuleInfo &module) {
  FunctionConstantValues values;
  const uint64_t zero[4] = {};
  for (const FunctionConstantInfo &constant : module.functionConstants)
    if (constant.index != kComputedConstant)
      values.setConstantValue(zero, DataType(constant.type, constant.components), constant.index);
  return values;
}

bool fail(const char *what, const Error &error) {
  std::fprintf(stderr, "%s\n%s\n", what, renderDiagnostics(error.diagnostics).c_str());
  return false;
}

bool lower(const Device &device, const Library &library, const KernelInfo &kernel) {
  PipelineOptions options;
  options.cache = false;
  Result<Function> function = library.newFunction(kernel.name);
  Result<ComputePipeline> pipeline =
      function ? device.newComputePipelineState(*function, options) : function.error();
  if (!pipeline && pipeline.error().rule() == "missing-function-constant") {
    function = library.newFunction(kernel.name, zeros(library.reflection()));
    pipeline = function ? device.newComputePipelineState(*function, options) : function.error();
  }
  return pipeline || fail(kernel.name.c_str(), pipeline.error());
}

} // namespace

int main(int count, char **arguments) {
  bool sources = false, ok = true;
  size_t kernels = 0;
  const Device device = Device::systemDefault();
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--sources") == 0) {
      sources = true;
      continue;
    }
    const Result<Library> library = device.newLibraryWithFile(arguments[i], {});
    if (!library) {
      ok = fail(arguments[i], library.error());
      continue;
    }
    for (const KernelInfo &kernel : library->reflection().kernels) {
      ok &= sources || lower(device, *library, kernel);
      ++kernels;
    }
  }
  if (!sources)
    std::printf("%zu kernels lowered\n", kernels);
  return ok && kernels ? 0 : 1;
}
