# Installs a build, moves what was installed, builds tests/metal/host with the toolchain file there,
# and runs it.
# Needs: BUILD_DIR, HOST_DIR, WORK_DIR (emptied), GENERATOR, LIBDIR
include(${CMAKE_CURRENT_LIST_DIR}/../support/step.cmake)

file(REMOVE_RECURSE "${WORK_DIR}")
step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/installed)
file(RENAME ${WORK_DIR}/installed "${WORK_DIR}/moved here")
set(sdk "${WORK_DIR}/moved here/${LIBDIR}/assay/metal-sdk")
foreach(link libFoundation.so libMetalKit.so)
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
file(STRINGS ${WORK_DIR}/build/CMakeCache.txt found REGEX "^(FOUNDATION|METAL|METALKIT|XCRUN):FILEPATH=")
foreach(each IN LISTS found)
  if(NOT each MATCHES "/moved here/")
    message(FATAL_ERROR "not of the installed SDK: ${each}")
  endif()
endforeach()
step(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
step(${WORK_DIR}/build/host)
if(NOT output STREQUAL "2 5 -8\n20 50 -80\n")
  message(FATAL_ERROR "the host said:\n${output}")
endif()

# The library that it runs with is the moved one, which compiled both kernels with the headers inside it.
step(ldd ${WORK_DIR}/build/host)
if(NOT output MATCHES "libMetal.so => ${WORK_DIR}/moved here/")
  message(FATAL_ERROR "the host runs with another libMetal.so:\n${output}")
endif()
