// The classes by which Metal describes the types of arguments, made of what reflection knows.
#pragma once

#import <Metal/Metal.h>

#include "host/assay.h"

#include <memory>
#include <vector>

namespace assay::metal {

/// Those of a module: types refer to one another.
using Structs = std::shared_ptr<const std::vector<StructInfo>>;

/// The struct that a buffer argument points to; nil if it is none, or one that fields cannot express.
MTLStructType *structTypeOf(const ArgumentInfo &argument, const Structs &structs);
/// What a buffer argument is.
MTLPointerType *pointerTypeOf(const ArgumentInfo &argument, const Structs &structs);

/// The type of what an argument points to.
MTLDataType pointeeDataType(const ArgumentInfo &argument);

MTLBindingAccess bindingAccess(Access access);

} // namespace assay::metal
