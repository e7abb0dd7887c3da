// Included before each source that the SDK's compilers translate: what a Mac's compiler and system give
// without being asked.
//
// With ASSAY_SDK_APPLE, __APPLE__ is defined after the standard library's headers. libc++ reads it as "the C
// library is Apple's", which is wrong here; libstdc++, glibc and Clang's own headers do not read it.
#pragma once

#if !defined(__ASSEMBLER__)

#if !defined(__cplusplus) && !defined(_GNU_SOURCE)
// Apple's C library shows all of POSIX and BSD, also under -std=c99.
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#endif
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#endif

#if defined(__cplusplus)
#include <version>
#if defined(_LIBCPP_VERSION)
#include "host_prefix_libcxx.h"
#else
// What libc++'s headers bring with each other, and libstdc++'s do not.
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>
#endif
#endif

#include "../TargetConditionals.h"

#if TARGET_OS_MAC
#include "host_strings.h"
#endif

#if defined(ASSAY_SDK_APPLE) && !defined(__APPLE__)
#define __APPLE__ 1
#define __MACH__ 1
#endif

#endif
