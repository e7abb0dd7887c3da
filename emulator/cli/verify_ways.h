// The ways in which `assay verify` runs a dispatch, and how far the results of one are from those of another.
//
// Problem.  A result may be right by chance: because threadgroups happened to run in some order, because
//           lanes happened to run together, or because of a rounding that is not published. One run cannot
//           show this.
// Choice.   The same dispatch runs again and again, each time with one change: the order of threadgroups, the
//           engine, the lockstep of lanes, or one field of the numerics profile. Each run begins with the
//           buffers as the command line has them. All are compared with the first run, which has canonical
//           order and the default engine.
// Rejected. Several changes at a time: what the result depends on could not be named.
#pragma once

#include "run_plan.h"

#include "../compare/comparison.h"
#include "../support/process/sparse_pages.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

/// What a way changes.
enum class WaySubject : uint8_t { Baseline, Schedule, Engine, Lockstep, Numerics };

struct Way {
  WaySubject subject = WaySubject::Baseline;
  std::string name = {}; ///< "shuffle:3", "fiber", "on", "simd_sum=pairwise"
  NumericsProfile numerics = kAppleNumerics;
  Engine engine = Engine::Vector;
  bool lockstep = false;
  Schedule schedule = {ScheduleKind::Canonical, 0};
  const NumericsField *field = nullptr; ///< Numerics: what is changed
};

/// The baseline first, then engines, lockstep, schedules, and each other value of each field.
///   threads   of the grid: the reference takes part up to kMostReferenceThreads
std::vector<Way> waysOf(const NumericsProfile &profile, uint32_t schedules, uint64_t threads);
inline constexpr uint64_t kMostReferenceThreads = 4096;

/// A buffer or texture that the kernel may have written.
struct WrittenResult {
  std::string name; ///< "buffer 2 out", "texture 1"
  ScalarType type = ScalarType::UChar;
  SparseCopy contents = {};
};

/// Where a way's results differ from the baseline's.
struct ResultDifference {
  std::string name;
  compare::Comparison comparison;
};

/// One dispatch, as often as asked.
class RepeatedDispatch {
public:
  /// Both outlive it.
  RepeatedDispatch(const RunArguments &arguments, const Device &device);

  struct Outcome {
    std::vector<WrittenResult> written;
    DispatchReport report;
  };
  /// checks   those of --check; they need a way of their own, since checked runs are on fibers
  /// errors   all of `assay run`
  Result<Outcome> run(const Way &way, const CheckRules &checks = {});

private:
  const RunArguments &arguments_;
  const Device &device_;
  LibraryMemo libraries_;
  std::optional<ComputePipeline> pipeline_; ///< of the last way
  std::optional<Way> pipelineOf_;
  bool checked_ = false;
};

/// Empty if all bits are the same.
std::vector<ResultDifference> differences(const std::vector<WrittenResult> &baseline,
                                          const std::vector<WrittenResult> &other);

/// "buffer 2 out: 14 of 64 values differ, by up to 3 ulps, the first at [5]"
std::string differenceText(const ResultDifference &difference);
/// The most ULPs of any; none if a NaN stands against a number, or for integers.
std::optional<uint64_t> mostUlps(const std::vector<ResultDifference> &differences);

} // namespace assay::cli
