// What a kernel writes for the tessellator: the factors of one patch.
// source: MSL specification, section 2.16.
#pragma once
#pragma clang system_header
#if __ASSAY_LIBRARY_HAS(TESSELLATION)

namespace metal {

struct MTLQuadTessellationFactorsHalf {
  half edgeTessellationFactor[4];
  half insideTessellationFactor[2];
};

struct MTLTriangleTessellationFactorsHalf {
  half edgeTessellationFactor[3];
  half insideTessellationFactor;
};

// What a kernel writes for a draw of patches that takes its numbers from a buffer.
struct MTLDrawPatchIndirectArguments {
  uint patchCount;
  uint instanceCount;
  uint patchStart;
  uint baseInstance;
};

} // namespace metal

#endif
