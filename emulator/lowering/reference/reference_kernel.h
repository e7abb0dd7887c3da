// The reference: a kernel that is interpreted, one lane after the other. Uses no LLVM in this header.
//
// Problem.  When two engines differ, something has to say which of them is right. Nobody can read a fast
//           engine in an afternoon and then be sure of it.
// Choice.   An interpreter of the neutral module (neutral_module.h), without any optimisation after it. Each
//           lane has its own place in the code. It runs until it ends or meets a site. When no lane of a
//           simdgroup can go on, the lanes that have come the least far perform their operation together.
//           Which lanes these are is decided by the keys of SiteInfo, compared as the comment there defines.
//           Integers are llvm::APInt, floats llvm::APFloat with the profile's flushing and canonical NaNs
//           (float_arithmetic.h). Every access must lie in memory that belongs to the kernel.
// Limit.    The reference has no textures, logs, assertions, probes or errors of calls through pointers, and
//           takes only profiles with canonical NaNs. A kernel that needs one of these gets an error that
//           names it. A lane that waits for another one by polling runs into the limit of steps.
// Rejected. A mask stack: it needs structured flow, and says the same (reconvergence.h). Interpreting the
//           front end's module: which lanes take part in an operation, and what they read of absent lanes,
//           is decided by passes that every engine shares.
#pragma once

#include "../lower.h"

#include <chrono>
#include <functional>
#include <span>

namespace assay::lowering {

/// Lanes of one simdgroup that perform an operation together, in the form of runtime/simd_eval.h: the arrays
/// have an entry for each lane, and the entries of the lanes in `active` are valid.
struct ReferenceMeeting {
  const SiteInfo *site;
  uint32_t active;
  const void *const *in;
  void *const *out;
  const uint32_t *operand;
  const uint8_t *published; ///< of lane 0; null if the site has no register
  uint32_t publishedStride;
};

/// The number of instructions after which a threadgroup without a deadline counts as one that does not end.
inline constexpr uint64_t kMostReferenceSteps = 50'000'000;

/// A threadgroup: its memory and built-ins as the fiber engine gives them to its lanes.
struct ReferenceGroup {
  const GroupAbi *group;
  uint64_t arenaBytes;
  std::vector<LaneAbi> threads; ///< only their built-ins are read
  std::function<void(const ReferenceMeeting &)> meet;
  uint64_t mostSteps = kMostReferenceSteps; ///< instructions of all lanes
  /// when the threadgroup counts as one that does not end, even if steps are left
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  uint32_t *failed = nullptr;                ///< gets the index of the thread that made an error
  std::span<const BufferAbi> resources = {}; ///< memory that the kernel reaches by addresses
};

class ReferenceKernel {
public:
  /// errors  those of lowerKernel; "unsupported": what the reference does not do
  static Result<std::unique_ptr<ReferenceKernel>> make(std::string_view bitcode, const ModuleInfo &module,
                                                       const KernelInfo &kernel,
                                                       const std::map<uint32_t, ConstantValue> &constants,
                                                       const LoweringOptions &options);
  ~ReferenceKernel();
  const KernelCodeInfo &info() const;

  /// errors  Kernel "out-of-bounds", "no-progress", "unsupported"; each at the user's line
  Result<void> run(const ReferenceGroup &group);

private:
  ReferenceKernel();
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay::lowering
