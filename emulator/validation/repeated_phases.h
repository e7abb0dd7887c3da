// Recognises phases that repeat an earlier one. A phase is what a threadgroup does with threadgroup memory
// from one barrier to the next.
//
// Problem.  A kernel does the same with its tiles in each iteration of its loop and in each threadgroup.
//           Deciding each time anew whether this races is most of the cost of a filter of races.
// Choice.   The accesses of a phase are kept as compiled code has logged them. If a later phase begins in the
//           same way, its accesses are compared with the kept ones, byte by byte, and not examined. If the
//           later phase then differs, the accesses that were passed over are examined after all.
// Exact.    Whether the accesses of a phase race depends on these accesses alone, because nothing before the
//           phase counts. Whether they read what nobody has written depends on the memory, too. So a phase
//           says which bytes must have been written before it, and which bytes it writes. Accesses to other
//           memory are examined each time.
// Limit.    Phases are kept up to some megabytes, and forgotten after the dispatch. If most phases differ, no
//           more phases are kept.
#pragma once

#include "row_bytes.h"

#include "../support/abi/observer.h"

#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

namespace assay::validation {

class RepeatedPhases {
public:
  using Entries = std::vector<KeptOperation>; ///< with their words
  struct RowUse {
    uint32_t row = 0;
    RowBytes needs = 0;  ///< read, and written before the phase
    RowBytes writes = 0; ///< written
  };
  struct Phase {
    Entries entries;
    bool hasWords; ///< some entries have
    std::vector<RowUse> rows;
  };

  /// compared   for each site, whether it accesses threadgroup memory
  void dispatchBegin(std::vector<uint8_t> compared) {
    *this = {};
    compared_ = std::move(compared);
  }
  /// Begins a phase.
  void begin() { state_ = State::Fresh; }
  /// Calls look(entry) for each access of [at, end) that is not known, and for earlier ones that were taken
  /// for known.
  template <class Look> void take(const KeptOperation *at, const KeptOperation *end, Look look) {
    while (at != end) {
      if (state_ == State::Matching) {
        at = match(at, end, look);
        continue;
      }
      if (compared_[at->site]) {
        if (state_ == State::Fresh) {
          start(*at);
          continue;
        }
        if (state_ == State::Recording)
          record(at, KeptAccesses::next(at));
      }
      look(*at);
      at = KeptAccesses::next(at);
    }
  }
  /// Stops comparing: calls look(entry) for the accesses that were passed over. The rest of the phase is
  /// examined, too.
  template <class Look> void leave(Look look) {
    if (state_ == State::Matching)
      lookAtPassed(look);
    state_ = State::Plain;
  }
  /// At the end of a phase: the known phase that it repeats as a whole, or null.
  const Phase *matched() const {
    return state_ == State::Matching && matched_ == phases_[phase_].entries.size() ? &phases_[phase_]
                                                                                   : nullptr;
  }
  void countMatched() { ++hits_; }
  /// Whether the phase is to be kept, if there is nothing to find in it.
  bool isRecording() const { return state_ == State::Recording; }
  void keep(std::vector<RowUse> rows);

private:
  enum class State { Fresh, Plain, Recording, Matching };
  static constexpr size_t kMostEntries = size_t(1) << 17; // 4 MiB
  static constexpr size_t kMostAlike = 8;                 // phases that begin with the same access
  static constexpr size_t kAtOnce = 16;

  void start(const KeptOperation &first);
  void record(const KeptOperation *from, const KeptOperation *to);
  bool matchAnother(const KeptOperation &next);

  template <class Look> void lookAtPassed(Look look) {
    const KeptOperation *const entries = phases_[phase_].entries.data();
    for (const KeptOperation *at = entries; at != entries + matched_; at = KeptAccesses::next(at))
      look(*at);
  }
  /// Up to where it matched, or the state has changed.
  template <class Look>
  const KeptOperation *match(const KeptOperation *at, const KeptOperation *end, Look look) {
    const Entries &known = phases_[phase_].entries;
    while (at != end) {
      // Most often many in a row are the same.
      while (!phases_[phase_].hasWords && known.size() - matched_ >= kAtOnce &&
             end - at >= ptrdiff_t(kAtOnce) && std::memcmp(&known[matched_], at, kAtOnce * sizeof *at) == 0) {
        matched_ += kAtOnce;
        at += kAtOnce;
      }
      if (at == end)
        break;
      const KeptOperation *const next = KeptAccesses::next(at);
      const size_t length = size_t(next - at);
      if (length <= known.size() - matched_ &&
          std::memcmp(&known[matched_], at, sizeof(KeptOperation)) == 0 &&
          (length == 1 || std::memcmp(&known[matched_], at, length * sizeof(KeptOperation)) == 0)) {
        matched_ += length;
      } else if (!compared_[at->site]) {
        look(*at);
      } else {
        if (matchAnother(*at))
          return at;
        lookAtPassed(look);
        if (mayRecord()) {
          recorded_.assign(known.begin(), known.begin() + ptrdiff_t(matched_));
          state_ = State::Recording;
        } else {
          state_ = State::Plain;
        }
        return at;
      }
      at = next;
    }
    return at;
  }
  bool mayRecord() const { return entries_ < kMostEntries && (kept_ < 64 || hits_ >= kept_); }

  std::vector<uint8_t> compared_;
  std::vector<Phase> phases_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> byFirst_; ///< phases, by a hash of their first access
  State state_ = State::Fresh;
  uint32_t phase_ = 0; ///< that the current one is like, so far
  size_t matched_ = 0; ///< how many of its entries have matched
  Entries recorded_;   ///< of the current one
  size_t entries_ = 0; ///< of all phases
  uint64_t kept_ = 0, hits_ = 0;
};

} // namespace assay::validation
