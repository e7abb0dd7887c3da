// A part of Apple's <simd/simd.h>. Kernels have its functions, such as clamp and mix, from <metal_common>.
#pragma once
#pragma clang system_header

#include "simd.h"
