#include "prepared_dispatch.h"
#include "both_engines.h"
#include "validate.h"

#include <chrono>
#include <cstring>
#include <new>

namespace assay::detail {

Result<bool> PreparedDispatch::readSize() {
  if (!indirect)
    return true;
  uint32_t groups[3];
  std::memcpy(groups, indirect->buffer.get() + indirect->offset, sizeof groups);
  if (!groups[0] || !groups[1] || !groups[2])
    return false;
  const PipelineFacts facts{pipeline->kernel, {}, pipeline->maxThreads(), 0, 0};
  const Result<Size> threads =
      validateSize(facts, {{groups[0], groups[1], groups[2]}, indirect->threadgroup, true});
  if (!threads)
    return threads.error();
  request.gridThreads = {uint32_t(threads->width), uint32_t(threads->height), uint32_t(threads->depth)};
  return true;
}

Result<runtime::DispatchReport> PreparedDispatch::run() {
  const auto begin = std::chrono::steady_clock::now();
  const Result<bool> something = readSize();
  Result<runtime::DispatchReport> report = !something   ? Result<runtime::DispatchReport>(something.error())
                                           : *something ? runInCopies()
                                                        : runtime::DispatchReport{};
  if (finished) {
    DispatchRecord record{pipeline->kernel->name, request.gridThreads, request.threadsPerThreadgroup,
                          std::chrono::steady_clock::now() - begin, report ? nullptr : &report.error()};
    finished(record);
  }
  return report;
}

Result<runtime::DispatchReport> PreparedDispatch::runCode() {
  if (const Result<void> chosen = pipeline->codes->choose(request); !chosen)
    return chosen.error();
  if (pipeline->codes->comparesEngines() && request.code->info->threadsPerCall > 1) {
    const Result<const KernelCode *> fibers = pipeline->codes->fibers();
    return fibers ? runOnBoth(request, **fibers, pipeline->kernel->name) : fibers.error();
  }
  return runtime::run(request);
}

Result<runtime::DispatchReport> PreparedDispatch::runInCopies() {
  if (unaligned.empty())
    return runCode();
  struct Copy {
    uint8_t *original, *aligned;
    uint64_t bytes;
    bool written;
  };
  std::vector<Copy> copies;
  const auto release = [](void *memory) { ::operator delete(memory, std::align_val_t(kBufferAlignment)); };
  for (const Unaligned &u : unaligned) {
    BufferAbi &buffer = request.buffers[u.slot];
    // The copy keeps the offset, and with it the alignment of the first byte that the kernel sees.
    auto *aligned =
        static_cast<uint8_t *>(::operator new(buffer.bytes + u.offset, std::align_val_t(kBufferAlignment)));
    copies.push_back({buffer.base, aligned + u.offset, buffer.bytes, u.written});
    owners.emplace_back(aligned, release);
    std::memcpy(aligned + u.offset, buffer.base, buffer.bytes);
    buffer.base = aligned + u.offset;
  }
  unaligned.clear();
  Result<runtime::DispatchReport> report = runCode();
  for (const Copy &copy : copies)
    if (copy.written)
      std::memcpy(copy.original, copy.aligned, copy.bytes);
  return report;
}

} // namespace assay::detail
