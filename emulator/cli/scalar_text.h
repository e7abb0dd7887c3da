// Scalars as text: what a user types into --buffer and --constant, and what is printed of a result.
#pragma once

#include "../support/result.h"
#include "../support/scalar_type.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::cli {

/// The bits of one value, zero-extended. Integers in decimal or 0x hex, bool also as true and false; floats
/// in decimal or hex ("0x1.8p-3"), inf, -inf, nan; rounded once, to nearest even. errors   Usage "bad-value":
/// no number, or an integer that the type cannot hold (both ends are named)
Result<uint64_t> parseScalar(std::string_view text, ScalarType type);

/// Text that reads back as the same value (NaNs lose their payload).
std::string formatScalar(const void *value, ScalarType type);

/// The value as a double, exactly. Floats only.
double floatValue(const void *value, ScalarType type);

} // namespace assay::cli
