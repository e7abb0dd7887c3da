// Makes the objects by which Metal describes the types of arguments, from Assay's reflection.
#pragma once

#import <Metal/Metal.h>

#include "host/assay.h"

#include <memory>
#include <vector>

namespace assay::metal {

/// All structs of a module, because types refer to one another.
using Structs = std::shared_ptr<const std::vector<StructInfo>>;

/// The struct that a buffer argument points to; nil if it points to no struct, or to one that fields cannot
/// express.
MTLStructType *structTypeOf(const ArgumentInfo &argument, const Structs &structs);
/// The pointer type of a buffer argument.
MTLPointerType *pointerTypeOf(const ArgumentInfo &argument, const Structs &structs);

/// The type of what an argument points to.
MTLDataType pointeeDataType(const ArgumentInfo &argument);

MTLBindingAccess bindingAccess(Access access);

} // namespace assay::metal
