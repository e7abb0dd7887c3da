# What `cmake --install` puts where: bin/assay, libassay.so, the public headers, the shim, the CMake package
# with its component `testing`. The component `kernels` is in InstallKernels.cmake. libMetal.so and what
# belongs to it are installed by emulator/metal.
include(CMakePackageConfigHelpers)

# One shared library of all rooms: who links it needs neither LLVM's headers nor fmt's.
set(rooms assay_testing assay_testing_texts assay_host assay_frontend assay_lowering assay_runtime
    assay_validation assay_support)
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
# Installed is what the two heads include, and what that includes: nobody keeps a list.
set(headers host/assay.h testing/testing.h)
set(visited 0)
list(LENGTH headers count)
while(visited LESS count)
  list(GET headers ${visited} header)
  cmake_path(GET header PARENT_PATH room)
  install(FILES emulator/${header} DESTINATION ${include_root}/${room})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS emulator/${header})
  file(STRINGS emulator/${header} includes REGEX "^ *#include \"")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*" "\\1" include "${include}")
    cmake_path(SET include NORMALIZE ${room}/${include})
    if(NOT include IN_LIST headers AND EXISTS ${PROJECT_SOURCE_DIR}/emulator/${include}
       AND NOT include MATCHES "^\\.\\./")
      list(APPEND headers ${include})
    endif()
  endforeach()
  math(EXPR visited "${visited} + 1")
  list(LENGTH headers count)
endwhile()
# The tables that the headers read, where their relative #includes look for them: beside `assay`, as in the
# source tree beside `emulator`.
file(GLOB tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/msl_shim/detail/*.def)
install(FILES ${tables} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/msl_shim/detail)
install(DIRECTORY msl_shim DESTINATION ${CMAKE_INSTALL_DATADIR}/assay)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Assay)
set(ASSAY_KERNELS_FOLDER ${CMAKE_INSTALL_DATADIR}/assay/kernels_msl)
configure_package_config_file(cmake/AssayConfig.cmake.in ${PROJECT_BINARY_DIR}/AssayConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS ASSAY_KERNELS_FOLDER)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/AssayConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/AssayConfig.cmake ${PROJECT_BINARY_DIR}/AssayConfigVersion.cmake
        DESTINATION ${package_dir})
install(EXPORT AssayTargets NAMESPACE Assay:: DESTINATION ${package_dir})
install(EXPORT AssayTestingTargets NAMESPACE Assay:: DESTINATION ${package_dir})
