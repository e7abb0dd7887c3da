// Everything that compiled kernels may call, by name.
#include "runtime/dispatch.h"
#include "runtime/soft_float.h"

#include <vector>

namespace assay::runtime {
namespace {

template <class Function> void *address(Function *function) {
  return reinterpret_cast<void *>(function);
}

std::vector<std::pair<const char *, void *>> collect() {
  std::vector<std::pair<const char *, void *>> all = {
#define ASSAY_RUNTIME_CALL(name, symbol, result, parameters, memory, end, waits)                             \
  {"assay_rt_" #symbol, address(assay_rt_##symbol)},
#include "support/abi/runtime_calls.def"
#undef ASSAY_RUNTIME_CALL
  };
  const auto helpers = softFloatSymbols();
  all.insert(all.end(), helpers.begin(), helpers.end());
  return all;
}

} // namespace

std::span<const std::pair<const char *, void *>> runtimeSymbols() {
  static const auto all = collect();
  return all;
}

} // namespace assay::runtime
