// A header as hosts share it with their kernels: the same types, by the same names, on both sides.
#pragma once

#include <simd/simd.h>

// The types that kernels have, too. Those of 64-bit integers with 3 and 4 elements come apart: kernels align
// them to 32 bytes, and hosts to 16.
#define SHARED_VECTORS(M, name)                                                                              \
  M(simd_##name##2)                                                                                          \
  M(simd_##name##3) M(simd_##name##4) M(vector_##name##3) M(simd_packed_##name##2) M(simd_packed_##name##4)
#define SHARED_MATRICES(M, name)                                                                             \
  M(name##2x2)                                                                                               \
  M(name##2x3) M(name##2x4) M(name##3x2) M(name##3x3) M(name##3x4) M(name##4x2) M(name##4x3) M(name##4x4)
#define SHARED_TYPES(M)                                                                                      \
  SHARED_VECTORS(M, char)                                                                                    \
  SHARED_VECTORS(M, uchar)                                                                                   \
  SHARED_VECTORS(M, short)                                                                                   \
  SHARED_VECTORS(M, ushort)                                                                                  \
  SHARED_VECTORS(M, int)                                                                                     \
  SHARED_VECTORS(M, uint)                                                                                    \
  SHARED_VECTORS(M, half)                                                                                    \
  SHARED_VECTORS(M, float)                                                                                   \
  M(simd_long2)                                                                                              \
  M(simd_ulong2) SHARED_MATRICES(M, simd_float) SHARED_MATRICES(M, simd_half) SHARED_MATRICES(M, matrix_float)

#define SHARED_OFFSET(type)                                                                                  \
  struct shared_##type {                                                                                     \
    char before;                                                                                             \
    type value;                                                                                              \
    char after;                                                                                              \
  };
SHARED_TYPES(SHARED_OFFSET)

/// What a host sets and a kernel reads, with members that begin where the others leave off.
struct Uniforms {
  simd::float4x4 transform;
  simd::float3 point;
  float scale;
  simd_float3x3 normal;
  simd_packed_float4 color;
  simd_half4 halves;
  simd::char3 bytes;
  simd::ushort2 pair;
  simd_long2 wide;
};

/// What the kernel computes of them.
struct Computed {
  simd::float4 transformed;
  simd::float3 turned;
  float scale;
  simd_packed_float4 color;
  simd::half4 halves;
  simd::int4 integers;
  simd_float2x3 columns;
};
