// Decides whether a run may have a race, or reads unwritten threadgroup memory. This costs less than finding
// the place.
//
// Choice.  The filter sees the same accesses, in the same order of threads, as RaceChecker, but keeps less
//          state (filter_rows.h). If it finds nothing, there is nothing. If it finds something, RaceChecker
//          must look in another run.
// Exact.   The filter misses nothing that RaceChecker reports. It may find something where there is no race,
//          for example a read and another threadgroup's write that an atomic operation orders. So it takes
//          only kernels in which all order between threads comes from threadgroup barriers.
// Limit.   It does not take kernels with atomic operations, fences, barriers of simdgroups, textures or
//          pointers of unknown origin.
#pragma once

#include "access_form.h"
#include "filter_rows.h"
#include "read_only_memory.h"
#include "row_bytes.h"

#include "../support/abi/observer.h"

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace assay::validation {

class RaceFilter : public Observer {
public:
  /// unwritten   whether reads of threadgroup memory that nobody has written are looked for
  explicit RaceFilter(bool unwritten) : unwritten_(unwritten) {}
  static bool takes(const KernelCodeInfo &code);

  /// After the dispatch: there may be something.
  bool found() {
    tellPending();
    return found_;
  }
  /// Such a read, which is certain.
  bool foundUnwritten() {
    tellPending();
    return foundUnwritten_;
  }
  /// What the dispatch has written to buffers.
  void addWritten(BytesByRow &written) const;

  bool wantsMemory() const override { return true; }
  bool takesLanesTogether() const override { return true; }
  bool wantsAccess(const SiteInfo &site) const override;
  void dispatchBegin(const DispatchEvent &) override;
  void groupBegin(const GroupEvent &) override;
  void barrier(const GroupEvent &, const BarrierEvent &) override;
  void access(const GroupEvent &, const AccessEvent &) override;
  void spacedAccess(const GroupEvent &, const SpacedAccess &) override;

private:
  using Row = FilterRows::Row;
  static constexpr uint64_t kPageRows = 32;
  using Page = std::array<Row, kPageRows>;
  struct Use { ///< of a site
    bool writes = false, inThreadgroup = false;
    const int64_t *distances = nullptr; ///< those of `form`, if they never change
    std::optional<AccessForm> form;
    // Reads by a simdgroup that have not been looked at: `count` of the form, each `step` after the last.
    uint32_t count = 0, simdgroup = 0;
    bool isPending = false; ///< in pending_
    uint64_t base = 0, next = 0, step = 0;
  };
  Use &useAt(size_t number);
  /// Whether all is said, but for what is written.
  bool mayPass(const Use &use) const { return (found_ || foundUnwritten_) && !use.writes; }
  Row *rowAt(const Use &use, uint64_t number);
  void whole(Use &use, uint64_t base, uint32_t simdgroup);
  void runs(const Use &use, uint64_t base, uint32_t simdgroup);
  void tellPending();
  void tell(Use &use);
  void lanes(const Use &use, const AccessEvent &event);
  void range(const Use &use, uint64_t begin, uint64_t bytes, std::optional<Owners> owners);
  void spaced(const Use &use, uint64_t begin, const AccessRun &run, uint64_t bytes, Owners owners);
  void touch(const Use &use, uint64_t number, RowBytes bytes, std::optional<Owners> owners);

  const bool unwritten_;
  bool found_ = false, foundUnwritten_ = false;
  const KernelCodeInfo *code_ = nullptr;
  ReadOnlyMemory readOnly_;
  std::vector<Use> uses_;         ///< by site
  std::vector<uint32_t> pending_; ///< sites that may have a count
  FilterRows device_{true}, threadgroup_{false};
  uint64_t arenaRow_ = 0; ///< the first one of threadgroup memory
  std::vector<Row> arena_;
  struct Known {
    uint64_t number = 0;
    Page *page = nullptr;
  };
  std::array<Known, 256> known_{};
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
};

} // namespace assay::validation
