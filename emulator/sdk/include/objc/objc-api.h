// The name that older code includes for the runtime's functions.
#pragma once

#include <objc/runtime.h>
