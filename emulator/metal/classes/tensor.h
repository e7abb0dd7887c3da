// Translates between the extents of Metal's tensors and those of the C++ host API.
#pragma once

#import <Metal/Metal.h>

#include "host/assay.h"

#include <cstdint>
#include <span>
#include <vector>

namespace assay::metal {

MTLTensorExtents *extentsOf(std::span<const int64_t> values);
std::vector<int64_t> valuesOf(MTLTensorExtents *extents); ///< empty for nil

/// None for packed formats that this API has no number for.
MTLTensorDataType tensorDataTypeOf(const TensorElement &element);
std::optional<TensorElement> tensorElementOf(MTLTensorDataType type);

} // namespace assay::metal
