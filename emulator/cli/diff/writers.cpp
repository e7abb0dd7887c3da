#include "writers.h"

#include <algorithm>

namespace assay::cli::diff {

size_t WriterObserver::watch(const void *address, uint64_t bytes) {
  const uint64_t first = reinterpret_cast<uintptr_t>(address);
  watched_.push_back({first, first + bytes, {}});
  return watched_.size() - 1;
}

void WriterObserver::access(const runtime::GroupEvent &group, const runtime::AccessEvent &access) {
  if (access.site->access == AccessKind::Read)
    return;
  for (Watched &watched : watched_) {
    if (access.address >= watched.last || access.address + access.bytes <= watched.first)
      continue;
    Writer &writer = watched.writer;
    const uint32_t local[3] = {access.threadIndex % group.threads[0],
                               access.threadIndex / group.threads[0] % group.threads[1],
                               access.threadIndex / (group.threads[0] * group.threads[1])};
    const bool another = !writer.known() || writer.threadIndex != access.threadIndex ||
                         !std::equal(group.position, group.position + 3, writer.threadgroup);
    writer.threads += another;
    ++writer.stores;
    writer.threadIndex = access.threadIndex;
    writer.where = access.site->where;
    writer.access = access.site->access;
    for (int axis = 0; axis < 3; ++axis) {
      writer.threadgroup[axis] = group.position[axis];
      writer.thread[axis] = group.position[axis] * threads_[axis] + local[axis];
    }
  }
}

void StoreObserver::watch(uint32_t buffer, const void *address, uint64_t bytes) {
  watched_.push_back({buffer, reinterpret_cast<uintptr_t>(address), std::string(bytes, 1)});
}

std::string StoreObserver::untouched(uint32_t buffer) const {
  for (const Watched &watched : watched_)
    if (watched.buffer == buffer)
      return watched.untouched;
  return {};
}

void StoreObserver::access(const runtime::GroupEvent &, const runtime::AccessEvent &access) {
  if (access.site->access == AccessKind::Read)
    return;
  for (Watched &watched : watched_) {
    const uint64_t last = watched.first + watched.untouched.size();
    const uint64_t from = std::max(access.address, watched.first),
                   to = std::min(access.address + access.bytes, last);
    for (uint64_t at = from; at < to; ++at)
      watched.untouched[at - watched.first] = 0;
  }
}

} // namespace assay::cli::diff
