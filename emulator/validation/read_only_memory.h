// Finds the buffers that a dispatch only reads. No access to them can race, so none need be reported.
//
// Problem.  Most accesses of most kernels read weights and inputs that the kernel never writes. Recording the
//           readers of each of their words is most of the cost of a checker of races, in time and in memory.
// Choice.   The sites of a kernel show which accesses write, and through which binding. A buffer is read-only
//           if it overlaps no buffer with such a site. If a site may write anywhere, no buffer counts as
//           read-only: a pointer of unknown origin, or a texture, which may share a buffer's memory. This is
//           decided for each site, once for each dispatch, so the kernel itself can skip the report.
// Exact.    A race needs a write. An access outside of its binding ends the dispatch with a fault of its own;
//           it is not a race with whatever lies there.
#pragma once

#include "../support/abi/observer.h"

#include <utility>
#include <vector>

namespace assay::validation {

class ReadOnlyMemory {
public:
  ReadOnlyMemory() = default;
  explicit ReadOnlyMemory(const DispatchEvent &dispatch);

  /// Whether no access of this dispatch writes the memory that the site accesses.
  bool holds(const SiteInfo &site) const;

private:
  using Range = std::pair<uint64_t, uint64_t>; ///< [first, last)
  Range rangeOf(uint32_t slot) const;

  const DispatchAbi *dispatch_ = nullptr;
  bool anywhere_ = true;       ///< something may be written that is not in written_
  std::vector<Range> written_; ///< buffers
};

} // namespace assay::validation
