// What __assay_refuse tells the runtime beside its text. Both the shim and the runtime include this header,
// so it includes nothing and declares only numbers.
#pragma once

namespace __assay_refusal {

/// In place of a count of simdgroups.
enum Reason : unsigned {
  kAsyncCopy = 0,             ///< what is wrong with a copy of async_copy.h; describe_sites.cpp looks for 0
  kNoDepth = 0xfffffffe,      ///< the text is all of it, and what would be computed is not published
  kAnotherLayout = 0xffffffff ///< the text is all of it: a cooperative tensor has another layout
};

} // namespace __assay_refusal
