# Installs a build, then configures, builds and runs tests/host/consumer against what was installed.
# Needs: BUILD_DIR, CONSUMER_DIR, WORK_DIR (emptied), GENERATOR, CXX_COMPILER
include(${CMAKE_CURRENT_LIST_DIR}/../support/step.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
step(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
     -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix
     -DCMAKE_BUILD_TYPE=Release)
step(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
set(ENV{ASSAY_CACHE} off)
step(${WORK_DIR}/build/consumer)
message(STATUS "${output}")
step(${WORK_DIR}/build/lanes)
if(NOT output MATCHES "PASSED *. 1 test")
  message(FATAL_ERROR "the lane-level test of an outside project did not run:\n${output}")
endif()

step(${WORK_DIR}/build/attention)
if(NOT output MATCHES "prefill, training, recurrence and decode are right")
  message(FATAL_ERROR "the kernels did not run in an outside project:\n${output}")
endif()

# One -I is enough for the headers.
file(WRITE ${WORK_DIR}/one_include.cpp
     "#include <assay/host/assay.h>\nint main() { return assay::Device::systemDefault().name().empty(); }\n")
step(${CXX_COMPILER} -std=c++20 -fsyntax-only -I ${WORK_DIR}/prefix/include ${WORK_DIR}/one_include.cpp)

# The installed program is on its own feet, too, and finds the shim that was installed with it.
file(WRITE ${WORK_DIR}/twice.metal "#include <metal_stdlib>\nusing namespace metal;\n"
     "kernel void twice(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {"
     " x[i] = 2 * x[i]; }\n")
step(${WORK_DIR}/prefix/bin/assay run ${WORK_DIR}/twice.metal --kernel twice --grid 4 --threads 4
     --buffer 0=i32:1,2,3,-4)
if(NOT output MATCHES "2 4 6 -8")
  message(FATAL_ERROR "the installed assay did not double:\n${output}")
endif()
step(${WORK_DIR}/prefix/bin/assay translate ${WORK_DIR}/twice.metal)
if(NOT output MATCHES "${WORK_DIR}/prefix/share/assay/msl_shim")
  message(FATAL_ERROR "translate does not name the installed shim:\n${output}")
endif()
