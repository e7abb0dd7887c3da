// See both_engines.h.
#include "both_engines.h"

#include "../support/process/sparse_pages.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace assay::detail {
namespace {

// All memory that a kernel may write.
std::vector<BufferAbi> writable(const runtime::DispatchRequest &request) {
  std::vector<BufferAbi> memory;
  for (const BufferAbi &buffer : request.buffers)
    if (buffer.base)
      memory.push_back({buffer.begin(), buffer.allBytes()});
  memory.insert(memory.end(), request.resources.begin(), request.resources.end());
  return memory;
}

// Copies hold only what differs from what the memory was filled with.
constexpr uint64_t kMostBytes = uint64_t(4) << 30;

uint64_t touchedBytes(const std::vector<BufferAbi> &memory) {
  uint64_t bytes = 0;
  for (const BufferAbi &buffer : memory)
    bytes += touchedMemory(buffer.base, buffer.bytes).bytes();
  return bytes;
}

using Copies = std::vector<SparseCopy>;

Copies copyOf(const std::vector<BufferAbi> &memory) {
  Copies copies;
  for (const BufferAbi &buffer : memory)
    copies.emplace_back(buffer.base, buffer.bytes);
  return copies;
}

void restore(const std::vector<BufferAbi> &memory, const Copies &copies) {
  for (size_t i = 0; i < memory.size(); ++i)
    copies[i].restore(memory[i].base);
}

} // namespace

Result<runtime::DispatchReport> runOnBoth(runtime::DispatchRequest &request, const KernelCode &fibers,
                                          const std::string &kernel) {
  const std::vector<BufferAbi> memory = writable(request);
  const auto tooLarge = [&]() -> std::optional<Error> {
    const uint64_t bytes = touchedBytes(memory);
    if (bytes <= kMostBytes)
      return std::nullopt;
    return Error::usage(
        "out-of-memory",
        fmt::format("kernel {}: the engines are compared by copies of all buffers, of which {} bytes are in "
                    "use; at most {} are copied",
                    kernel, bytes, kMostBytes),
        "run this dispatch on one engine");
  };
  if (const std::optional<Error> error = tooLarge())
    return *error;
  const Copies before = copyOf(memory);
  const KernelCode *const vectors = std::exchange(request.code, &fibers);
  const auto edges = std::exchange(request.edgeCodes, {});
  Result<runtime::DispatchReport> report = runtime::run(request);
  if (report)
    report->engine = Engine::Both;
  request.code = vectors;
  request.edgeCodes = edges;
  if (!report)
    return report;
  if (const std::optional<Error> error = tooLarge())
    return *error;
  const Copies expected = copyOf(memory);
  restore(memory, before);
  const Result<runtime::DispatchReport> second = runtime::run(request);
  const Copies found = copyOf(memory);
  restore(memory, expected);
  if (!second)
    return second;
  for (size_t i = 0; i < memory.size(); ++i)
    if (const std::optional<uint64_t> byte = expected[i].firstDifference(found[i]))
      return Error::kernel(
          "engine-difference",
          fmt::format("kernel {}: byte {} of the {} bytes at {} is {:#04x} on fibers and {:#04x} on vectors",
                      kernel, *byte, expected[i].size(), static_cast<const void *>(memory[i].base),
                      expected[i].at(*byte), found[i].at(*byte)),
          {}, "a kernel whose lanes race has no one result; otherwise please report it");
  return report;
}

} // namespace assay::detail
