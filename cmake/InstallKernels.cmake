# What `cmake --install` puts where of kernels_msl: libassay_kernels.so with the dispatchers, their headers
# below include/assay/kernels_msl, the .metal files and what they include below share/assay/kernels_msl, and
# the component `kernels` of the CMake package.

# A shared library, so that who links it needs nothing else that it needs.
add_library(assay_kernels_shared SHARED $<TARGET_OBJECTS:assay_kernels>
                                        $<TARGET_OBJECTS:assay_kernels_training>)
target_link_libraries(assay_kernels_shared PUBLIC assay_shared PRIVATE assay_options fmt::fmt)
target_compile_features(assay_kernels_shared INTERFACE cxx_std_20)
set_target_properties(assay_kernels_shared PROPERTIES
  OUTPUT_NAME assay_kernels EXPORT_NAME kernels LINKER_LANGUAGE CXX INSTALL_RPATH "$ORIGIN"
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
add_library(Assay::kernels ALIAS assay_kernels_shared)
install(TARGETS assay_kernels_shared EXPORT AssayKernelsTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# Installed is what these include, and what that includes. In the source tree their paths begin at its root.
set(heads
  kernels_msl/attention/prefill.h kernels_msl/attention/prefill_mask.h
  kernels_msl/foundry/compound_set.h kernels_msl/foundry/flash_attention_step.h
  kernels_msl/foundry/decode_compare.h kernels_msl/foundry/kv_prep.h kernels_msl/foundry/kv_quantizer.h
  kernels_msl/foundry/sdpa_step.h
  kernels_msl/recurrence/chunk_gated_delta_rule.h kernels_msl/recurrence/chunk_steps.h
  kernels_msl/recurrence/gated_delta_net.h
  kernels_msl/training/flash_attn_train_ops.h)
set(all "")
foreach(head IN LISTS heads)
  string(APPEND all "#include \"${head}\"\n")
endforeach()
string(REPLACE "\"kernels_msl/" "\"assay/kernels_msl/" all "${all}")
set(generated ${PROJECT_BINARY_DIR}/include/assay)
file(WRITE ${generated}/kernels.h
  "// Attention, its training, the gated delta net and Foundry's FlashAttention: their dispatchers.\n"
  "// The folder of a KernelSet is ASSAY_KERNELS_FOLDER, which Assay::kernels defines.\n"
  "#pragma once\n\n${all}")
install(FILES ${generated}/kernels.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay)
set(visited 0)
list(LENGTH heads count)
while(visited LESS count)
  list(GET heads ${visited} header)
  cmake_path(GET header PARENT_PATH folder)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} text)
  string(REPLACE "#include \"emulator/" "#include \"assay/" text "${text}")
  string(REPLACE "#include \"kernels_msl/" "#include \"assay/kernels_msl/" text "${text}")
  file(CONFIGURE OUTPUT ${generated}/${header} CONTENT "${text}" @ONLY)
  install(FILES ${generated}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay/${folder})
  file(STRINGS ${header} includes REGEX "^ *#include \"")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*" "\\1" include "${include}")
    if(NOT include MATCHES "^(emulator|kernels_msl)/")
      cmake_path(SET include NORMALIZE ${folder}/${include})
    endif()
    if(include MATCHES "^kernels_msl/" AND NOT include IN_LIST heads)
      list(APPEND heads ${include})
    endif()
  endforeach()
  math(EXPR visited "${visited} + 1")
  list(LENGTH heads count)
endwhile()

install(DIRECTORY kernels_msl DESTINATION ${CMAKE_INSTALL_DATADIR}/assay
        FILES_MATCHING PATTERN "*.metal" PATTERN "*.h")
install(EXPORT AssayKernelsTargets NAMESPACE Assay:: DESTINATION ${package_dir})
