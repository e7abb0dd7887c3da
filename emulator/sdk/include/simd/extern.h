// Apple's header of the functions that its library has and its other headers call. Here all are inline.
#pragma once

#include <simd/base.h>
#include <simd/types.h>
