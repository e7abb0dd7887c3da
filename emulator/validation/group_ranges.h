// Records what threadgroups do with device memory as ranges, as long as a few ranges are enough.
//
// Problem.  For a kernel that goes over a large buffer, there is a row of state for each 128 bytes
//           (filter_rows.h), and writing these rows costs more than the kernel.
// Choice.   Threads mostly access their own element of a row of elements, so a threadgroup has a range with
//           one formula for its owners. Ranges with the same owners do not race, and ranges of different
//           threadgroups must not overlap. At the first access that does not fit, or in doubt, all ranges
//           become rows, and the rows decide.
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
  /// Whether it is certain that nothing has raced so far.
  bool areApart() const;
  /// Ends the threadgroup. Returns false if there is a doubt, or if there are too many ranges; then nothing
  ///           has changed.
  bool endGroup();
  /// Drops all ranges, and keeps none from here on.
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
  std::vector<Span> written_, read_; ///< in order, with a gap between any two
};

} // namespace assay::validation
