// MTLStageInputOutputDescriptor: how buffers hold the attributes of a kernel's [[stage_in]].
//
//   assay::StageInputDescriptor input;
//   input.attributes[0] = {assay::AttributeFormat::Float3, /*offset*/ 0, /*bufferIndex*/ 1};
//   input.layouts[1] = {/*stride*/ 12, assay::StepFunction::ThreadPositionInGridX};
//   assay::PipelineOptions options;
//   options.stageInput = input;
//
// Value  A thread at x, y of the grid gets the element of the buffer with the number
//          ThreadPositionInGridX           origin.x + x / stepRate
//          ThreadPositionInGridY           origin.y + y / stepRate
//          ThreadPositionInGridXIndexed    origin.x + index[x / stepRate]
//          ThreadPositionInGridYIndexed    origin.y + index[y / stepRate]
//          Constant                        0
//        where origin is that of the region (setStageInRegion). Numbers have 32 bits and wrap, so that a host
//        can give a negative base vertex. A component that the format does not have is 0, the fourth is 1.
// Assumed. That an index is added to the origin, as a base vertex is, follows from what Qt's back-end for
//        Metal and MoltenVK bind for indexed draws. That the step rate divides the place before the origin is
//        added is Vulkan's rule for instances; Apple publishes none.
//   source  Apple's documentation of MTLStageInputOutputDescriptor, of MTLStepFunction, of
//           MTLVertexAttributeDescriptor.format (which formats become which types), and of
//           setStageInRegionWithIndirectBuffer (the origin)
#pragma once

#include "../support/abi/attribute_format.h"

#include <cstdint>
#include <map>

namespace assay {

/// MTLStepFunction; the numbers are Metal's. The other ones are of vertex functions.
enum class StepFunction : uint8_t {
  Constant = 0,
  PerVertex = 1, ///< also of vertex functions: the value of a layout that was not set
  ThreadPositionInGridX = 5,
  ThreadPositionInGridY = 6,
  ThreadPositionInGridXIndexed = 7,
  ThreadPositionInGridYIndexed = 8,
};

enum class IndexType : uint8_t { UInt16, UInt32 };

struct AttributeDescriptor {
  AttributeFormat format = AttributeFormat::Invalid;
  uint64_t offset = 0; ///< bytes, in an element of the buffer
  uint32_t bufferIndex = 0;
};

struct BufferLayoutDescriptor {
  uint64_t stride = 0; ///< bytes from one element to the next
  StepFunction stepFunction = StepFunction::PerVertex;
  uint64_t stepRate = 1; ///< threads for which an element stays the same
};

struct StageInputDescriptor {
  std::map<uint32_t, AttributeDescriptor> attributes; ///< by the number of [[attribute(n)]]
  std::map<uint32_t, BufferLayoutDescriptor> layouts; ///< by the index of the buffer
  IndexType indexType = IndexType::UInt16;
  uint32_t indexBufferIndex = 0;
};

/// The threads that have [[stage_in]] data. For others, Metal leaves the values open; here they are zeros.
/// A kernel reads it as grid_origin and grid_size.
struct StageInRegion {
  uint32_t origin[3] = {0, 0, 0};
  uint32_t size[3] = {0, 0, 0};
};

} // namespace assay
