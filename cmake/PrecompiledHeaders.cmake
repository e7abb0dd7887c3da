# Headers that many sources read are compiled once for each set of flags.
# What costs how much: scripts/compile-costs.
#
# The standard library, fmt and GoogleTest are some 100,000 lines, those of Clang 350,000; most sources of the
# project are 200. A source still includes what it uses, so that it also compiles without these.

# ccache looks into a precompiled header only if it is told that it may; without it every source would miss.
if(ASSAY_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${ASSAY_CCACHE})
endif()
set(ASSAY_STANDARD_HEADERS
  <algorithm> <array> <bit> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <limits> <map>
  <memory> <mutex> <optional> <span> <string> <string_view> <thread> <vector> <fmt/format.h>)
