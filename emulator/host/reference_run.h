// Engine::Reference: prepares a kernel for the interpreter, and runs its dispatches. It does what the runtime
// does for the other engines, but without scheduling.
//
// Threadgroups run one after the other, in grid order, on the calling thread. No code for another engine is
// made.
#pragma once

#include "../lowering/reference/reference_kernel.h"
#include "../runtime/dispatch.h"
#include "../support/text/result.h"

#include <memory>
#include <mutex>

namespace assay::detail {

class ReferenceRun {
public:
  explicit ReferenceRun(std::unique_ptr<lowering::ReferenceKernel> kernel);

  /// Its sites, buffers and threadgroup memory are those of every code of the kernel.
  const KernelCode &code() const { return code_; }

  /// Dispatches of one kernel wait for each other.
  ///   request   as for runtime::run; its code is not looked at
  ///   errors    those of ReferenceKernel::run; Usage "unsupported" if an observer or a schedule other than
  ///             the canonical one is asked for. Buffers keep what was written.
  Result<runtime::DispatchReport> run(runtime::DispatchRequest request) const;

private:
  const std::unique_ptr<lowering::ReferenceKernel> kernel_;
  const KernelCode code_;
  mutable std::mutex mutex_;
};

} // namespace assay::detail
