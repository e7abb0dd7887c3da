// Parses and prints a numerics profile: "apple", "ieee", "apple,simd_sum=pairwise,flush_f16=on".
#pragma once

#include "../support/abi/numerics.h"
#include "../support/text/result.h"

#include <string_view>

namespace assay {

/// The inverse of numericsText.
///   errors  Usage "bad-numerics": no such profile, field or value (names the nearest, or lists all), or a
///           field that is given twice
Result<NumericsProfile> parseNumerics(std::string_view text);

} // namespace assay
