// Finds the texture or sampler of a handle (msl_shim/detail/texture_request.h) among those that the dispatch
// bound or made resident.
#pragma once

#include "runtime/dispatch.h"
#include "support/abi/module_info.h"

namespace assay::runtime {

/// Null if the handle is null or invented, or is of an empty slot or of a texture that is not resident.
const TextureView *textureOf(const DispatchRequest &request, uint64_t handle);

/// The options, with kInlineBit set; 0 if there is no such sampler.
uint64_t samplerOf(const DispatchRequest &request, uint64_t handle);

/// How an access was compiled to use its texture, from the word kDeclared. The word may hold anything.
TextureUse textureUseOf(uint32_t declared);

} // namespace assay::runtime
