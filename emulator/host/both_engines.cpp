// See both_engines.h.
#include "both_engines.h"

#include <cstring>
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

// Two copies of all of it are made.
constexpr uint64_t kMostBytes = uint64_t(4) << 30;

using Bytes = std::vector<uint8_t>;

std::vector<Bytes> copyOf(const std::vector<BufferAbi> &memory) {
  std::vector<Bytes> copies;
  for (const BufferAbi &buffer : memory)
    copies.emplace_back(buffer.base, buffer.base + buffer.bytes);
  return copies;
}

void restore(const std::vector<BufferAbi> &memory, const std::vector<Bytes> &copies) {
  for (size_t i = 0; i < memory.size(); ++i)
    if (!copies[i].empty())
      std::memcpy(memory[i].base, copies[i].data(), copies[i].size());
}

} // namespace

Result<runtime::DispatchReport> runOnBoth(runtime::DispatchRequest &request, const KernelCode &fibers,
                                          const std::string &kernel) {
  const std::vector<BufferAbi> memory = writable(request);
  uint64_t bytes = 0;
  for (const BufferAbi &buffer : memory)
    bytes += buffer.bytes;
  if (bytes > kMostBytes)
    return Error::usage(
        "out-of-memory",
        fmt::format("kernel {}: the engines are compared by copies of all buffers, which have {} "
                    "bytes; at most {} are copied",
                    kernel, bytes, kMostBytes),
        "run this dispatch on one engine");
  const std::vector<Bytes> before = copyOf(memory);
  const KernelCode *const vectors = std::exchange(request.code, &fibers);
  const auto edges = std::exchange(request.edgeCodes, {});
  Result<runtime::DispatchReport> report = runtime::run(request);
  if (report)
    report->engine = Engine::Both;
  request.code = vectors;
  request.edgeCodes = edges;
  if (!report)
    return report;
  const std::vector<Bytes> expected = copyOf(memory);
  restore(memory, before);
  const Result<runtime::DispatchReport> second = runtime::run(request);
  const std::vector<Bytes> found = copyOf(memory);
  restore(memory, expected);
  if (!second)
    return second;
  for (size_t i = 0; i < memory.size(); ++i)
    for (size_t byte = 0; byte < expected[i].size(); ++byte)
      if (expected[i][byte] != found[i][byte])
        return Error::kernel(
            "engine-difference",
            fmt::format(
                "kernel {}: byte {} of the {} bytes at {} is {:#04x} on fibers and {:#04x} on vectors",
                kernel, byte, expected[i].size(), static_cast<const void *>(memory[i].base),
                expected[i][byte], found[i][byte]),
            {}, "a kernel whose lanes race has no one result; otherwise please report it");
  return report;
}

} // namespace assay::detail
