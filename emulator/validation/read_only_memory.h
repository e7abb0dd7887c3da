// Which buffers a dispatch only reads: no access to them can race, and nobody need hear of it.
//
// Problem.  Most accesses of most kernels read weights and inputs that the kernel never writes. To keep who
//           has read each of their words is most of what a checker of races costs, in time and in memory.
// Choice.   The sites of a kernel say which of its accesses write, and through which binding. A buffer that
//           overlaps no buffer with such a site stays as it is. A site that may write anywhere (a pointer of
//           unknown origin, a texture, which may share a buffer's memory) leaves nothing to say.
//           The answer is for a site, once for each dispatch, so the kernel itself can pass over the access.
// Exact.    A race needs a write. An access outside of its binding ends the dispatch: it is that fault, and
//           no race with what happens to lie there.
#pragma once

#include "../support/abi/observer.h"

#include <utility>
#include <vector>

namespace assay::validation {

class ReadOnlyMemory {
public:
  ReadOnlyMemory() = default;
  explicit ReadOnlyMemory(const DispatchEvent &dispatch);

  /// Whether what a site of this dispatch accesses is not written by any access of it.
  bool holds(const SiteInfo &site) const;

private:
  using Range = std::pair<uint64_t, uint64_t>; ///< [first, last)
  Range rangeOf(uint32_t slot) const;

  const DispatchAbi *dispatch_ = nullptr;
  bool anywhere_ = true;       ///< something may be written that is not in written_
  std::vector<Range> written_; ///< buffers
};

} // namespace assay::validation
