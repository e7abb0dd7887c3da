// The name of a class of CoreGraphics, which Metal's headers for the screen mention.
#pragma once

typedef struct CGColorSpace *CGColorSpaceRef;
