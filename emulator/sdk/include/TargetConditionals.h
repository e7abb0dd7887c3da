// Which platform a host program is built for: Apple's programming interface, but none of Apple's systems.
// TARGET_OS_OSX is 0 on purpose, so that hosts take the portable path (posix_memalign instead of Mach's
// vm_allocate).
#pragma once

#define TARGET_OS_MAC 0
#define TARGET_OS_OSX 0
#define TARGET_OS_IPHONE 0
#define TARGET_OS_IOS 0
#define TARGET_OS_TV 0
#define TARGET_OS_WATCH 0
#define TARGET_OS_VISION 0
#define TARGET_OS_MACCATALYST 0
#define TARGET_OS_SIMULATOR 0
#define TARGET_IPHONE_SIMULATOR 0
#define TARGET_OS_EMBEDDED 0
#define TARGET_OS_LINUX 1
#define TARGET_OS_UNIX 1

#if defined(__x86_64__)
#define TARGET_CPU_X86_64 1
#define TARGET_CPU_ARM64 0
#elif defined(__aarch64__)
#define TARGET_CPU_X86_64 0
#define TARGET_CPU_ARM64 1
#endif
#define TARGET_RT_64_BIT 1
#define TARGET_RT_LITTLE_ENDIAN 1
#define TARGET_RT_BIG_ENDIAN 0
