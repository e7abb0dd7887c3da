// Counts the work of a dispatch. The numbers are the same on every machine, with every engine and schedule.
//
// Problem.  Seconds measured here say how fast this CPU runs the emulator. To compare two ways of writing a
//           kernel, one needs to know what a GPU would have to do: how often and how much memory is accessed,
//           where lanes meet, how much they compute, and how many of the 32 lanes take part.
// Choice.   The work is counted in the neutral module (lowering/neutral_module.h): one function, optimised
//           once, the same for every engine. Each of its blocks has a list of what one lane does in it
//           (WorkBlock), and the runtime counts which lanes enter it (runtime/work_counter.h). A simdgroup
//           enters a block once for all lanes that come to it in the same iteration of every loop around it.
//           These are the lanes that would meet at a simd operation there (lowering/reconvergence.h).
// Rejected. The events of accesses that checkers get: they belong to the source before optimisation, where a
//           value that will stay in a register is loaded at each use. There are none for arithmetic, and
//           lanes that have diverged once are reported separately from then on. Counters of this CPU: they
//           count Assay's own code.
// Limit.    A count is not a time: caches, banks, coalescing and latency are not modelled. The work of a
//           kernel that waits for other threads, by polling an atomic, depends on the schedule.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

enum class WorkKind : uint8_t {
#define ASSAY_WORK(name, key, group, label) name,
#include "work_kinds.def"
#undef ASSAY_WORK
};

enum class WorkGroup : uint8_t { Access, Meeting, Arithmetic };

struct WorkKindInfo {
  WorkKind kind;
  std::string_view key;
  WorkGroup group;
  std::string_view label;
};

inline constexpr std::array kWorkKinds = {
#define ASSAY_WORK(name, key, group, label) WorkKindInfo{WorkKind::name, key, WorkGroup::group, label},
#include "work_kinds.def"
#undef ASSAY_WORK
};

/// How often one kind of work was done.
struct WorkCount {
  uint64_t lanes = 0;      ///< by lanes, each for itself
  uint64_t simdgroups = 0; ///< by simdgroups, once for all lanes that do it together
  uint64_t bytes = 0;      ///< of accesses, of all lanes
  bool operator==(const WorkCount &) const = default;
  WorkCount &operator+=(const WorkCount &more) {
    lanes += more.lanes, simdgroups += more.simdgroups, bytes += more.bytes;
    return *this;
  }
  /// The share of 32 lanes that took part, 0..1; 1 if nothing was done.
  double utilisation() const { return simdgroups ? double(lanes) / (32.0 * double(simdgroups)) : 1; }
};

struct WorkCounts {
  std::array<WorkCount, kWorkKinds.size()> kinds{};
  /// Copies and fills whose length is known only when they run: their bytes are not in the counts.
  uint64_t withoutBytes = 0;
  /// The work of the busiest simdgroup of any threadgroup, with all kinds added up as in
  /// WorkCount::simdgroups. However many simdgroups run at the same time, the dispatch cannot be shorter than
  /// that.
  uint64_t longestSimdgroup = 0;

  const WorkCount &operator[](WorkKind kind) const { return kinds[size_t(kind)]; }
  WorkCount &operator[](WorkKind kind) { return kinds[size_t(kind)]; }
  bool operator==(const WorkCounts &) const = default;
  /// Adds the counts of another part of the same dispatch.
  WorkCounts &operator+=(const WorkCounts &more) {
    for (size_t i = 0; i < kinds.size(); ++i)
      kinds[i] += more.kinds[i];
    withoutBytes += more.withoutBytes;
    longestSimdgroup = std::max(longestSimdgroup, more.longestSimdgroup);
    return *this;
  }
  /// Of a group, or of all.
  WorkCount sum(WorkGroup group) const {
    WorkCount total;
    for (const WorkKindInfo &info : kWorkKinds)
      if (info.group == group)
        total += (*this)[info.kind];
    return total;
  }
  WorkCount sum() const {
    WorkCount total;
    for (const WorkCount &count : kinds)
      total += count;
    return total;
  }
};

/// What one lane does in a block.
struct WorkItem {
  WorkKind kind = WorkKind::DeviceLoads;
  uint32_t count = 0;
  uint64_t bytes = 0;
  uint32_t withoutBytes = 0; ///< of `count`
};

/// A block of the neutral module that is counted, by its number. Loops are numbered from 1 on; 0 is none.
struct WorkBlock {
  uint32_t loop = 0;   ///< the innermost one around it
  bool header = false; ///< of that loop
  bool latch = false;  ///< of that loop: from here a lane goes to its header
  std::vector<WorkItem> items;
};

/// In pipelines that count work.
struct WorkBlocks {
  std::vector<WorkBlock> blocks;
  std::vector<uint32_t> parents; ///< of loop i + 1: the loop around it
};

} // namespace assay
