// A part of Apple's <simd/simd.h>. Kernels have its functions, any and all, from <metal_relational>.
#pragma once
#pragma clang system_header

#include "simd.h"
