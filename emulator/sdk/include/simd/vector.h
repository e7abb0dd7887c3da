// The part of <simd/simd.h> for vectors.
#pragma once

#include <simd/common.h>
#include <simd/conversion.h>
#include <simd/extern.h>
#include <simd/geometry.h>
#include <simd/logic.h>
#include <simd/math.h>
#include <simd/packed.h>
#include <simd/types.h>
#include <simd/vector_make.h>
#include <simd/vector_types.h>
