# Compiles each header of <simd/...> alone, in C, C++, Objective-C and Objective-C++, with warnings as errors,
# and builds and runs simd_program.cpp with both standard libraries and with every kind of optimisation.
# Needs: CLANG, CLANGXX, SDK (its include folder), TOOLS (its bin folder), SOURCE_DIR, WORK_DIR (emptied),
# SANITIZE (those that libMetal.so has, which a program linked with it needs, too; may be empty)
include(${CMAKE_CURRENT_LIST_DIR}/../support/step.cmake)

file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")
file(GLOB headers RELATIVE ${SDK} ${SDK}/simd/*.h)
list(LENGTH headers count)
if(count LESS 16)
  message(FATAL_ERROR "only ${count} headers in ${SDK}/simd")
endif()
# With -I, a header is not a system's, so that its own warnings count.
set(flags -Wall -Wextra -Werror -fsyntax-only -I ${SDK} -fobjc-runtime=gnustep-2.2)
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER ${header} name)
  file(WRITE ${WORK_DIR}/${name}.h "#include <${header}>\n")
  foreach(language c c++)
    step(${CLANG} ${flags} -x ${language} ${WORK_DIR}/${name}.h -Wno-pragma-once-outside-header)
  endforeach()
endforeach()
foreach(variant "c;-std=c99" "c;-std=gnu2x" "c++;-std=c++11" "c++;-std=c++23" "objective-c;-fblocks"
                "objective-c++;-std=c++17" "objective-c++;-fobjc-arc")
  step(${CLANG} ${flags} -x ${variant} ${WORK_DIR}/simd_simd_h.h)
endforeach()

# With the compiler that users have, for which __APPLE__ is defined.
file(WRITE ${WORK_DIR}/tgmath.c "#include <tgmath.h>\nint main(void) { return sizeof(fabs(1.0f)) != 4; }\n")
list(TRANSFORM SANITIZE PREPEND -fsanitize=)
foreach(language c objective-c)
  step(${TOOLS}/clang -Wall -Wextra -Werror -x ${language} -c ${SOURCE_DIR}/simd_in_c.c -o ${WORK_DIR}/in_c.o)
  step(${TOOLS}/clang -Wall -Wextra -Werror -x ${language} ${WORK_DIR}/tgmath.c ${SANITIZE}
       -o ${WORK_DIR}/tgmath)
  step(${WORK_DIR}/tgmath)
endforeach()

# Both standard libraries, where libc++ is installed.
file(WRITE ${WORK_DIR}/libcxx.cpp "#include <memory>\nint main() { return !std::make_unique<int>(1); }\n")
execute_process(COMMAND ${CLANGXX} -stdlib=libc++ ${WORK_DIR}/libcxx.cpp -o ${WORK_DIR}/libcxx
                RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
if(missing)
  message(STATUS "libc++ is not installed: nothing is built with it")
endif()
# Clang 19 warns of what -march=native is on processors with AVX10.
set(native "-O2 -march=native -Wno-invalid-feature-combination")
foreach(variant IN ITEMS -O0 "-O2 -ffast-math" "${native}" "-O1 -stdlib=libc++")
  if(missing AND variant MATCHES libc)
    continue()
  endif()
  separate_arguments(options UNIX_COMMAND "${variant}")
  step(${CLANGXX} -std=c++17 -Wall -Wextra -Werror ${options} -isystem ${SDK} ${SOURCE_DIR}/simd_program.cpp
       -o ${WORK_DIR}/program)
  step(${WORK_DIR}/program)
  if(NOT output STREQUAL "5 (0 0 1) 3.5 (1 2 3 4) 1000\n")
    message(FATAL_ERROR "with ${variant}, the program said:\n${output}")
  endif()
endforeach()
