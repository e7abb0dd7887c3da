// The native codes of one pipeline: for fibers, and for simdgroups of each shape of threadgroup.
//
// Problem.  It is not known before a dispatch is encoded which code it needs. Its threadgroups have a shape,
//           and those at the far edges of the grid have others. Also, most observers watch single lanes,
//           which only fibers support. Making every code in advance would multiply the time until a pipeline
//           is ready.
// Choice.   A pipeline begins with the facts of one code, for threadgroups whose rows fill simdgroups, and
//           generates no code. When a dispatch is encoded, workers start to make the code that it needs
//           (kernel_task.h). When the dispatch runs, it waits for that code. Each code is cached. A dispatch
//           of few threads uses an existing code that serves several shapes, even if code for its own shape
//           would be faster, because making that code takes longer than many such dispatches. The choice
//           depends on the dispatches and never on time, so that a kernel whose lanes race has the same bits
//           in each run.
// Quick.    Code for few threads is made with little effort (CodeEffort::Quick), in two fifths of the time.
//           It has mostly run before the other code would be ready, but nobody knows how long a loop runs.
//           When the quick codes of a pipeline have run for kQuickPatience and another dispatch needs them,
//           workers begin to make the other codes, and dispatches take these as soon as they are there. Both
//           leave the same bits, so that it does not matter when that is. A threadgroup may need longer on
//           quick code, and therefore has more time (runtime::kQuickSlowness). Where NaNs have the bits that
//           the processor gives them, they depend on the order of operands, which code generation chooses;
//           such profiles have no quick code.
// Fibers.   If no engine was asked for, and no thread of a kernel can see what another one does
//           (lowering/independent_threads.h), its quick code is one for fibers. It takes 4 ms to make, where
//           the one for simdgroups takes 15, and serves threadgroups of all shapes. A dispatch in which a
//           buffer that the kernel writes shares memory with another one runs on vectors, unless each thread
//           accesses only its own element of both.
// Rejected. Interpreting dispatches of few threads: lanes would no longer go together, and kernels that rely
//           on that, as on a GPU, would have other results. Fibers first for all kernels: bits of racing
//           kernels would depend on the moment at which vectors take over. Making the first code in the
//           background as soon as there is a pipeline: of the 542 pipelines in MLX's tests, 387 never need
//           it, because their threadgroups have other shapes.
#pragma once

#include "kernel_task.h"
#include "reference_run.h"

