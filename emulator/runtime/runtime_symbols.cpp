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
      {"assay_rt_threadgroup_barrier", address(assay_rt_threadgroup_barrier)},
      {"assay_rt_simd_op", address(assay_rt_simd_op)},
      {"assay_rt_spin", address(assay_rt_spin)},
      {"assay_rt_log", address(assay_rt_log)},
      {"assay_rt_assertion_failed", address(assay_rt_assertion_failed)},
      {"assay_rt_no_function", address(assay_rt_no_function)},
      {"assay_rt_probe", address(assay_rt_probe)},
      {"assay_rt_out_of_bounds", address(assay_rt_out_of_bounds)},
      {"assay_rt_check_access", address(assay_rt_check_access)},
      {"assay_rt_observe_access", address(assay_rt_observe_access)},
      {"assay_rt_texture_read", address(assay_rt_texture_read)},
      {"assay_rt_texture_write", address(assay_rt_texture_write)},
      {"assay_rt_texture_atomic", address(assay_rt_texture_atomic)},
      {"assay_rt_texture_sample", address(assay_rt_texture_sample)},
      {"assay_rt_texture_query", address(assay_rt_texture_query)},
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
