// Fetches the attributes of a kernel's [[stage_in]] when a dispatch runs, and checks what it needs before.
// support/abi/stage_input_abi.h has the table and the reasons for it.
//
// Limit. The table is made from buffers as they are when the dispatch begins, and counts as written memory:
//        checkers do not see that a kernel gets an attribute from memory that nobody has written.
#pragma once

#include "stage_input.h"
#include "validate.h"

#include "../support/abi/lane_abi.h"
#include "../support/abi/module_info.h"
#include "../support/text/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace assay::detail {

/// When a pipeline is made.
///   active   the arguments that exist
///   errors   Usage "stage-input": an attribute is not in the descriptor, its format cannot become the
///            kernel's type, or its layout is not one of kernels; Usage "unsupported": no slot is left
Result<void> checkStageInput(const KernelInfo &kernel, const std::vector<ArgumentInfo> &active,
                             const std::optional<StageInputDescriptor> &descriptor);

/// The buffers that attributes and indices of elements are fetched from, each once.
///   descriptor   passed checkStageInput
std::vector<StageBuffer> stageBuffers(const std::vector<ArgumentInfo> &active,
                                      const StageInputDescriptor &descriptor);

/// Those of stageBuffers, from their offsets on.
using FetchedBuffers = std::array<BufferAbi, kBufferSlots>;

/// What a dispatch fetches from.
struct StageInput {
  const StageInputDescriptor &descriptor;
  const FetchedBuffers &buffers;
  const std::optional<StageInRegion> &region; ///< without one: the whole grid
};

struct StageTable {
  std::shared_ptr<uint8_t> memory; ///< as aligned as buffers are
  uint64_t bytes = 0;
};
/// active   as above; `kernel` has the others, too
/// errors   Kernel "out-of-bounds"; Usage "out-of-memory"
Result<StageTable> fetchStageInput(const KernelInfo &kernel, const std::vector<ArgumentInfo> &active,
                                   const StageInput &input, uint32_t columns, uint32_t rows);

} // namespace assay::detail
