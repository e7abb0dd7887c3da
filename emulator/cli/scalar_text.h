// Scalars as text: in --buffer and --constant, and in printed results.
#pragma once

#include "../support/abi/scalar_type.h"
#include "../support/text/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::cli {

/// The bits of one value, zero-extended. Integers are decimal or 0x hex, bools also true and false. Floats
/// are decimal or hex ("0x1.8p-3"), inf, -inf or nan, rounded once to nearest even.
///   errors   Usage "bad-value": no number, or an integer that the type cannot hold (names its limits)
Result<uint64_t> parseScalar(std::string_view text, ScalarType type);

/// A whole number of 64 bits in decimal, and nothing else.
std::optional<uint64_t> parseCount(std::string_view text);

std::string lowerCase(std::string_view text);

/// Text that reads back as the same value (NaNs lose their payload).
std::string formatScalar(const void *value, ScalarType type);

/// The value as a double, exactly. Floats only.
double floatValue(const void *value, ScalarType type);

} // namespace assay::cli
