// A part of Apple's <simd/simd.h>, which the other parts include; here all are in one header.
#pragma once
#pragma clang system_header

#include "simd.h"
