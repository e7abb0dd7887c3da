// What threadgroups do with device memory, as ranges: as long as few ranges say all of it.
//
// Problem.  A kernel that goes over a large buffer has a row of state for each 128 bytes (filter_rows.h), and
//           to write these costs more than the kernel.
// Choice.   Threads mostly access their own element of a row of elements, so a threadgroup has a range with
//           one formula for its owners. Ranges with the same owners do not race; those of different
//           threadgroups must not overlap. With the first access that is another, or in doubt, all ranges
//           become rows, and these decide.
#pragma once

#include "filter_rows.h"

#include <cstdint>
#include <vector>

namespace assay::validation {

class GroupRanges {
public:
  struct Range { ///< of the threadgroup that runs
    uint64_t begin, end;
    Owners owners;
    uint32_t site;
    bool writes;
  };
  struct Span { ///< of those before it
    uint64_t begin, end;
  };

  bool areUsed() const { return used_; }
  /// False: there are too many ranges.
  bool add(uint32_t site, bool writes, uint64_t begin, uint64_t end, Owners owners) {
    for (Range &range : now_)
      if (range.site == site && range.owners == owners && begin >= range.begin && begin <= range.end) {
        range.end = end > range.end ? end : range.end;
        return true;
      }
    if (now_.size() == kMostRanges)
      return false;
    now_.push_back({begin, end, owners, site, writes});
    return true;
  }
  /// Whether nothing races so far, for sure.
  bool areApart() const;
  /// The threadgroup ends. False: there is a doubt, or there are too many ranges; nothing has changed then.
  bool endGroup();
  /// No range is kept any more.
  void end() {
    used_ = false;
    now_.clear();
    written_.clear();
    read_.clear();
  }

  const std::vector<Range> &now() const { return now_; }
  const std::vector<Span> &written() const { return written_; }
  const std::vector<Span> &read() const { return read_; }

private:
  static constexpr size_t kMostRanges = 8, kMostSpans = 256;
  bool used_ = true;
  std::vector<Range> now_;
  std::vector<Span> written_, read_; ///< in order, with something between two
};

} // namespace assay::validation
