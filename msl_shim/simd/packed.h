// A part of Apple's <simd/simd.h>, which has the types of packed vectors; here all are in one header.
#pragma once
#pragma clang system_header

#include "simd.h"
