// Decides whether a run may have a race, or reads unwritten threadgroup memory. This costs less than finding
// the place.
//
// Choice.  The filter sees the same accesses, in the same order of threads, as RaceChecker, but keeps less
//          state (filter_rows.h). If it finds nothing, there is no race. If it finds something, RaceChecker
//          must look in another run.
// Exact.   The filter misses nothing that RaceChecker reports. It may find something where there is no race,
//          for example a read and another threadgroup's write that a fence orders, or a byte that one thread
//          accesses both atomically and otherwise. So it takes only kernels in which all order between
//          threads comes from barriers.
//          With barriers of simdgroups there are two questions: whether lanes of one simdgroup race since its
//          last barrier, and whether simdgroups race, where each simdgroup counts as one thread.
// Limit.   It does not take kernels with fences, textures or pointers of unknown origin. Without fences,
//          atomic operations order nothing. A simdgroup barrier that not all lanes reach counts as none.
#pragma once

#include "access_form.h"
#include "filter_rows.h"
#include "group_ranges.h"
#include "read_only_memory.h"
#include "repeated_phases.h"
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
  /// unwritten   whether to look for reads of threadgroup memory that nobody has written
  /// beside      another observer, which is told of accesses to buffers; may be null
  explicit RaceFilter(bool unwritten, Observer *beside = nullptr);
  ~RaceFilter() override;
  RaceFilter(const RaceFilter &) = delete;
  static bool takes(const KernelCodeInfo &code);

  /// To be asked after the dispatch: whether there may be a race.
  bool found() {
    lookAtAll();
    if (!ranges_.areApart())
      leaveRanges();
    return found_;
  }
  /// Whether there was a read of unwritten threadgroup memory, which is certain.
  bool foundUnwritten() {
    lookAtAll();
    return foundUnwritten_;
  }
  /// What the dispatch has written to buffers.
  void addWritten(BytesByRow &written);

  bool wantsMemory() const override { return true; }
  bool takesLanesTogether() const override { return true; }
  bool wantsAccess(const SiteInfo &site) const override;
  void unwrittenVariable() override {
    if (beside_)
      beside_->unwrittenVariable();
  }
  void dispatchBegin(const DispatchEvent &) override;
  void groupBegin(const GroupEvent &) override;
  void barrier(const GroupEvent &, const BarrierEvent &) override;
  void simdOp(const GroupEvent &, const SimdEvent &) override;
  void access(const GroupEvent &, const AccessEvent &) override;
  void spacedAccess(const GroupEvent &, const SpacedAccess &) override;
  void accesses(const GroupEvent &, const KeptAccesses &) override;
  bool takesAccessesAtOnce() const override { return true; }

private:
  using Row = FilterRows::Row;
  static constexpr uint64_t kPageRows = 32;
  using Page = std::array<Row, kPageRows>;
  /// Pages of destroyed filters, as these left them. Getting memory from the system and giving it back takes
  /// as long as filtering a short kernel.
  struct SparePages {
    std::vector<std::unique_ptr<Page>> pages;
    FilterRows::Times last; ///< all rows are from before
  };
  static constexpr size_t kMostSpare = 2048; // 8 MiB
  static thread_local SparePages spare_;
  struct Use { ///< of a site
    bool writes = false, inThreadgroup = false;
    bool isAtomic = false, reads = false; ///< `reads` of atomic ones alone
    const int64_t *distances = nullptr;   ///< those of `form`, if they never change
    std::optional<AccessForm> form;
    // By a simdgroup, and not looked at: `count` of the form, each `step` after the last. Reads of the same
    // by all lanes, or accesses of a buffer by lanes that are far apart.
    uint32_t count = 0, simdgroup = 0;
    bool isPending = false; ///< in pending_
    uint64_t base = 0, next = 0, step = 0;
  };
  Use &useAt(size_t number);
  /// Whether the results are known already, and the access adds no written bytes.
  bool mayPass(const Use &use) const { return (found_ || foundUnwritten_) && !use.writes; }
  void syncArena(Row &row);
  Row *rowAt(const Use &use, uint64_t number);
  /// What lanes of one simdgroup do among themselves, in kernels with simdgroup barriers.
  struct Lanes {
    FilterRows device{false, {}}, threadgroup{false, {}};
    std::vector<Row> arena;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  };
  bool lanesAreApart(const Use &use, uint64_t number, RowBytes bytes, std::optional<Owners> owners);
  bool looksAt(const SiteInfo &site) const;
  void look(const GroupEvent &group, const KeptAccesses &kept, const KeptOperation &entry);
  void look(const AccessEvent &event);
  void look(const SpacedAccess &event);
  void leaveRanges();
  void leavePhase();
  void lookAtAll();
  void endPhase();
  bool isKnown(const RepeatedPhases::Phase &phase);
  std::vector<RepeatedPhases::RowUse> rowsOfPhase();
  void whole(Use &use, uint64_t base, uint32_t simdgroup);
  void runs(const Use &use, uint64_t base, uint32_t simdgroup);
  void apart(Use &use, uint64_t base, uint32_t simdgroup);
  void putOff(Use &use, uint64_t base, uint32_t simdgroup);
  void tellPending();
  void tell(Use &use);
  void tellCounted(const Use &use, uint32_t count);
  void lanes(const Use &use, const AccessEvent &event);
  void range(const Use &use, uint64_t begin, uint64_t bytes, std::optional<Owners> owners);
  void spaced(const Use &use, uint64_t begin, const AccessRun &run, uint64_t bytes, Owners owners);
  void touch(const Use &use, uint64_t number, RowBytes bytes, std::optional<Owners> owners);

  static constexpr uint8_t kOwn = 1, kBeside = 2; ///< of wanted_

  const bool unwritten_;
  Observer *const beside_;
  bool found_ = false, foundUnwritten_ = false;
  const KernelCodeInfo *code_ = nullptr;
  ReadOnlyMemory readOnly_;
  RepeatedPhases phases_;
  std::vector<uint8_t> wanted_;   ///< by site, by whom
  std::vector<Use> uses_;         ///< by site
  std::vector<uint32_t> pending_; ///< sites that may have a count
  GroupRanges ranges_;
  bool bySimdgroup_ = false; ///< the kernel has barriers of simdgroups
  uint32_t simdgroup_ = 0;   ///< of the access that is looked at
  std::vector<std::unique_ptr<Lanes>> lanes_;
  SparePages own_;
  FilterRows device_, threadgroup_{false, {}};
  uint64_t arenaRow_ = 0; ///< the first one of threadgroup memory
  std::vector<Row> arena_;
  std::vector<RowBytes> writtenBefore_; ///< by row of it: everWritten when the row's epoch began
  struct Known {
    uint64_t number = 0;
    Page *page = nullptr;
  };
  std::array<Known, 256> known_{};
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
};

} // namespace assay::validation
