# Gives sources to the compiler a dozen at a time (ASSAY_COMPILE_TOGETHER).
#
# Problem.  Most of what a source costs is what every source does again: declarations of headers are looked
#           up and templates of the standard library are instantiated. Twelve sources that the compiler gets
#           as one take less than half of the time.
# Choice.   CMake's unity builds, with groups of sources that share no name of their own (together.awk). So a
#           source may call its function `run`, as others do.
# Rejected. A macro that renames what is in unnamed namespaces: it would rename members, too.
# Limit.    A source that lacks an include may get it from another one of its group. So the preset release
#           compiles each source by itself, unless the variable of the environment is set, as .ci/run does.
set(ASSAY_TOGETHER_MOST 16)

function(_assay_group_sources target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(grouped)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
    get_source_file_property(skip ${source} TARGET_DIRECTORY ${target} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(group ${source} TARGET_DIRECTORY ${target} UNITY_GROUP)
    if(source MATCHES "\\.cpp$" AND EXISTS ${source} AND NOT skip AND NOT group)
      list(APPEND grouped ${source})
    endif()
  endforeach()
  list(LENGTH grouped count)
  if(count LESS 2)
    return()
  endif()
  set(script ${PROJECT_SOURCE_DIR}/cmake/together.awk)
  execute_process(COMMAND awk -v most=${ASSAY_TOGETHER_MOST} -f ${script} ${grouped}
                  OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.*)$" matched "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} TARGET_DIRECTORY ${target}
                                PROPERTIES UNITY_GROUP ${target}_${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Every target of a folder and of those below it.
function(assay_compile_together folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(alone ${target} ASSAY_COMPILE_ALONE)
    if(type MATCHES "LIBRARY|EXECUTABLE" AND NOT type STREQUAL "INTERFACE_LIBRARY" AND NOT alone)
      _assay_group_sources(${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    assay_compile_together(${below})
  endforeach()
endfunction()
