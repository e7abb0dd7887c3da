// The little of CoreGraphics that there is: what Metal's headers mention. Nothing draws.
#pragma once

#include <CoreGraphics/CGColorSpace.h>
#include <CoreGraphics/CGGeometry.h>
