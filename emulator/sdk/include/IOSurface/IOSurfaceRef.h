// Surfaces are named by Metal's headers; there are none here.
#pragma once

typedef struct __IOSurface *IOSurfaceRef;
