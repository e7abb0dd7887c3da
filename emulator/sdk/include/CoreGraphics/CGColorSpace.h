// A class of CoreGraphics that Metal's headers for the screen mention: only its name.
#pragma once

typedef struct CGColorSpace *CGColorSpaceRef;
