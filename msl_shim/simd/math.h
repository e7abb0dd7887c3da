// A part of Apple's <simd/simd.h>. Kernels have its functions from <metal_math>.
#pragma once
#pragma clang system_header

#include "simd.h"
