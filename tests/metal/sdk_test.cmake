# Installs a build, moves what was installed, builds tests/metal/host with the toolchain file there,
# and runs it.
# Needs: BUILD_DIR, HOST_DIR, WORK_DIR (emptied), GENERATOR, LIBDIR
include(${CMAKE_CURRENT_LIST_DIR}/../support/step.cmake)

file(REMOVE_RECURSE "${WORK_DIR}")
step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/installed)
file(RENAME ${WORK_DIR}/installed "${WORK_DIR}/moved here")
set(sdk "${WORK_DIR}/moved here/${LIBDIR}/assay/metal-sdk")
foreach(link libFoundation.so libMetalKit.so libQuartzCore.so)
  file(READ_SYMLINK ${sdk}/lib/${link} target)
  if(NOT target STREQUAL "libMetal.so")
    message(FATAL_ERROR "${link} is a link to ${target}")
  endif()
endforeach()

# Nobody else's SDK and no cache: what the host finds is what was installed.
set(ENV{ASSAY_CACHE} off)
unset(ENV{CMAKE_PREFIX_PATH})
step(${CMAKE_COMMAND} -S ${HOST_DIR} -B ${WORK_DIR}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
     "-DCMAKE_TOOLCHAIN_FILE=${sdk}/toolchain.cmake")
file(STRINGS ${WORK_DIR}/build/CMakeCache.txt found
     REGEX "^(FOUNDATION|METAL|METALKIT|QUARTZCORE|XCRUN):FILEPATH=")
foreach(each IN LISTS found)
  if(NOT each MATCHES "/moved here/")
    message(FATAL_ERROR "not of the installed SDK: ${each}")
  endif()
endforeach()
step(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
step(${WORK_DIR}/build/host)
set(expected "2 5 -8\n20 50 -80\n7 5\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the host said:\n${output}")
endif()

# The library that it runs with is the moved one, which compiled both kernels with the headers inside it.
step(ldd ${WORK_DIR}/build/host)
if(NOT output MATCHES "libMetal.so => ${WORK_DIR}/moved here/")
  message(FATAL_ERROR "the host runs with another libMetal.so:\n${output}")
endif()

# A program in C alone.
step(${CMAKE_COMMAND} -S ${HOST_DIR}/in_c -B ${WORK_DIR}/in-c -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Debug
     "-DCMAKE_TOOLCHAIN_FILE=${sdk}/toolchain.cmake")
step(${CMAKE_COMMAND} --build ${WORK_DIR}/in-c)
step(${WORK_DIR}/in-c/in_c)
if(NOT output STREQUAL "5 0.5\n")
  message(FATAL_ERROR "the program in C said:\n${output}")
endif()

# Frameworks as words of the linker, on both systems.
foreach(system OFF ON)
  step(${CMAKE_COMMAND} -S ${HOST_DIR}/frameworks -B ${WORK_DIR}/frameworks-${system} -G ${GENERATOR}
       "-DCMAKE_TOOLCHAIN_FILE=${sdk}/toolchain.cmake" -DASSAY_MAC=${system})
  step(${CMAKE_COMMAND} --build ${WORK_DIR}/frameworks-${system})
  step(${WORK_DIR}/frameworks-${system}/frameworks)
  if(system)
    set(wanted "a Mac, a device\n")
  else()
    set(wanted "no Mac, a device\n")
  endif()
  if(NOT output STREQUAL wanted)
    message(FATAL_ERROR "with ASSAY_MAC=${system}, the program with frameworks said:\n${output}")
  endif()
endforeach()

# The first host with libc++ and its own exceptions, where it is installed.
file(STRINGS ${WORK_DIR}/build/CMakeCache.txt compiler REGEX "^CMAKE_CXX_COMPILER:")
string(REGEX REPLACE "^[^=]*=" "" compiler "${compiler}")
file(WRITE ${WORK_DIR}/libcxx.cpp "#include <memory>\nint main() { return !std::make_unique<int>(1); }\n")
execute_process(COMMAND ${compiler} -stdlib=libc++ ${WORK_DIR}/libcxx.cpp -o ${WORK_DIR}/libcxx
                RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
if(missing)
  message(STATUS "libc++ is not installed: no host is built with it")
  return()
endif()
set(ENV{CXXFLAGS} -stdlib=libc++)
set(ENV{OBJCXXFLAGS} -stdlib=libc++)
step(${CMAKE_COMMAND} -S ${HOST_DIR} -B ${WORK_DIR}/libcxx-build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
     "-DCMAKE_TOOLCHAIN_FILE=${sdk}/toolchain.cmake")
step(${CMAKE_COMMAND} --build ${WORK_DIR}/libcxx-build)
step(${WORK_DIR}/libcxx-build/host)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the host with libc++ said:\n${output}")
endif()
