// A part of Apple's <simd/simd.h>. Kernels make vectors by their constructors.
#pragma once
#pragma clang system_header

#include "simd.h"
