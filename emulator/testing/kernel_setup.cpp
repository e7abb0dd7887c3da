// A kernel with everything that a test binds to it. See kernel_setup.h.
#include "kernel_setup.h"

#include <cstring>
#include <mutex>
#include <tuple>

namespace assay::testing {
namespace {

Result<Library> compileLibrary(const std::string &file, const std::optional<std::string> &source,
                               const CompileOptions &options) {
  const Device device = Device::systemDefault();
  return source ? device.newLibraryWithSource(*source, options) : device.newLibraryWithFile(file, options);
}

/// Compiles a source once for the whole test program, unless it has options that the key lacks.
Result<Library> libraryOf(const std::string &file, const std::optional<std::string> &source,
                          const CompileOptions &options) {
  if (!options.probes.empty() || !options.kernels.empty() || !options.cache || options.debug ||
      options.languageVersion != LanguageVersion::Any)
    return compileLibrary(file, source, options);
  using Key = std::tuple<std::string, std::optional<std::string>, std::vector<std::string>,
                         std::vector<std::pair<std::string, std::string>>, MathMode, bool>;
  static std::map<Key, Library> libraries;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const Key key{source ? options.name : file, source,           options.includePaths,
                options.preprocessorMacros,   options.mathMode, options.contractStatements};
  if (const auto it = libraries.find(key); it != libraries.end())
    return it->second;
  Result<Library> library = compileLibrary(file, source, options);
  if (library)
    libraries.emplace(key, *library);
  return library;
}

} // namespace

void KernelSetup::bind(uint32_t index, Role role, const void *data, size_t length) {
  Bound bound{Device::systemDefault().newBuffer(length), role, {}};
  if (data && length)
    std::memcpy(bound.buffer.contents(), data, length);
  if (role == Role::InOut)
    bound.initial.assign(static_cast<const std::byte *>(data), static_cast<const std::byte *>(data) + length);
  buffers_.insert_or_assign(index, std::move(bound));
}

void KernelSetup::setBytes(uint32_t index, const void *data, size_t length) {
  const auto *first = static_cast<const std::byte *>(data);
  bytes_[index].assign(first, first + length);
}

Result<ComputePipeline> KernelSetup::pipeline() {
  if (pipeline_)
    return *pipeline_;
  const Result<Library> library = libraryOf(file_, source_, CompileOptions(compile_).forPipelines(options_));
  if (!library)
    return library.error();
  const Result<Function> function = library->newFunction(kernel_, constants_);
  if (!function)
    return function.error();
  Result<ComputePipeline> pipeline = Device::systemDefault().newComputePipelineState(*function, options_);
  if (pipeline)
    pipeline_ = std::make_shared<const ComputePipeline>(*pipeline);
  return pipeline;
}

Result<DispatchReport> KernelSetup::dispatch(bool wholeGroups, Size grid, Size threads,
                                             const DispatchOptions &options) {
  const Result<ComputePipeline> ready = pipeline();
  if (!ready)
    return ready.error();
  ComputeCommandEncoder encoder = Device::systemDefault().computeCommandEncoder();
  encoder.setComputePipelineState(*ready);
  encoder.setOptions(options);
  for (auto &[index, bound] : buffers_) {
    switch (bound.role) {
    case Role::Input: break;
    case Role::Output: bound.buffer.poison(); break;
    case Role::Accumulator: bound.buffer.fill(0); break;
    case Role::InOut:
      if (!bound.initial.empty())
        std::memcpy(bound.buffer.contents(), bound.initial.data(), bound.initial.size());
      break;
    }
    encoder.setBuffer(bound.buffer, 0, index);
  }
  for (const auto &[index, value] : bytes_)
    encoder.setBytes(value.data(), value.size(), index);
  for (const auto &[index, length] : threadgroupMemory_)
    encoder.setThreadgroupMemoryLength(length, index);
  for (const auto &[index, texture] : textures_)
    encoder.setTexture(texture, index);
  for (const auto &[index, sampler] : samplers_)
    encoder.setSamplerState(sampler, index);
  return wholeGroups ? encoder.dispatchThreadgroups(grid, threads) : encoder.dispatchThreads(grid, threads);
}

} // namespace assay::testing
