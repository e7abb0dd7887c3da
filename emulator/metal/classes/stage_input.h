// Translates the descriptors of [[stage_in]] into those of the C++ host API.
#pragma once

#import <Metal/Metal.h>

#include "host/assay.h"

#include <optional>

namespace assay::metal {

/// None for nil.
std::optional<StageInputDescriptor> stageInputOf(MTLStageInputOutputDescriptor *descriptor);
StageInRegion stageInRegionOf(MTLRegion region);
/// The attributes that a kernel takes.
NSArray<MTLAttribute *> *attributesOf(const KernelInfo &kernel);

} // namespace assay::metal
