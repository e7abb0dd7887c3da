// Phases of threadgroup memory that are like one before: what a threadgroup does there from one barrier to
// the next.
//
// Problem.  A kernel does the same with its tiles in each iteration of its loop and in each threadgroup, and
//           to ask again whether it races is most of what a filter of races costs.
// Choice.   The accesses of a phase are kept as compiled code has logged them. If a later one begins like it,
//           it is compared, bytes with bytes, and nobody looks at it. If it goes on in another way, what was
//           passed over is looked at after all.
// Exact.    Whether accesses race depends on them alone, if nothing before them in the phase counts. Whether
//           they read what nobody has written depends on memory, too: a phase says what must have been
//           written before it, and what has been after it. Accesses of other memory are looked at each time.
// Limit.    Phases are forgotten after the dispatch, and kept up to some megabytes. Where most phases differ
//           nothing is kept any more.
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

  /// compared   by site: whether it accesses threadgroup memory
  void dispatchBegin(std::vector<uint8_t> compared) {
    *this = {};
    compared_ = std::move(compared);
  }
  /// A phase begins.
  void begin() { state_ = State::Fresh; }
  /// Calls look(entry) for each access of [at, end) that is not known, and for those before it of which it
  /// had been thought that they were.
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
  /// The rest of the phase is looked at, and what was passed over.
  template <class Look> void leave(Look look) {
    if (state_ == State::Matching)
      lookAtPassed(look);
    state_ = State::Plain;
  }
  /// At the end of a phase: the one that all of it was like, or null.
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
  size_t matched_ = 0; ///< so many of its entries
  Entries recorded_;   ///< of the current one
  size_t entries_ = 0; ///< of all phases
  uint64_t kept_ = 0, hits_ = 0;
};

} // namespace assay::validation
