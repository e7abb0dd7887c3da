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

MTLTensorDataType tensorDataTypeOf(ScalarType type);

} // namespace assay::metal
