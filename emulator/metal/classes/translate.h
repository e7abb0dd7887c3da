// Translates between Foundation's and Metal's types and those of the C++ host API.
#pragma once

#import <Metal/Metal.h>

#include "host/assay.h"

#include <optional>
#include <string>

namespace assay::metal {

std::string toText(NSString *text);
NSString *fromText(const std::string &text);

/// The localized description is what `assay run` would print.
NSError *errorOf(const Error &error, NSErrorDomain domain, NSInteger code);
NSError *unsupported(NSString *what, NSErrorDomain domain, NSInteger code);
/// Stores into a caller's error, nil included: hosts look at it even after a call that did not fail, and do
/// not always initialise it.
inline void give(NSError *__autoreleasing *where, NSError *error) {
  if (where)
    *where = error;
}

std::optional<DataType> dataTypeOf(MTLDataType type); ///< none: not the type of a function constant
MTLDataType dataTypeOf(DataType type);
CompileOptions compileOptionsOf(MTLCompileOptions *options);
TextureSwizzleChannels swizzleOf(MTLTextureSwizzleChannels channels);
TextureDescriptor textureDescriptorOf(MTLTextureDescriptor *descriptor);
SamplerDescriptor samplerDescriptorOf(MTLSamplerDescriptor *descriptor);

inline Size sizeOf(MTLSize size) {
  return {size.width, size.height, size.depth};
}
inline Origin originOf(MTLOrigin origin) {
  return {origin.x, origin.y, origin.z};
}
inline Region regionOf(MTLRegion region) {
  return {originOf(region.origin), sizeOf(region.size)};
}

} // namespace assay::metal
