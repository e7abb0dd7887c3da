# What `cmake --install` puts where: bin/assay, libassay.so, the public headers, the shim, the CMake package
# with its component `testing`. libMetal.so and what belongs to it are installed by emulator/metal.
include(CMakePackageConfigHelpers)

# One shared library of all rooms: who links it needs neither LLVM's headers nor fmt's.
set(rooms assay_testing assay_testing_texts assay_host assay_frontend assay_lowering assay_runtime
    assay_support)
set(objects)
foreach(room IN LISTS rooms)
  list(APPEND objects $<TARGET_OBJECTS:${room}>)
endforeach()
add_library(assay_shared SHARED ${objects})
target_link_libraries(assay_shared PRIVATE ${rooms}) # for what they link in turn
target_link_options(assay_shared PRIVATE LINKER:-z,nodelete) # see emulator/runtime/watchdog.h
target_compile_features(assay_shared INTERFACE cxx_std_20)
target_include_directories(assay_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(assay_shared PROPERTIES
  OUTPUT_NAME assay EXPORT_NAME assay LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
add_library(Assay::assay ALIAS assay_shared)

# GoogleTest is the user's: what of it is compiled is compiled with the test.
add_library(assay_testing_headers INTERFACE)
set_target_properties(assay_testing_headers PROPERTIES EXPORT_NAME testing)
target_link_libraries(assay_testing_headers INTERFACE assay_shared GTest::gmock)
add_library(Assay::testing ALIAS assay_testing_headers)
install(TARGETS assay_testing_headers EXPORT AssayTestingTargets)

install(TARGETS assay_shared EXPORT AssayTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# The headers keep their rooms, so that their relative #includes hold.
set(include_root ${CMAKE_INSTALL_INCLUDEDIR}/assay)
file(WRITE ${PROJECT_BINARY_DIR}/include/assay/assay.h
  "// Assay as a library: Metal's compute API for Linux CPUs.\n#pragma once\n\n#include \"host/assay.h\"\n")
file(WRITE ${PROJECT_BINARY_DIR}/include/assay/testing.h
  "// Kernels in GoogleTest, and a look inside them.\n#pragma once\n\n#include \"testing/testing.h\"\n")
install(FILES ${PROJECT_BINARY_DIR}/include/assay/assay.h ${PROJECT_BINARY_DIR}/include/assay/testing.h
        DESTINATION ${include_root})
foreach(header
    host/assay.h host/blit.h host/buffer.h host/command.h host/command_queue.h host/data_type.h
    host/device.h host/function_constants.h host/function_table.h host/launch.h host/library.h
    host/engine_text.h host/log_state.h host/numerics_text.h host/pipeline.h host/schedule_text.h
    host/shared_event.h host/size.h host/texture.h runtime/dispatch.h runtime/log.h runtime/observer.h
    support/abi/builtins.h support/abi/code_options.h support/abi/kernel_code.h
    support/abi/lane_abi.h support/abi/language_version.h support/abi/limits.h
    support/abi/log_level.h support/abi/module_info.h support/abi/numerics.def support/abi/numerics.h
    support/abi/pixel_format.h support/abi/pixel_formats.def support/abi/runtime_calls.def
    support/abi/scalar_type.h support/abi/simd_op.h support/abi/texture_view.h support/numbers/float_bits.h
    support/numbers/ulp.h support/text/diagnostic.h support/text/result.h support/text/rule.h
    support/text/rules.def support/text/source_probe.h testing/compare.h testing/failure.h testing/kernel.h
    testing/kernel_setup.h testing/lane_run.h testing/lane_text.h testing/lane_values.h testing/matchers.h
    testing/numbers.h testing/recording.h testing/testing.h)
  cmake_path(GET header PARENT_PATH room)
  install(FILES emulator/${header} DESTINATION ${include_root}/${room})
endforeach()
# The tables that the headers read, where their relative #includes look for them: beside `assay`, as in the
# source tree beside `emulator`.
file(GLOB tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/msl_shim/detail/*.def)
install(FILES ${tables} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/msl_shim/detail)
install(DIRECTORY msl_shim DESTINATION ${CMAKE_INSTALL_DATADIR}/assay)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Assay)
configure_package_config_file(cmake/AssayConfig.cmake.in ${PROJECT_BINARY_DIR}/AssayConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/AssayConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/AssayConfig.cmake ${PROJECT_BINARY_DIR}/AssayConfigVersion.cmake
        DESTINATION ${package_dir})
install(EXPORT AssayTargets NAMESPACE Assay:: DESTINATION ${package_dir})
install(EXPORT AssayTestingTargets NAMESPACE Assay:: DESTINATION ${package_dir})
