// The plan that all workers of one dispatch read: what follows from the request, such as the size of a lane's
// stack and the memory that a kernel may touch. It is computed once, and no worker writes to it.
#pragma once

#include "runtime/dispatch.h"
#include "runtime/simd_eval.h"

#include <vector>

namespace assay::runtime {

/// Memory that a kernel may touch through a pointer of unknown origin.
struct MemoryRange {
  uint64_t first, last; ///< [first, last)
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= first && address <= last && bytes <= last - address;
  }
  /// How many bytes there are from an address in the range to the range's end; 0 outside.
  uint64_t bytesFrom(uint64_t address) const {
    return address >= first && address < last ? last - address : 0;
  }
};

/// What a meeting of lanes needs to know of a site.
struct RunSite {
  SimdFunction evaluate = nullptr; ///< SiteKind::Simd
  uint32_t count = 0;
  bool allLanes = false; ///< it takes all 32
  uint32_t published = kNotPublished;
  std::vector<uint32_t> counters; ///< of the loops around it
};

/// How many times longer a threadgroup may run on quick code (KernelCodeInfo::isQuick). Of the kernels of
/// bench/twins, none needs more than 3.9 times as long there.
constexpr int kQuickSlowness = 4;

struct RunPlan {
  explicit RunPlan(const DispatchRequest &request);

  const DispatchRequest &request;
  std::array<const KernelCode *, 8> codes; ///< as DispatchRequest::edgeCodes, and none is null
  const KernelCodeInfo &info;              ///< what all of them have in common
  Observer *const observer;
  ScheduleKind schedule;
  bool fibers;         ///< else all calls of a group run one after the other on one stack
  bool inTurn;         ///< the code goes from one threadgroup to the next by itself
  Size3 groups;        ///< threadgroups in the grid
  uint32_t maxCalls;   ///< for one threadgroup: the number of its threads, or of its simdgroups
  uint32_t arenaBytes; ///< threadgroup memory in use
  size_t stackBytes;
  uint32_t frameBytes;                      ///< KernelCodeInfo::frameBytes, the most of all codes
  unsigned mxcsr;                           ///< while kernel code runs
  std::chrono::milliseconds groupTimeout{}; ///< DispatchRequest::groupTimeout, and more on quick code
  DispatchAbi dispatch{};
  std::vector<TensorAbi> tensors; ///< to which `dispatch` points
  std::vector<RunSite> sites;
  /// Buffers, bound or used, records of tensors, and the kernel's constants: in order of address, apart from
  /// each other.
  std::vector<MemoryRange> memory;

  /// The code for a threadgroup with so many threads.
  const KernelCode &codeFor(Size3 threads) const { return *codes[cutBy(threads)]; }
  bool inKernelCode(uintptr_t pc) const { return codeAt(pc) != nullptr; }
  /// The place of an instruction of the kernel; unknown for any other address.
  SourcePlace locate(uintptr_t pc) const;
  uint32_t callsFor(Size3 threads) const {
    return uint32_t((threads.count() + info.threadsPerCall - 1) / info.threadsPerCall);
  }
  /// The range of `memory` that contains this address or ends at it; null if none.
  const MemoryRange *memoryAt(uint64_t address) const;
  /// Whether the address is one of the kernel's constants.
  bool isConstant(uint64_t address) const;
  Size3 groupPosition(uint64_t index) const;
  /// Threads of the threadgroup at this position: fewer at the far edges of a grid that does not divide.
  Size3 groupThreads(Size3 position) const;

  /// The number of lanes that a worker needs; it runs one of them at a time.
  uint32_t lanes() const { return fibers || info.takesTurns ? maxCalls : 1; }

private:
  size_t cutBy(Size3 threads) const;
  const KernelCode *codeAt(uintptr_t pc) const;
};

} // namespace assay::runtime
