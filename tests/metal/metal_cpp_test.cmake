# Compiles cpp_example.cpp with Apple's metal-cpp, as a user would, runs it and looks at what it prints. The
# headers are not ours to keep: ASSAY_METAL_CPP_DIR, in CMake or in the environment, says where they are.
#   COMPILER, SDK, SOURCE, OUTPUT, DIR (may be empty), SANITIZE (may be empty)
if(NOT DIR)
  set(DIR "$ENV{ASSAY_METAL_CPP_DIR}")
endif()
if(NOT DIR)
  message("skipped: ASSAY_METAL_CPP_DIR does not say where Apple's metal-cpp is")
  return()
endif()
if(SANITIZE)
  message("skipped: the program is built without the sanitizers that libMetal.so has")
  return()
endif()
if(NOT EXISTS "${DIR}/Metal/Metal.hpp")
  message(FATAL_ERROR "ASSAY_METAL_CPP_DIR: there is no ${DIR}/Metal/Metal.hpp")
endif()
set(architecture "")
cmake_host_system_information(RESULT platform QUERY OS_PLATFORM)
if(platform STREQUAL "aarch64")
  set(architecture -D__arm64__=1) # the name by which metal-cpp knows it
endif()
# The umbrella headers of compute with their definitions, in the oldest C++ that they take. QuartzCore and
# MetalFX are graphics: they want layers, colour spaces and run loops, which the SDK does not have.
foreach(header Foundation/Foundation Metal/Metal)
  string(APPEND all "#include <${header}.hpp>\n")
endforeach()
file(WRITE ${OUTPUT}_headers.cpp "${all}")
execute_process(
  COMMAND ${COMPILER} -std=c++17 -fblocks -fsyntax-only ${architecture} -isystem ${SDK}/include
          -isystem ${DIR}
          -DNS_PRIVATE_IMPLEMENTATION -DMTL_PRIVATE_IMPLEMENTATION -DCA_PRIVATE_IMPLEMENTATION
          -DMTLFX_PRIVATE_IMPLEMENTATION ${OUTPUT}_headers.cpp
  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(failed)
  message(FATAL_ERROR "the headers of ${DIR} do not compile:\n${said}")
endif()

execute_process(
  COMMAND ${COMPILER} -std=c++20 -O1 -fblocks ${architecture} -isystem ${SDK}/include -isystem ${DIR}
          ${SOURCE} -o ${OUTPUT} -L${SDK}/lib -Wl,-rpath,${SDK}/lib -lMetal -lFoundation
  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(failed)
  message(FATAL_ERROR "does not compile with ${DIR}:\n${said}")
endif()
execute_process(COMMAND ${OUTPUT} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE err)
string(REGEX MATCH
       "^device Apple M1, Metal 3\n3 kernels\nthe sum of twice the first cubes is 49005000\n\
[^\n]*source.metal:[0-9]+:[0-9]+: \
error: write of 4 bytes at byte 4000000 of buffer\\(0\\) 'x', which has 16 bytes \\[out-of-bounds\\]\n"
       good "${out}")
if(failed OR good STREQUAL "" OR NOT err STREQUAL "")
  message(FATAL_ERROR "ended with ${failed} and said:\n${out}${err}")
endif()
