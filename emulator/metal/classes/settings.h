// Environment variables by which users tell Assay how to run the kernels of a host program that does not know
// Assay.
//
//   ASSAY_NUMERICS   as `assay run --numerics`                     pipelines
//   ASSAY_SCHEDULE   as `assay run --schedule`                     dispatches
//   ASSAY_LOCKSTEP   1: as `assay run --lockstep`                  pipelines
//   ASSAY_WORKERS    as `assay run --workers`
//   ASSAY_TIMEOUT    seconds for one threadgroup, 0: never
//   ASSAY_THREADGROUP_SLACK   extra bytes after each threadgroup argument, which kernels may touch: shows
//                             what a kernel computes that runs past the end, although a GPU need not have
//                             memory there either
//   ASSAY_THREAD_SLACK   extra bytes before and after each array of a thread, likewise
//   ASSAY_BUFFER_SLACK   extra bytes before and after each buffer, which kernels may touch: shows what a
//                        kernel computes that leaves its buffers, as on a GPU, which has memory there
//   ASSAY_CHECK      as `assay run --check`; ASSAY_SUPPRESS as --suppress
//   ASSAY_CHECK_FAILS   1: a command buffer with findings fails
//   ASSAY_TRACE      a file, or - for stderr: a line of JSON for each dispatch
//   ASSAY_DEVICE     identity.h
#pragma once

#include "host/assay.h"

namespace assay::metal {

struct Settings {
  PipelineOptions pipeline;
  DispatchOptions dispatch;
  size_t threadgroupSlack = 0;
  size_t bufferSlack = 0; ///< a multiple of 256
};

/// The variables are read once. A mistake in one ends the process with a message, because it would otherwise
/// go unnoticed.
const Settings &settings();

} // namespace assay::metal
