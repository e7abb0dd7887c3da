// Kernels with arguments whose index is a function constant, after the constants are known.
#pragma once

#include "../lowering/lower.h"
#include "../support/abi/module_info.h"
#include "../support/text/result.h"

#include <cstdint>
#include <map>

namespace assay::detail {

struct LibraryState;

/// The kernel with the indices that the constants give its arguments: itself if the source gives all of them.
/// It lives as long as the library, since codes that pipelines share refer to it.
///   kernel   of the library
///   errors   Usage "missing-function-constant"; Kernel "argument-index"
Result<const KernelInfo *> placedKernel(const LibraryState &library, const KernelInfo &kernel,
                                        const std::map<uint32_t, ConstantValue> &constants,
                                        const lowering::LoweringOptions &options = {});

} // namespace assay::detail
