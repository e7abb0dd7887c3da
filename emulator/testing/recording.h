// The recording of one threadgroup's run, as plain data. A step is what the threadgroup does between two
// barriers; the last step ends with the threadgroup.
//
// Problem.  A test asks for values when the run has ended, by name and in any order. A run reports events in
//           its own order, and a long run reports more than memory holds.
// Choice.   One threadgroup is recorded, chosen before the run. Everything goes into flat rows with an index
//           by thread. The bytes are counted; if they would exceed the limit, the run gives an error instead
//           of a partial recording.
// Rejected. Recording all threadgroups (a grid has thousands); predicates in the kernel (they would change
//           it).
#pragma once

#include "kernel_setup.h"

#include "../support/abi/observer.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::testing {

/// The visits of one probe: all sites with its name and values of one type.
struct ProbeRecord {
  std::string name;
  ScalarType type = ScalarType::Float;
  uint32_t count = 1;
  SourcePlace where; ///< of the first site
  struct Visit {
    uint32_t thread, step;
  };
  std::vector<Visit> visits;                   ///< in the order of the run
  std::vector<std::vector<uint32_t>> byThread; ///< indices into `visits`
  std::vector<uint8_t> values;                 ///< of each visit, one after the other

  size_t bytesOfVisit() const { return size_t(count) * scalarTypeInfo(type).bytes; }
};

/// One execution of a simd operation by one simdgroup.
struct SimdRecord {
  const SiteInfo *site = nullptr;
  uint32_t simdgroup = 0;
  uint32_t activeMask = 0;
  uint32_t lanes = 0; ///< in this simdgroup; the last one may be partial
  uint32_t step = 0;
  std::vector<uint8_t> in, out; ///< by lane; zero where a lane is not active
  std::array<uint32_t, kSimdWidth> operand{};

  size_t inBytes() const;  ///< for one input of a lane
  size_t outBytes() const; ///< for a lane
};

/// Threadgroup memory and threads at a barrier, after all have arrived, or at the end of the threadgroup.
struct SnapshotRecord {
  std::vector<uint8_t> arena;
  std::vector<const SiteInfo *> sites; ///< by thread: its barrier; null if it has ended
};

struct ThreadgroupArray {
  std::string name, fullName; ///< as in ThreadgroupVariable; for an argument, both its name
  uint32_t offset = 0, bytes = 0;
};

struct RecordRequest {
  DispatchSize size;
  std::array<uint32_t, 3> group{}; ///< the threadgroup to record
  uint64_t limitBytes = 0;
  DispatchOptions options;
};

struct Recording {
  ComputePipeline pipeline; ///< owns the sites
  DispatchReport report;
  uint32_t threads = 0; ///< of the recorded threadgroup
  std::vector<ProbeRecord> probes;
  std::vector<SimdRecord> simdOps;
  std::vector<SnapshotRecord> snapshots; ///< at each barrier, then at the end
  std::vector<ThreadgroupArray> arrays;
  std::map<uint32_t, std::vector<uint8_t>> buffers; ///< all bound ones, after the run
  std::vector<std::string> expectedProbes;          ///< the requested ones, even if not in the kernel's code

  uint32_t simdgroups() const { return (threads + kSimdWidth - 1) / kSimdWidth; }

  /// Null if the probe is in the source, but not in the code (after `return`, in a function without callers).
  ///   errors  Usage "unknown-probe" (names the nearest), "probe-type" (names both)
  Result<const ProbeRecord *> findProbe(std::string_view name, ScalarType type, uint32_t count) const;
  /// errors: Usage "unknown-threadgroup-variable" (names all), "ambiguous-threadgroup-variable"
  Result<const ThreadgroupArray *> findArray(std::string_view name) const;
};

/// Runs the kernel and records. The schedule is canonical unless the options have another.
///   errors  as a dispatch; Usage "recording-limit", "recorded-threadgroup"
Result<std::shared_ptr<const Recording>> record(KernelSetup &kernel, const RecordRequest &request);

/// "half4"
std::string metalTypeName(ScalarType type, uint32_t count);

} // namespace assay::testing
