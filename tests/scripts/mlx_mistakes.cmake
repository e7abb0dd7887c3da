# What scripts/mlx-tests says of a request that is wrong, and of dependencies that are missing.
set(checkout ${WORK_DIR}/mlx-mistakes/checkout)
file(REMOVE_RECURSE ${WORK_DIR}/mlx-mistakes)
file(MAKE_DIRECTORY ${WORK_DIR}/mlx-mistakes/deps/nanobind)
file(WRITE ${checkout}/mlx/backend/metal/device.cpp "")
file(WRITE ${checkout}/CMakeLists.txt "
  set(METAL_CPP_URL
      https://example.org/metal-cpp_99.zip)
  FetchContent_Declare(metal_cpp URL \${METAL_CPP_URL})
  FetchContent_Declare(
    nanobind
    GIT_REPOSITORY https://example.org/nanobind.git
    GIT_TAG v9.8
    EXCLUDE_FROM_ALL)
")
file(WRITE ${checkout}/mlx/io/CMakeLists.txt "
FetchContent_Declare(
  gguflib
  GIT_REPOSITORY https://example.org/gguf-tools/
  GIT_TAG 12ab)
")

# The last arguments are the script's; `text` is to be in what it says.
function(expect text)
  execute_process(COMMAND ${ROOT}/scripts/mlx-tests ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out
                  ERROR_VARIABLE said)
  string(FIND "${said}" "${text}" at)
  if(NOT code EQUAL 2 OR NOT out STREQUAL "" OR at EQUAL -1)
    message(FATAL_ERROR "mlx-tests ${ARGN}: expected '${text}' and code 2, got '${said}${out}' and ${code}")
  endif()
endfunction()

set(build --build ${WORK_DIR}/mlx-mistakes/build)
expect("mlx-tests: give the folder of an MLX checkout\n")
expect("mlx-tests: no folder '/nowhere'\n" /nowhere)
expect("mlx-tests: '${ROOT}' is no checkout of MLX: it has no mlx/backend/metal/device.cpp\n" ${ROOT})
expect("mlx-tests: --jit is on or off, not 'maybe'\n" --jit maybe ${checkout})
expect("mlx-tests: --limit needs seconds, not '0'\n" --limit 0 ${checkout})
expect("mlx-tests: --deps needs a folder, and there is no folder '/nowhere'\n" --deps /nowhere ${checkout})
expect("mlx-tests: unknown option --fast; a pattern of tests comes after --\n" --fast ${checkout})
expect("mlx-tests: one pattern, not 2\n" ${checkout} -- a b)
expect("mlx-tests: what MLX needs is not all there:\n" ${build} ${checkout})
expect("    metal-cpp for macOS 26: DIR/metal-cpp/Metal/Metal.hpp, from https://example.org/metal-cpp_99.zip
    gguf-tools: DIR/gguf-tools/gguflib.c, from https://example.org/gguf-tools/, version 12ab
    nanobind: DIR/nanobind/cmake/nanobind-config.cmake, from https://example.org/nanobind.git, version v9.8\n"
       ${build} --python --deps ${WORK_DIR}/mlx-mistakes/deps ${checkout})

# A nanobind without its submodule, which a plain clone does not fetch.
file(WRITE ${WORK_DIR}/mlx-mistakes/deps/nanobind/cmake/nanobind-config.cmake "")
set(submodule ${WORK_DIR}/mlx-mistakes/deps/nanobind/ext/robin_map)
expect("    nanobind's submodule: ${submodule}, by 'git submodule update --init'\n"
       ${build} --python --deps ${WORK_DIR}/mlx-mistakes/deps ${checkout})
file(WRITE ${submodule}/include/tsl/robin_map.h "")

# With all of them, it is the suites that are looked at next; packages of Debian's may still be missing here.
file(WRITE ${WORK_DIR}/mlx-mistakes/deps/metal-cpp/Metal/Metal.hpp "")
file(WRITE ${WORK_DIR}/mlx-mistakes/deps/gguf-tools/gguflib.c "")
execute_process(COMMAND ${ROOT}/scripts/mlx-tests ${build} --deps ${WORK_DIR}/mlx-mistakes/deps
                        --only test_ops ${checkout} RESULT_VARIABLE code ERROR_VARIABLE said)
if(NOT code EQUAL 2 OR said MATCHES "in a folder DIR" OR
   NOT said MATCHES "no suite 'test_ops'; those of Python need --python|apt-get install")
  message(FATAL_ERROR "with all dependencies it says '${said}', code ${code}")
endif()
