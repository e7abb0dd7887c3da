// The native codes of one pipeline: for fibers, and for simdgroups of each shape of threadgroup.
//
// Problem.  Which code a dispatch needs is known when it runs: its threadgroups have a shape, those at the
//           far edges of the grid have others, and most observers watch lanes one by one, which only
//           fibers do. To make every code beforehand would multiply the time to be ready.
// Choice.   The pipeline begins with one code, for threadgroups whose rows fill simdgroups. A dispatch that
//           needs another one (its shape, reports of accesses to an observer) waits until it is made. Each is
//           cached like the first. The choice depends on the dispatch alone and never on time, so that a
//           kernel whose lanes race gives the same bits in each run.
// Rejected. Fibers first and vectors later, once a background thread has made them: bits of racing kernels
//           would depend on the moment.
#pragma once

#include "compile_cache.h"
#include "reference_run.h"

#include "../lowering/lower.h"
#include "../runtime/dispatch.h"
#include "../support/text/result.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace assay::detail {

struct LibraryState;

class KernelCodes {
public:
  using Constants = std::map<uint32_t, ConstantValue>;

  /// What all codes are made of.
  ///   options   with an engine that is not Engine::Auto
  ///   cache     off if the pipeline is not to be cached
  ///   watchesSimdgroups   a dispatch may run on vectors under checkers, whatever the engine
  KernelCodes(std::shared_ptr<const LibraryState> library, const KernelInfo &kernel, Constants constants,
              lowering::LoweringOptions options, CompileCache cache, bool watchesSimdgroups = false);

  /// Makes the first code; comes before everything below. errors: those of lowering
  Result<void> begin();

  /// For each argument of the kernel, whether it exists.
  const std::vector<uint8_t> &active() const { return active_; }
  /// Of the first code. Sites, buffers and threadgroup memory are those of every code.
  const KernelCodeInfo &info() const { return *first_->info; }
  /// Whether the first code came out of the cache.
  bool fromCache() const { return fromCache_; }
  /// Whether simdgroups run as one program.
  bool vectorises() const { return info().threadsPerCall > 1 || comparesEngines(); }
  /// If that was asked for in vain, why.
  const std::string &onFibers() const { return onFibers_; }
  /// Engine::Reference: what runs its dispatches; else null. Then there is no code to choose.
  const ReferenceRun *reference() const { return reference_.get(); }
  /// Engine::Both, and there is something to compare.
  bool comparesEngines() const { return options_.engine == Engine::Both && onFibers_.empty(); }

  /// Sets the codes of a dispatch whose sizes are known. errors: those of lowering
  Result<void> choose(runtime::DispatchRequest &request) const;
  /// The same of codes for simdgroups that report accesses to an observer. False if there are none.
  Result<bool> chooseWatchedSimdgroups(runtime::DispatchRequest &request, TrackUndefined track) const;
  /// The code for fibers. errors: those of lowering
  Result<const KernelCode *> fibers() const;
  /// The same with what an observer asks for: reports of memory accesses, undefined values; or one that
  /// counts its work. errors: those of lowering
  struct Watch {
    bool observeMemory = false;
    TrackUndefined track = TrackUndefined::No;
    bool countWork = false;
    auto operator<=>(const Watch &) const = default;
  };
  Result<const KernelCode *> watched(Watch watch) const;

private:
  struct Made {
    std::unique_ptr<lowering::NativeKernel> native;
    std::vector<uint8_t> active;
    bool fromCache = false;
  };
  struct OfShape {
    GroupShape shape;
    std::unique_ptr<lowering::NativeKernel> native; ///< null: such threadgroups run on fibers
  };
  bool usesVectors() const { return options_.engine == Engine::Vector || options_.engine == Engine::Both; }
  Watch watchOfOptions() const {
    return {options_.observeMemory, options_.trackUndefined, options_.countWork};
  }
  Result<Made> make(Engine engine, GroupShape shape, Watch watch) const;
  /// Makes it if there is none. Holds the mutex.
  Result<const KernelCode *> keptIn(std::unique_ptr<lowering::NativeKernel> &kept, Watch watch) const;
  Result<std::vector<uint8_t>> activeArguments(std::string_view bitcode) const;
  Result<void> beginReference();
  /// Keeps what Engine::Vector has made. What it refused has been made for fibers, but not in lockstep.
  void keep(GroupShape shape, std::unique_ptr<lowering::NativeKernel> native, Watch watch) const;
  /// Null if such threadgroups run on fibers.
  Result<const KernelCode *> simdgroups(GroupShape shape, Watch watch) const;
  /// For every shape of threadgroups that the dispatch has. False if some run on fibers.
  Result<bool> chooseSimdgroups(runtime::DispatchRequest &request, Watch watch) const;

  const std::shared_ptr<const LibraryState> library_;
  const KernelInfo &kernel_;
  const Constants constants_;
  const lowering::LoweringOptions options_;
  const CompileCache cache_;
  const bool watchesSimdgroups_;
  std::vector<uint8_t> active_;
  const KernelCode *first_ = nullptr;
  bool fromCache_ = false;
  std::string onFibers_;
  std::unique_ptr<ReferenceRun> reference_;

  mutable std::mutex mutex_; ///< of what follows
  mutable std::unique_ptr<lowering::NativeKernel> fibers_;
  /// By what is asked for: null also for what fibers_ does.
  mutable std::map<Watch, std::unique_ptr<lowering::NativeKernel>> watched_;
  mutable std::map<Watch, std::vector<OfShape>> simdgroups_;
};

} // namespace assay::detail
