// The name of surfaces, which Metal's headers mention. There are no surfaces here.
#pragma once

typedef struct __IOSurface *IOSurfaceRef;
