// A kernel with everything that a test binds to it. See kernel_run.h.
#include "kernel_run.h"

#include <cstring>
#include <optional>
#include <tuple>

namespace assay::testing_support {

namespace {

/// One compilation of each file, with the same options, for the whole test program.
Result<Library> libraryOf(const std::string &file, const CompileOptions &options) {
  using Key = std::tuple<std::string, std::vector<std::string>,
                         std::vector<std::pair<std::string, std::string>>, MathMode>;
  static std::map<Key, Library> libraries;
  const Key key{file, options.includePaths, options.preprocessorMacros, options.mathMode};
  if (const auto it = libraries.find(key); it != libraries.end())
    return it->second;
  Result<Library> library = Device::systemDefault().newLibraryWithFile(file, options);
  if (library)
    libraries.emplace(key, *library);
  return library;
}

} // namespace

KernelRun &KernelRun::numerics(const NumericsProfile &profile) {
  options_.numerics = profile;
  pipeline_.reset();
  return *this;
}

KernelRun &KernelRun::compile(const CompileOptions &options) {
  compile_ = options;
  pipeline_.reset();
  return *this;
}

KernelRun &KernelRun::constant(uint32_t index, const void *value, DataType type) {
  constants_.setConstantValue(value, type, index);
  pipeline_.reset();
  return *this;
}

KernelRun &KernelRun::bind(uint32_t index, Role role, const void *data, size_t length) {
  Bound bound{Device::systemDefault().newBuffer(length), role, {}};
  if (data)
    std::memcpy(bound.buffer.contents(), data, length);
  if (role == Role::InOut)
    bound.initial.assign(static_cast<const std::byte *>(data), static_cast<const std::byte *>(data) + length);
  buffers_.insert_or_assign(index, std::move(bound));
  return *this;
}

KernelRun &KernelRun::setBytes(uint32_t index, const void *data, size_t length) {
  const auto *first = static_cast<const std::byte *>(data);
  bytes_[index].assign(first, first + length);
  return *this;
}

KernelRun &KernelRun::threadgroupMemory(uint32_t index, uint32_t length) {
  threadgroupMemory_[index] = length;
  return *this;
}

Result<DispatchReport> KernelRun::dispatch(bool groups, Size size, Size threads,
                                           const DispatchOptions &options) {
  const Device device = Device::systemDefault();
  if (!pipeline_) {
    Result<Library> library = libraryOf(file_, compile_);
    if (!library)
      return library.error();
    Result<Function> function = library->newFunction(kernel_, constants_);
    if (!function)
      return function.error();
    Result<ComputePipeline> pipeline = device.newComputePipelineState(*function, options_);
    if (!pipeline)
      return pipeline.error();
    pipeline_ = *pipeline;
  }
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*pipeline_);
  encoder.setOptions(options);
  for (auto &[index, bound] : buffers_) {
    switch (bound.role) {
    case Role::Input:
      break;
    case Role::Output:
      bound.buffer.poison();
      break;
    case Role::Accumulator:
      bound.buffer.fill(0);
      break;
    case Role::InOut:
      std::memcpy(bound.buffer.contents(), bound.initial.data(), bound.initial.size());
      break;
    }
    encoder.setBuffer(bound.buffer, 0, index);
  }
  for (const auto &[index, value] : bytes_)
    encoder.setBytes(value.data(), value.size(), index);
  for (const auto &[index, length] : threadgroupMemory_)
    encoder.setThreadgroupMemoryLength(length, index);
  return groups ? encoder.dispatchThreadgroups(size, threads) : encoder.dispatchThreads(size, threads);
}

::testing::AssertionResult KernelRun::checked(Result<DispatchReport> result) {
  if (!result)
    return ::testing::AssertionFailure() << renderDiagnostics(result.error().diagnostics);
  report_ = *result;
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult KernelRun::dispatchThreadgroups(Size groups, Size threads,
                                                           const DispatchOptions &options) {
  return checked(dispatch(true, groups, threads, options));
}

::testing::AssertionResult KernelRun::dispatchThreads(Size threads, Size perThreadgroup,
                                                      const DispatchOptions &options) {
  return checked(dispatch(false, threads, perThreadgroup, options));
}

std::vector<Way> allWays(bool floatAtomics) {
  std::vector<Way> ways;
  const auto add = [&](std::string name, Schedule schedule, uint32_t workers) {
    DispatchOptions options;
    options.schedule = schedule;
    options.workers = workers;
    ways.push_back({std::move(name), options});
  };
  for (const uint32_t workers : {1, 2, 7})
    add(std::to_string(workers) + " workers", {}, workers);
  if (floatAtomics)
    return ways;
  add("canonical", {ScheduleKind::Canonical}, 0);
  add("parallel", {ScheduleKind::Parallel}, 3);
  for (const uint64_t seed : {1, 2, 3})
    add("shuffle:" + std::to_string(seed), {ScheduleKind::Shuffle, seed}, 0);
  return ways;
}

} // namespace assay::testing_support
