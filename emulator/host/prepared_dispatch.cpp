#include "prepared_dispatch.h"

#include <cstring>
#include <new>

namespace assay::detail {

Result<runtime::DispatchReport> PreparedDispatch::run() {
  if (unaligned.empty())
    return runtime::run(request);
  struct Copy {
    uint8_t *original, *aligned;
    uint64_t bytes;
    bool written;
  };
  std::vector<Copy> copies;
  const auto release = [](void *memory) { ::operator delete(memory, std::align_val_t(kBufferAlignment)); };
  for (const Unaligned &u : unaligned) {
    BufferAbi &buffer = request.buffers[u.slot];
    // The offset stays, so that what is aligned beyond it still is.
    auto *aligned =
        static_cast<uint8_t *>(::operator new(buffer.bytes + u.offset, std::align_val_t(kBufferAlignment)));
    copies.push_back({buffer.base, aligned + u.offset, buffer.bytes, u.written});
    owners.emplace_back(aligned, release);
    std::memcpy(aligned + u.offset, buffer.base, buffer.bytes);
    buffer.base = aligned + u.offset;
  }
  unaligned.clear();
  Result<runtime::DispatchReport> report = runtime::run(request);
  for (const Copy &copy : copies)
    if (copy.written)
      std::memcpy(copy.original, copy.aligned, copy.bytes);
  return report;
}

} // namespace assay::detail
