// Counts what the engine did, for tests and benchmarks. The counts say nothing about the results of kernels.
#pragma once

#include <cstdint>

namespace assay::runtime {

struct Statistics {
  uint64_t laneResumes = 0;   ///< how often a lane was switched to, since the process began
  uint64_t fibersStarted = 0; ///< since the process began
  uint64_t stacksInUse = 0;   ///< now
};

Statistics statistics();

/// Called by workers.
void addLaneResumes(uint64_t count);
void addFibersStarted(uint64_t count);

} // namespace assay::runtime
