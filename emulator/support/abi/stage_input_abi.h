// The table of attributes that a kernel with [[stage_in]] reads, and how its entry finds a thread's values.
//
// Problem.  struct In { float4 p [[attribute(0)]]; }; kernel void k(In in [[stage_in]], ..). Metal fetches
//           the attributes of a thread from buffers before the kernel begins, and converts them from the
//           format in memory to the kernel's type. Formats, offsets and steps are the pipeline's
//           (MTLStageInputOutputDescriptor), and the buffers are those of the encoder, which the kernel has
//           no arguments for.
// Choice.   When a dispatch runs, the host fetches each attribute for all the threads that differ in it, in
//           the kernel's type, into a table (host/stage_fetch.h). A layout steps along x or along y, so an
//           attribute has as many values as the grid has columns or rows. The table takes the slot of a
//           buffer that no argument has (KernelInfo::stageInputSlot). The entry loads a thread's values by
//           its position in the grid. For lowering and all engines these are loads from a buffer.
// Rejected. Code for each descriptor, as GPUs have it: each new descriptor would be compiled. A call into the
//           runtime for each thread: each engine would need it, for what is no part of the kernel's work. One
//           value for each thread of the grid: the table of a large grid would not fit into memory.
//
// The table begins with a StageAttributeAbi for each attribute argument, in the order of the kernel's
// arguments. Compiled objects are cached, so a change here must change kLaneAbiVersion.
#pragma once

#include <cstdint>

namespace assay {

/// A value is at `first + x * columnStride + y * rowStride` bytes from the beginning of the table, for the
/// thread at (x, y, z) of the grid.
struct StageAttributeAbi {
  uint64_t first = 0;
  uint64_t columnStride = 0;
  uint64_t rowStride = 0;
};

} // namespace assay
