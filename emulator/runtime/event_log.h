// Logs the events of lanes, and delivers them to the observer.
//
// Problem.  Changing into the host's floating-point mode and back costs more than most observers spend on an
//           event. Also, lanes run one after the other, although they do the same.
// Choice.   Events are logged and delivered later, in order: when lanes meet, when the log is full, or when a
//           simdgroup cannot continue. Lanes run from one meeting to the next, so the events of a lane
//           between two meetings are a run of entries. Lanes that took the same path have runs of the same
//           sites. These runs are delivered together: each event once, with all of its lanes. Atomic
//           operations keep the order in which they were performed.
//           Compiled code writes most entries itself (support/abi/access_log_abi.h). Code that runs a whole
//           simdgroup at a time writes one entry, in order, for what all of its lanes did.
#pragma once

#include "runtime/run_plan.h"

#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace assay::runtime {

class EventLog {
public:
  explicit EventLog(const RunPlan &plan);
  EventLog(const EventLog &) = delete;

  AccessLogAbi &abi() { return abi_; }
  /// A threadgroup begins; called after dispatchBegin. The event lives until the next call.
  void begin(const GroupEvent &group);
  bool wants(uint32_t site) const { return wanted_[site] != 0; }

  void keep(uint32_t thread, uint32_t site, uint64_t address, uint64_t bytes);
  void keepEnd(uint32_t thread) { keep(thread, kThreadEnd, 0, 0); }
  bool isEmpty() const { return abi_.next == entries_.get() && abi_.nextOperation == operations_; }
  bool isLong() const { return abi_.next - entries_.get() >= kLong; }
  /// For code that runs simdgroups: where lanes wait for the next threadgroup barrier to open.
  struct Waiting {
    uint32_t site, mask;
  };
  std::span<const Waiting> waiting(uint32_t simdgroup) const { return waiting_[simdgroup]; }
  void forgetWaiting();
  /// Delivers everything that is kept. Must be called before another event is delivered.
  void deliver();

private:
  static constexpr uint32_t kThreadEnd = ~0u; ///< instead of a site
  static constexpr ptrdiff_t kMost = 1 << 15;
  static constexpr ptrdiff_t kLong = 1 << 12; ///< 64 KiB: still in a cache
  using Run = std::span<const KeptAccess>;    ///< of one thread, in a row
  Run runFrom(const KeptAccess *begin) const;
  /// The run from `begin` on if it has the events of `first`, by another lane of the same simdgroup; else
  /// empty. `first` has no atomic operations.
  Run joinedFrom(const KeptAccess *begin, Run first) const;
  bool mayJoin(Run run) const;
  void tell(std::span<const Run> runs);
  uint64_t bytesOf(const KeptAccess &access) const;
  void deliverOperations();
  void tellMeeting(const KeptOperation &operation, const uint64_t *words);

  const RunPlan &plan_;
  const GroupEvent *group_ = nullptr;
  bool asked_ = false;
  std::vector<uint8_t> wanted_; ///< by site
  std::vector<uint8_t> atomic_; ///< likewise
  std::unique_ptr<KeptAccess[]> entries_;
  /// Of code that runs simdgroups: 32 KiB, which stay in the nearest cache.
  static constexpr size_t kOperationBytes = 1 << 15,
                          kLongestOperation = sizeof(KeptOperation) + sizeof(KeptWords);
  std::unique_ptr<KeptWords[]> operationMemory_;
  uint8_t *operations_ = nullptr; ///< where it begins
  std::array<std::vector<Waiting>, kMaxSimdgroupsPerThreadgroup> waiting_;
  bool anyWaits_ = false;
  std::vector<std::pair<const KeptAccess *, uint64_t>> wide_; ///< bytes of entries with kManyBytes, in order
  AccessLogAbi abi_{};
};

} // namespace assay::runtime
