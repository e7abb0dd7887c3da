# The Makefile of a program for macOS, with the SDK first in PATH and nothing else said.
# Needs: SDK, HOST_DIR, WORK_DIR (emptied)
include(${CMAKE_CURRENT_LIST_DIR}/../support/step.cmake)

file(REMOVE_RECURSE "${WORK_DIR}")
file(COPY ${HOST_DIR}/ DESTINATION ${WORK_DIR}/build)
set(ENV{ASSAY_CACHE_DIR} ${WORK_DIR}/cache)
set(ENV{PATH} "${SDK}/bin:$ENV{PATH}")
unset(ENV{CC})
unset(ENV{CXX})
step(make -C ${WORK_DIR}/build)

# Another folder, and the sources are gone: the library is whole in itself.
foreach(name program libscale.dylib default.metallib)
  file(COPY ${WORK_DIR}/build/${name} DESTINATION ${WORK_DIR}/moved)
endforeach()
file(REMOVE_RECURSE "${WORK_DIR}/build")
step(${WORK_DIR}/moved/program)
if(NOT output STREQUAL "fresh memory: 0 0\n6 10 14 18 \nprocessors machi-a 1 1\n")
  message(FATAL_ERROR "the program said:\n${output}")
endif()

# A default library that does not load says why.
file(WRITE ${WORK_DIR}/moved/default.metallib "no library")
execute_process(COMMAND ${WORK_DIR}/moved/program RESULT_VARIABLE result ERROR_VARIABLE output)
if(NOT result EQUAL 1 OR NOT output MATCHES "newDefaultLibrary: .*default.metallib")
  message(FATAL_ERROR "a broken library: ${result}\n${output}")
endif()
file(REMOVE ${WORK_DIR}/moved/default.metallib)
execute_process(COMMAND ${WORK_DIR}/moved/program RESULT_VARIABLE result ERROR_VARIABLE output)
if(NOT result EQUAL 1 OR NOT output MATCHES "newDefaultLibrary: there is no default.metallib in '.*moved'")
  message(FATAL_ERROR "no library: ${result}\n${output}")
endif()

# As portable, the program is not for this system.
set(ENV{ASSAY_SDK_PORTABLE} 1)
file(COPY ${HOST_DIR}/ DESTINATION ${WORK_DIR}/build)
execute_process(COMMAND make -C ${WORK_DIR}/build RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE output)
if(result EQUAL 0 OR NOT output MATCHES "this program is for macOS")
  message(FATAL_ERROR "as portable: ${result}\n${output}")
endif()
