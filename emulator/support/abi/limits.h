// Metal's limits for compute on the Apple GPUs that are modelled.
// source: Metal Feature Set Tables (2025-10-20). MSL leaves the width of a simdgroup open; every Apple GPU
// that was probed has 32.
#pragma once

#include <cstdint>

namespace assay {

inline constexpr uint32_t kSimdWidth = 32;
inline constexpr uint32_t kQuadWidth = 4;
inline constexpr uint32_t kMaxThreadsPerThreadgroup = 1024;
inline constexpr uint32_t kMaxSimdgroupsPerThreadgroup = kMaxThreadsPerThreadgroup / kSimdWidth;
inline constexpr uint32_t kMaxThreadgroupMemory = 32768; ///< bytes, static and dynamic together
inline constexpr uint32_t kThreadgroupMemoryAlignment =
    16; ///< bytes; each dynamic length is a multiple of it
inline constexpr uint32_t kBufferSlots = 31;
inline constexpr uint32_t kThreadgroupSlots = 31;
inline constexpr uint32_t kAttributeSlots = 31; ///< of [[stage_in]]
inline constexpr uint32_t kMaxThreadMemory =
    4 << 20; ///< bytes of a thread's own; choice of ours, Apple publishes none
inline constexpr uint32_t kMaxInlineBytes = 4096;       ///< setBytes
inline constexpr uint32_t kMaxFunctionConstant = 65535; ///< the greatest index; MSL section 5.8.1
inline constexpr uint32_t kTextureSlots = 128;
inline constexpr uint32_t kSamplerSlots = 16;
inline constexpr uint32_t kMaxTextureExtent1D = 16384;
inline constexpr uint32_t kMaxTextureExtent2D = 16384; ///< of cubes, too
inline constexpr uint32_t kMaxTextureExtent3D = 2048;
inline constexpr uint32_t kMaxTextureLayers = 2048;
inline constexpr uint32_t kMaxTextureBufferTexels = 1u << 28;

} // namespace assay
