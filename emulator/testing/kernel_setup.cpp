// A kernel with everything that a test binds to it. See kernel_setup.h.
#include "kernel_setup.h"

#include <cstring>
#include <string>

namespace assay::testing {

void KernelSetup::bind(uint32_t index, Role role, const void *data, size_t length) {
  Buffer buffer = Device::systemDefault().newBuffer(length);
  if (data && length)
    std::memcpy(buffer.contents(), data, length);
  Preparation preparation{role, {}};
  if (role == Role::InOut)
    preparation.initial.assign(static_cast<const std::byte *>(data),
                               static_cast<const std::byte *>(data) + length);
  bindings_.buffers.insert_or_assign(index, std::move(buffer));
  preparations_.insert_or_assign(index, std::move(preparation));
}

void KernelSetup::setBytes(uint32_t index, const void *data, size_t length) {
  const auto *first = static_cast<const std::byte *>(data);
  bindings_.bytes[index].assign(first, first + length);
}

Result<ComputePipeline> KernelSetup::pipeline() {
  if (pipeline_)
    return *pipeline_;
  static const LibraryMemo libraries; // of the whole test program
  const Device device = Device::systemDefault();
  const Result<Library> library = libraries.compile(device, request_);
  if (!library)
    return library.error();
  Result<BuiltKernel> kernel = buildKernel(device, *library, request_);
  if (!kernel)
    return kernel.error();
  pipeline_ = std::make_shared<const ComputePipeline>(kernel->pipeline);
  return *pipeline_;
}

Result<void> KernelSetup::makeTensors() {
  for (const auto &[index, descriptor] : tensors_) {
    const auto memory = bindings_.buffers.find(index);
    if (memory == bindings_.buffers.end())
      return Error::usage("missing-binding",
                          "a tensor at index " + std::to_string(index) + " has no elements there",
                          "bind them by input, output, inout or accumulator");
    Result<Tensor> tensor = memory->second.newTensor(descriptor, 0);
    if (!tensor)
      return tensor.error();
    bindings_.tensors[index] = std::move(*tensor);
  }
  return {};
}

Result<DispatchReport> KernelSetup::dispatch(const DispatchSize &size, const DispatchOptions &options) {
  const Result<ComputePipeline> ready = pipeline();
  if (!ready)
    return ready.error();
  if (const Result<void> ok = makeTensors(); !ok)
    return ok.error();
  for (const auto &[index, preparation] : preparations_) {
    Buffer &buffer = bindings_.buffers.at(index);
    switch (preparation.role) {
    case Role::Input: break;
    case Role::Output: buffer.poison(); break;
    case Role::Accumulator: buffer.fill(0); break;
    case Role::InOut:
      if (!preparation.initial.empty())
        std::memcpy(buffer.contents(), preparation.initial.data(), preparation.initial.size());
      break;
    }
  }
  return launch(Device::systemDefault(), *ready, bindings_, size, options);
}

} // namespace assay::testing
