// What the steps log of online against materialised attention.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace assay::kernels::foundry {

/// "equal" where no value differs (NaN is as NaN, and -0 as 0); else how far, where, and both values.
inline std::string comparisonText(double maxAbsDiff, std::string_view where, float online,
                                  float materialized) {
  if (maxAbsDiff == 0)
    return "online against materialised: equal";
  return fmt::format("online against materialised: max abs diff {} at {}: {} and {}", maxAbsDiff, where,
                     online, materialized);
}

} // namespace assay::kernels::foundry
