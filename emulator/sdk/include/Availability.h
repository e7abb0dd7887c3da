// Availability macros: everything that is declared is available, so they are empty.
#pragma once

#include <AvailabilityMacros.h>

#define API_AVAILABLE(...)
#define API_UNAVAILABLE(...)
#define API_DEPRECATED(...)
#define API_DEPRECATED_WITH_REPLACEMENT(...)
#define __API_AVAILABLE(...)
#define __API_UNAVAILABLE(...)
#define __OSX_AVAILABLE_STARTING(mac, ios)
#define NS_AVAILABLE(...)
#define NS_AVAILABLE_MAC(...)
#define NS_AVAILABLE_IOS(...)
#define NS_DEPRECATED(...)
#define NS_CLASS_AVAILABLE(...)
#define NS_ENUM_AVAILABLE(...)
