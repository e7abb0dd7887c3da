// Who hears what the steps log, beside the lines that each step keeps.
#pragma once

#include <functional>
#include <string_view>

namespace assay::kernels::foundry {

/// Hears each line of a step's log as it is written.
using StepLog = std::function<void(std::string_view line)>;

} // namespace assay::kernels::foundry
