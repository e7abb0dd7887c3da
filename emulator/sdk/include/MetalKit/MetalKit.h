// MetalKit has views and loaders, none of which are here: including it gives Metal.
#pragma once

#include <Metal/Metal.h>
