// A part of Apple's <simd/simd.h>, which has the types of vectors, and not those of matrices. source:
// "unknown type name 'matrix_float2x2'", as cristim/mslc quotes Apple's compiler.
#pragma once
#pragma clang system_header

#include "packed.h"
