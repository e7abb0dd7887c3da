// The name under which Apple's objc/ folder has NSObject.
#pragma once

#include <Foundation/NSObject.h>