#include "../lowering/lower.h"
#include "../runtime/dispatch.h"
#include "../support/text/result.h"

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::detail {

struct LibraryState;

class KernelCodes {
public:
  using Constants = std::map<uint32_t, ConstantValue>;
  /// Several times what it takes to make the code of a kernel of usual size.
  static constexpr std::chrono::milliseconds kQuickPatience{200};

  /// What all codes are made of.
  ///   options   with an engine that is not Engine::Auto
  ///   cache     off if the pipeline is not to be cached
  ///   watchesSimdgroups   a dispatch may run on vectors under checkers, whatever the engine
  KernelCodes(std::shared_ptr<const LibraryState> library, const KernelInfo &kernel, Constants constants,
              lowering::LoweringOptions options, CompileCache cache, bool watchesSimdgroups = false);

  /// Must be called before everything below. errors: those of lowering
  Result<void> begin();

  /// For each argument of the kernel, whether it exists.
  const std::vector<uint8_t> &active() const { return active_; }
  /// The facts of the first code, as BegunKernel::info. Sites, buffers and threadgroup memory are those of
  /// every code.
  const KernelCodeInfo &facts() const { return facts_; }
  /// The info of the finished first code; makes the code if need be. If that fails, the same as `facts`.
  const KernelCodeInfo &info() const;
  /// Whether the facts came out of the cache, or from another pipeline that has the same code.
  bool fromCache() const { return fromCache_; }
  /// Whether a code that was needed until now had to be made, because no cache had it.
  bool madeCode() const;
  /// Whether simdgroups run as one program. Like `onFibers`, it begins the code for them if need be.
  bool vectorises() const;
  /// If vectors were asked for in vain, why.
  const std::string &onFibers() const;
  /// Engine::Reference: what runs its dispatches; else null. Then there is no code to choose.
  const ReferenceRun *reference() const { return reference_.get(); }
  /// Engine::Both, and there is something to compare.
  bool comparesEngines() const { return options_.engine == Engine::Both && onFibers_.empty(); }

  /// Has workers make what `choose` will need, if that is known.
  void prepare(const runtime::DispatchRequest &request) const;
  /// Makes the code for which `prepare` has asked. Errors are left for `choose`.
  void finishPrepared(const runtime::DispatchRequest &request) const;
  /// Sets the codes of a dispatch whose sizes are known. errors: those of lowering
  Result<void> choose(runtime::DispatchRequest &request) const;
  /// The same for codes of simdgroups that report accesses to an observer. False if there are none.
  Result<bool> chooseWatchedSimdgroups(runtime::DispatchRequest &request, TrackUndefined track) const;
  /// To be called after a dispatch of what `choose` has set.
  ///   time   how long it ran
  void ran(const runtime::DispatchRequest &request, std::chrono::nanoseconds time) const;
  /// The code for fibers. errors: those of lowering
  Result<const KernelCode *> fibers() const;
  /// The code for fibers that does what an observer asks for: it reports memory accesses or undefined values.
  /// Or the one that counts its work. errors: those of lowering
  struct Watch {
    bool observeMemory = false;
    TrackUndefined track = TrackUndefined::No;
    bool countWork = false;
    auto operator<=>(const Watch &) const = default;
  };
  Result<const KernelCode *> watched(Watch watch) const;

private:
  using Task = std::shared_ptr<KernelTask>;
  struct OfShape {
    GroupShape shape;
    Task task; ///< if its facts say so, such threadgroups run on fibers
  };
  using CodesOfDispatch = std::array<Task, 8>; ///< by DispatchRequest::edgeCodes

  bool usesVectors() const { return options_.engine == Engine::Vector || options_.engine == Engine::Both; }
  Watch watchOfOptions() const {
    return {options_.observeMemory, options_.trackUndefined, options_.countWork};
  }
  KernelRecipe recipe(Engine engine, GroupShape shape, Watch watch) const;
  Result<void> beginReference();
  Task fibersTask(Watch watch) const;
  lowering::CodeEffort effortOf(const runtime::DispatchRequest &request) const;
  /// Whether dispatches of few threads have quick code.
  bool mayBeQuick() const;
  /// Whether that may be one for fibers.
  bool mayBeginOnFibers() const;
  /// Whether the dispatch runs on quick code for fibers, until there are codes for vectors.
  bool beginsOnFibers(const runtime::DispatchRequest &request) const;
  /// False once quick codes have run for so long that others are made.
  bool hasPatience() const { return quickTime_ < std::chrono::nanoseconds(kQuickPatience).count(); }
  bool runsOnFibers(const runtime::DispatchRequest &request) const;
  Watch watchOf(const runtime::DispatchRequest &request) const;
  /// Waits for the facts of earlier codes if need be, unless it is only to prepare.
  ///   isSmall   the dispatch takes so little time that only the time of making code matters
  Task simdgroups(GroupShape shape, Watch watch, bool isSmall, bool toPrepare) const;
  /// For every shape of threadgroups that the dispatch has.
  CodesOfDispatch simdgroups(const runtime::DispatchRequest &request, Watch watch, bool toPrepare) const;
  /// False if the other codes are there, which it starts to make when patience has ended.
  Result<bool> chooseIndependent(runtime::DispatchRequest &request) const;
  /// False if some run on fibers.
  Result<bool> chooseSimdgroups(runtime::DispatchRequest &request, Watch watch) const;

  const std::shared_ptr<const LibraryState> library_;
  const KernelInfo &kernel_;
  const Constants constants_;
  const lowering::LoweringOptions options_;
  const CompileCache cache_;
  const bool watchesSimdgroups_;
  const uint64_t quickThreads_;
  std::vector<uint8_t> active_;
  KernelCodeInfo facts_;
  Task first_;
  Task independent_; ///< of a kernel with independent threads that begins on fibers: the code for that
  bool fromCache_ = false;
  std::string onFibers_;
  std::unique_ptr<ReferenceRun> reference_;
  mutable std::atomic<int64_t> quickTime_ = 0; ///< nanoseconds that quick codes have run

  // What follows needs the lock of compile_workers.h.
  mutable std::map<Watch, Task> fibers_;
  mutable std::map<Watch, std::vector<OfShape>> simdgroups_;
};

} // namespace assay::detail
