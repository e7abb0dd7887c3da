// Macros of Metal's headers.
#pragma once

#include <CoreFoundation/CoreFoundation.h>
#include <Foundation/Foundation.h>

#define MTL_EXPORT
#define MTL_EXTERN FOUNDATION_EXPORT
#define MTL_INLINE NS_INLINE
