// How two depths compare; samplers use it.
#pragma once

#include <Metal/MTLDefines.h>

typedef NS_ENUM(NSUInteger, MTLCompareFunction) {
  MTLCompareFunctionNever = 0,
  MTLCompareFunctionLess = 1,
  MTLCompareFunctionEqual = 2,
  MTLCompareFunctionLessEqual = 3,
  MTLCompareFunctionGreater = 4,
  MTLCompareFunctionNotEqual = 5,
  MTLCompareFunctionGreaterEqual = 6,
  MTLCompareFunctionAlways = 7
};
