# Builds an Apple-targeted host program on Linux against Assay: cmake -DCMAKE_TOOLCHAIN_FILE=<this file> ...
# The files beside this one are found relative to it, wherever the folder is moved.
# The compilers are Clang, called so that a Mac's options mean what they mean there: target_link_libraries(x
# "-framework Metal"). What else a Mac's compiler does is in the flags below, because it depends on ASSAY_MAC.
# CMake treats .m files as C and .mm files as C++ where a project enables no other languages, so all flags
# name the runtime.
foreach(language C ASM OBJC)
  set(CMAKE_${language}_COMPILER "${CMAKE_CURRENT_LIST_DIR}/bin/toolchain-clang")
endforeach()
foreach(language CXX OBJCXX)
  set(CMAKE_${language}_COMPILER "${CMAKE_CURRENT_LIST_DIR}/bin/toolchain-clang++")
endforeach()
# What a project is told of the system it is built on:
#   (neither)         CMake's Linux, with macOS in <TargetConditionals.h>: for projects that know Linux, too
#   -DASSAY_MAC=ON    a Mac: APPLE in CMake, and __APPLE__ in the sources; for projects that know nothing else
#   -DASSAY_PORTABLE=ON   none of Apple's systems in <TargetConditionals.h> either
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ASSAY_MAC ASSAY_PORTABLE)
set(_assay_prefix "-include \"${CMAKE_CURRENT_LIST_DIR}/include/assay/host_prefix.h\"")
set(_assay_sdk "-fblocks -isystem \"${CMAKE_CURRENT_LIST_DIR}/include\"")
if(ASSAY_PORTABLE)
  string(APPEND _assay_sdk " -DASSAY_SDK_PORTABLE=1")
elseif(ASSAY_MAC)
  # CMake clears the variable of this name for Linux, and finds the one of the cache then.
  set(APPLE 1 CACHE INTERNAL "")
  # find_library finds the SDK's frameworks, as on a Mac. It does not find any other, so a project may ask.
  set(CMAKE_FIND_FRAMEWORK FIRST)
  set(CMAKE_LINK_LIBRARY_USING_FRAMEWORK "-framework <LIBRARY>")
  set(CMAKE_LINK_LIBRARY_USING_FRAMEWORK_SUPPORTED TRUE)
  list(APPEND CMAKE_FRAMEWORK_PATH "${CMAKE_CURRENT_LIST_DIR}/System/Library/Frameworks")
  string(APPEND _assay_sdk " -DASSAY_SDK_APPLE=1 ${_assay_prefix}")
  set(_assay_prefix "")
endif()
set(_assay_objc "${_assay_sdk} -fobjc-runtime=gnustep-2.2")
set(CMAKE_C_FLAGS_INIT "${_assay_objc}")
set(CMAKE_OBJC_FLAGS_INIT "${_assay_objc}")
# C++ hosts use blocks and the headers through metal-cpp.
set(CMAKE_CXX_FLAGS_INIT "${_assay_objc} ${_assay_prefix}")
set(CMAKE_OBJCXX_FLAGS_INIT "${_assay_objc} ${_assay_prefix}")
set(CMAKE_ASM_FLAGS_INIT
    "-x assembler-with-cpp -Wa,--noexecstack -include \"${CMAKE_CURRENT_LIST_DIR}/metal-embed-elf.h\"")
# The runtime is linked with every program in these languages, as on a Mac; CMake's own first test needs it.
# A Mac's C library has the functions of <math.h>, and those of <simd/simd.h> call them; glibc has them apart.
set(CMAKE_C_STANDARD_LIBRARIES_INIT "-lm")
set(CMAKE_OBJC_STANDARD_LIBRARIES_INIT "\"${CMAKE_CURRENT_LIST_DIR}/lib/libMetal.so\" -lm")
set(CMAKE_OBJCXX_STANDARD_LIBRARIES_INIT "${CMAKE_OBJC_STANDARD_LIBRARIES_INIT}")
# One unwinder in each process. pthread_exit and pthread_cancel are glibc's, which unwinds by libgcc_s; the
# handlers of a program with libc++ would ask LLVM's libunwind about those frames, and crash. With libgcc_s
# before it, all ask libgcc_s.
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,--push-state,--no-as-needed -lgcc_s -Wl,--pop-state")
endforeach()
# CMake 3.25 knows how C programs on Linux find their libraries, and Objective-C programs only on a Mac.
set(CMAKE_SHARED_LIBRARY_RUNTIME_OBJC_FLAG "-Wl,-rpath,")
set(CMAKE_SHARED_LIBRARY_RUNTIME_OBJC_FLAG_SEP ":")
list(APPEND CMAKE_PREFIX_PATH "${CMAKE_CURRENT_LIST_DIR}")
list(APPEND CMAKE_FIND_ROOT_PATH "${CMAKE_CURRENT_LIST_DIR}")
