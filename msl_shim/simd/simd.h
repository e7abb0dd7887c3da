// The type names of Apple's <simd/simd.h> that mean the same in kernels and on the host: those of matrices
// and packed vectors. metal_types has those of vectors, and the namespace simd, which is metal. The host's
// side is emulator/sdk/include/simd; tests/sdk/simd_shared_test.mm compares the layouts.
#pragma once
#pragma clang system_header

#include "matrix_types.h"
#include "packed.h"
