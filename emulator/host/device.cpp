// Every member of Device, each as a call of what makes the thing that it returns.
#include "device.h"
#include "command_buffer_state.h"
#include "event_state.h"
#include "make_library.h"
#include "make_pipeline.h"

#include "../support/process/sparse_pages.h"

#include <cstring>

namespace assay {

Device Device::systemDefault() {
  return {};
}

std::string Device::name() const {
  return "Assay CPU";
}

Result<Library> Device::newLibraryWithFile(std::string_view path, const CompileOptions &options) const {
  return newLibraryWithSources({{.file = std::string(path), .options = options}});
}

Result<Library> Device::newLibraryWithSource(std::string_view source, const CompileOptions &options) const {
  return newLibraryWithSources({{.text = std::string(source), .options = options}});
}

Result<Library> Device::newLibraryWithFiles(const std::vector<std::string> &paths,
                                            const CompileOptions &options) const {
  std::vector<LibrarySource> sources;
  for (const std::string &path : paths)
    sources.push_back({.file = path, .options = options});
  return newLibraryWithSources(sources);
}

Result<Library> Device::newLibraryWithSources(const std::vector<LibrarySource> &sources) const {
  auto state = detail::libraryOf(sources);
  if (!state)
    return state.error();
  Library library;
  library.state_ = std::move(*state);
  return library;
}

Result<ComputePipeline> Device::newComputePipelineState(const Function &function,
                                                        const PipelineOptions &options) const {
  std::vector<const detail::FunctionState *> linked;
  for (const Function &other : options.linkedFunctions.functions)
    linked.push_back(&other.state_);
  auto state = detail::makePipeline(function.state_, linked, options);
  if (!state)
    return state.error();
  ComputePipeline pipeline;
  pipeline.state_ = std::move(*state);
  return pipeline;
}

Buffer Device::newBuffer(size_t length) const {
  return {allocatePages(length), length};
}

Buffer Device::newBuffer(const void *bytes, size_t length) const {
  Buffer buffer = newBuffer(length);
  if (length)
    std::memcpy(buffer.contents(), bytes, length);
  return buffer;
}

Buffer Device::newBufferWithRoom(size_t length, size_t room) const {
  return {detail::allocateBuffer(length, room), length, room};
}

Buffer Device::newBufferWithBytesNoCopy(void *bytes, size_t length,
                                        std::function<void(void *, size_t)> deallocator, size_t room) const {
  return {detail::adoptMemory(bytes, length, std::move(deallocator)), length, room};
}

CommandQueue Device::newCommandQueue() const {
  CommandQueue queue;
  queue.state_ = std::make_shared<detail::QueueState>();
  return queue;
}

SharedEvent Device::newSharedEvent() const {
  SharedEvent event;
  event.state_ = std::make_shared<detail::EventState>();
  return event;
}

LogState Device::newLogState(const LogStateDescriptor &descriptor) const {
  return LogState(descriptor);
}

Result<Texture> Device::newTexture(const TextureDescriptor &descriptor) const {
  auto state = detail::makeTexture(descriptor);
  if (!state)
    return state.error();
  Texture texture;
  texture.state_ = std::move(*state);
  return texture;
}

Result<SamplerState> Device::newSamplerState(const SamplerDescriptor &descriptor) const {
  const Result<uint64_t> bits = detail::samplerBits(descriptor);
  if (!bits)
    return bits.error();
  SamplerState sampler;
  sampler.bits_ = *bits;
  return sampler;
}

ComputeCommandEncoder Device::computeCommandEncoder() const {
  return {};
}

} // namespace assay
