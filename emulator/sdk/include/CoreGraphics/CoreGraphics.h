// The part of CoreGraphics that Metal's headers mention. Nothing draws.
#pragma once

#include <CoreGraphics/CGColorSpace.h>
#include <CoreGraphics/CGGeometry.h>
