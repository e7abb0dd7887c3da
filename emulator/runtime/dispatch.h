// A dispatch: one kernel over one grid, on worker threads, in the order that its schedule gives. It does not
// use LLVM.
#pragma once

#include "log.h"

#include "../support/abi/code_options.h"
#include "../support/abi/kernel_code.h"
#include "../support/abi/numerics.h"
#include "../support/abi/observer.h"
#include "../support/abi/texture_view.h"
#include "../support/text/finding.h"
#include "../support/text/result.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace assay::runtime {

struct Size3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

enum class ScheduleKind : uint8_t {
  Automatic, ///< Canonical if the kernel has float atomics or there is an observer, else Parallel
  Canonical, ///< one worker; threadgroups in grid order, x fastest
  Parallel,  ///< all workers; the same bits as Canonical for kernels whose result has one order
  Shuffle,   ///< one worker; threadgroups, and simdgroups within each, in an order drawn from the seed
};

struct Schedule {
  ScheduleKind kind = ScheduleKind::Automatic;
  uint64_t seed = 0;
};

/// The threads that have [[stage_in]] data: what grid_origin and grid_size are.
struct StageInThreads {
  Size3 origin{0, 0, 0}, size;
};

/// A tensor in the slot of a buffer, which has its elements.
struct BoundTensor {
  uint32_t slot = 0;
  TensorAbi record; ///< `first` is that of the slot
};

struct DispatchRequest {
  const KernelCode *code = nullptr;
  /// The codes for threadgroups that the far edges of the grid cut short. The index is a sum: 1 for x, 2 for
  /// y, 4 for z. Null means `code`. Each is made of the same kernel for another GroupShape, and has the same
  /// sites and threadsPerCall.
  std::array<const KernelCode *, 8> edgeCodes{};
  NumericsProfile numerics = kAppleNumerics;
  Size3 gridThreads; ///< total threads; edge threadgroups are smaller where it does not divide
  Size3 threadsPerThreadgroup;
  std::array<BufferAbi, kBufferSlots> buffers{};
  std::vector<BoundTensor> tensors;
  std::optional<StageInThreads> stageInRegion; ///< without one: the whole grid
  std::vector<BufferAbi> resources;            ///< not bound, but accessible through addresses in memory
  std::array<uint32_t, kThreadgroupSlots> threadgroupBytes{}; ///< dynamic lengths
  std::vector<TextureView> textures;                          ///< by slot; may end before the last
  std::vector<SamplerView> samplers;
  std::vector<ResidentTexture> residentTextures; ///< not bound, but accessible; in the order of their numbers
  Schedule schedule;
  uint32_t workers = 0;                           ///< 0: as many as the machine has
  std::chrono::milliseconds groupTimeout{20'000}; ///< for one threadgroup, see kQuickSlowness; 0: never
  Observer *observer = nullptr;
  bool countWork = false;              ///< `code` counts its work, for DispatchReport::work
  LogHandler logHandler;               ///< gets what the kernel logs; may be empty
  LogLevel logLevel = LogLevel::Debug; ///< the handler gets nothing below this level
};

struct DispatchReport {
  uint64_t threadgroups = 0;
  uint64_t threads = 0;
  ScheduleKind schedule = ScheduleKind::Canonical; ///< what Automatic became
  Engine engine = Engine::Fiber;                   ///< what ran it; never Auto
  uint32_t workers = 1;
  uint64_t logCalls = 0; ///< of os_log, whether anybody listened or not
  std::chrono::nanoseconds runTime{0};
  std::chrono::nanoseconds codeTime{0}; ///< making native code before, or loading it from the cache
  std::optional<WorkCounts> work; ///< if it was asked for; the same for every schedule and number of workers
  std::vector<Finding> findings;  ///< of the checkers that the host put on the dispatch, in order of places
};

/// Runs a dispatch to its end. Sizes have been validated by the caller (host/).
///   errors  Kernel "out-of-bounds", "no-progress", "stack-overflow", "assertion", "function-table": of the
///           first threadgroup in grid order that failed; buffers keep what was written until then
///   order   see ScheduleKind. Kernel logs are delivered by threadgroup, in grid order, or in the order of
///           execution with ScheduleKind::Shuffle; after a failure, only those of threadgroups before it in
///           grid order
Result<DispatchReport> run(const DispatchRequest &request);

/// Every symbol of lane_abi.h, and the soft-float helpers that code generation may call.
std::span<const std::pair<const char *, void *>> runtimeSymbols();

} // namespace assay::runtime
