// The options for turning a kernel into native code that mean the same in the host's API and in lowering. The
// host's PipelineOptions and lowering's LoweringOptions contain them, and each has further options.
#pragma once

#include "numerics.h"

namespace assay {

/// What runs a kernel. Fiber: each thread by itself (runtime/lane_scheduler.h). Vector: the threads of a
/// simdgroup as one program (lowering/vector/vectorize.h), and fibers for kernels that it cannot run.
/// Both: fibers, then vectors from the same memory, to find differences (host/both_engines.h).
/// Reference: an interpreter, slow and exact (lowering/reference/reference_kernel.h).
/// Auto: what the environment says (host/environment.h), and Vector without it.
enum class Engine : uint8_t { Auto, Fiber, Vector, Both, Reference };

/// Whether values that nobody has written are tracked (lowering/shadow_values.h), whether this includes
/// device memory, and whether results that Metal does not define are tracked, too
/// (lowering/undefined_results.h). Code of Engine::Vector has no shadows of values: see
/// lowering/vector/variable_reads.h.
enum class TrackUndefined : uint8_t { No, Local, WithDevice, LocalAndResults, WithDeviceAndResults };
constexpr bool tracksDevice(TrackUndefined track) {
  return track == TrackUndefined::WithDevice || track == TrackUndefined::WithDeviceAndResults;
}
constexpr bool tracksResults(TrackUndefined track) {
  return track == TrackUndefined::LocalAndResults || track == TrackUndefined::WithDeviceAndResults;
}
constexpr TrackUndefined trackingOf(bool local, bool device, bool results) {
  if (results)
    return device ? TrackUndefined::WithDeviceAndResults : TrackUndefined::LocalAndResults;
  return device ? TrackUndefined::WithDevice : local ? TrackUndefined::Local : TrackUndefined::No;
}

struct CodeOptions {
  NumericsProfile numerics = kAppleNumerics;
  bool debug = false;         ///< no optimisation, all variables kept; the code is registered with gdb
  bool boundsChecks = true;   ///< off only to measure what they cost
  bool observeMemory = false; ///< report each memory access to the dispatch's observer
  TrackUndefined trackUndefined = TrackUndefined::No; ///< report decisions on undefined values, too
  bool countWork = false; ///< count who enters which block (work.h), for DispatchReport::work
  /// A function constant that the kernel reads and that has no value is zero instead of an error. Some hosts
  /// rely on it (ggml leaves one out), and Apple's compiler allows it. KernelCodeInfo::zeroConstants says
  /// which were.
  bool zeroMissingConstants = false;
  /// The lanes of a simdgroup that took the same path load from threadgroup memory together and store to it
  /// together, as on Apple's GPUs. Metal does not promise it; some kernels rely on it instead of using
  /// simdgroup_barrier. See lowering/lockstep.h. On Engine::Vector they always do.
  bool lockstep = false;
  /// Bytes on both sides of each array of a thread, which kernels may touch (lowering/thread_slack.h).
  uint32_t threadSlack = 0;
  Engine engine = Engine::Auto;
};

} // namespace assay
