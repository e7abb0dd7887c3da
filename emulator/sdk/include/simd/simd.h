// Apple's vector and matrix types for hosts in C, C++ and Objective-C, which kernels share through a header.
//
// Problem. Programs for Macs compute with simd_float3 and simd::float4x4 on the host, and pass structures of
// them to kernels. Neither the types nor some two hundred functions, each for many types, exist on Linux.
//
// Choice. The types are Clang's ext_vector_type, as on a Mac, so that the operators, `.xyz`, casts and the
// rules of overloading are the compiler's own. Every function is written once, as a macro over the lists of
// detail/lists.h, and exists for C and C++ alike by Clang's `overloadable`; the namespace `simd` forwards to
// it. A function that works element by element is written for one element; for vectors, a loop calls it.
//
// Rejected. C++ templates alone, because C and Objective-C need the same overloads. Intrinsics, because the
// compiler vectorises the loops, and because a host may be compiled for any CPU.
//
// Limit. simd_orient, simd_incircle and simd_insphere, whose signs must be exact, do not exist here. The fast
// variants are as exact as the precise ones. Kernels read msl_shim/simd instead of these files.
// source: developer.apple.com/documentation/accelerate/simd, and the descriptions that Apple's headers give.
#pragma once

#include <simd/base.h>
#include <simd/matrix.h>
#include <simd/quaternion.h>
#include <simd/vector.h>
