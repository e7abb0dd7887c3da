// Which platform a host program is built for: macOS, on this machine's processor. With ASSAY_SDK_PORTABLE it
// is none of Apple's systems, and programs take their portable path (posix_memalign instead of Mach's
// vm_allocate).
#pragma once

#if defined(ASSAY_SDK_PORTABLE)
#define TARGET_OS_MAC 0
#define TARGET_OS_OSX 0
#define TARGET_OS_LINUX 1
#else
#define TARGET_OS_MAC 1
#define TARGET_OS_OSX 1
#define TARGET_OS_LINUX 0
#endif

#define TARGET_OS_IPHONE 0
#define TARGET_OS_IOS 0
#define TARGET_OS_TV 0
#define TARGET_OS_WATCH 0
#define TARGET_OS_VISION 0
#define TARGET_OS_MACCATALYST 0
#define TARGET_OS_SIMULATOR 0
#define TARGET_IPHONE_SIMULATOR 0
#define TARGET_OS_EMBEDDED 0
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
