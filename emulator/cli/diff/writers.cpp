#include "writers.h"

#include <algorithm>

namespace assay::cli::diff {

size_t WriterObserver::watch(const void *address, uint64_t bytes) {
  const uint64_t first = reinterpret_cast<uintptr_t>(address);
  watched_.push_back({first, first + bytes, {}});
  return watched_.size() - 1;
}

void WriterObserver::dispatchBegin(const DispatchEvent &event) {
  std::copy_n(event.threadsPerThreadgroup, 3, threads_);
  ++dispatches_;
}

void WriterObserver::access(const GroupEvent &group, const AccessEvent &access) {
  if (access.site->access == AccessKind::Read || !access.bytes)
    return;
  access.forEachThread([&](uint32_t thread, uint64_t address) { store(group, access, thread, address); });
}

void WriterObserver::store(const GroupEvent &group, const AccessEvent &access, uint32_t thread,
                           uint64_t address) {
  for (Watched &watched : watched_) {
    if (address >= watched.last || address + access.bytes <= watched.first)
      continue;
    Writer &writer = watched.writer;
    const uint32_t local[3] = {thread % group.threads[0], thread / group.threads[0] % group.threads[1],
                               thread / (group.threads[0] * group.threads[1])};
    const bool another = !writer.known() || writer.dispatch + 1 != dispatches_ ||
                         writer.threadIndex != thread ||
                         !std::equal(group.position, group.position + 3, writer.threadgroup);
    writer.threads += another;
    ++writer.stores;
    writer.dispatch = dispatches_ - 1;
    writer.threadIndex = thread;
    writer.where = access.site->where;
    writer.access = access.site->access;
    for (int axis = 0; axis < 3; ++axis) {
      writer.threadgroup[axis] = group.position[axis];
      writer.thread[axis] = group.position[axis] * threads_[axis] + local[axis];
    }
  }
}

void StoreObserver::watch(uint32_t buffer, const void *address, uint64_t bytes) {
  watched_.push_back({buffer, reinterpret_cast<uintptr_t>(address), PagedBytes(bytes, 1)});
}

PagedBytes StoreObserver::untouched(uint32_t buffer) const {
  for (const Watched &watched : watched_)
    if (watched.buffer == buffer && watched.untouched.text().find('\1') != std::string_view::npos)
      return watched.untouched;
  return {};
}

void StoreObserver::access(const GroupEvent &, const AccessEvent &access) {
  if (access.site->access == AccessKind::Read)
    return;
  access.forEachThread([&](uint32_t, uint64_t address) {
    for (Watched &watched : watched_) {
      const uint64_t last = watched.first + watched.untouched.size();
      const uint64_t from = std::max(address, watched.first), to = std::min(address + access.bytes, last);
      for (uint64_t at = from; at < to; ++at)
        watched.untouched.data()[at - watched.first] = 0;
    }
  });
}

} // namespace assay::cli::diff
