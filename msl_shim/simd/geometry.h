// A part of Apple's <simd/simd.h>. Kernels have its functions, such as dot, from <metal_geometric>.
#pragma once
#pragma clang system_header

#include "simd.h"
