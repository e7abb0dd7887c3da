// Observers of a run. They find out which thread wrote an element, and which bytes were written at all.
#pragma once

#include "../../support/abi/observer.h"
#include "../../support/process/sparse_pages.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace assay::cli::diff {

/// The thread that stored to an element last. The observed dispatch runs in the canonical order, so that
/// "last" has a meaning.
struct Writer {
  uint32_t dispatch = 0;  ///< of the side, from 0
  bool ofSeveral = false; ///< the side has several dispatches
  uint32_t threadgroup[3] = {0, 0, 0};
  uint32_t thread[3] = {0, 0, 0}; ///< thread_position_in_grid
  uint32_t threadIndex = 0;       ///< in its threadgroup
  SourcePlace where;
  AccessKind access = AccessKind::Write;
  uint64_t stores = 0;  ///< to this place, by all threads
  uint64_t threads = 0; ///< how often the storing thread changed; the first counts
  uint32_t simdgroup() const { return threadIndex / 32; }
  uint32_t lane() const { return threadIndex % 32; }
  bool known() const { return stores != 0; }
};

/// Keeps the last writer of a few places in memory.
class WriterObserver : public Observer {
public:
  /// Before the run. Returns the index for `writer`.
  size_t watch(const void *address, uint64_t bytes);
  const Writer &writer(size_t index) const { return watched_[index].writer; }

  bool wantsMemory() const override { return true; }
  void dispatchBegin(const DispatchEvent &event) override;
  void access(const GroupEvent &group, const AccessEvent &access) override;

private:
  void store(const GroupEvent &group, const AccessEvent &access, uint32_t thread, uint64_t address);
  struct Watched {
    uint64_t first, last; // [first, last)
    Writer writer;
  };
  uint32_t threads_[3] = {1, 1, 1}; ///< of a whole threadgroup
  uint32_t dispatches_ = 0;
  std::vector<Watched> watched_;
};

/// Keeps which bytes of some buffers were stored to. Comparing contents before and after the run is not
/// enough: a kernel may store the value that was already there.
class StoreObserver : public Observer {
public:
  void watch(uint32_t buffer, const void *address, uint64_t bytes);
  /// For each byte of a buffer: 1 if nothing was stored to it. Empty if there is no such byte.
  PagedBytes untouched(uint32_t buffer) const;

  bool wantsMemory() const override { return true; }
  void access(const GroupEvent &group, const AccessEvent &access) override;

private:
  struct Watched {
    uint32_t buffer;
    uint64_t first;
    PagedBytes untouched;
  };
  std::vector<Watched> watched_;
};

} // namespace assay::cli::diff
