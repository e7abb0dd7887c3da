# Writes a C++ source that holds every file of SHIM_DIR as bytes:
#   cmake -DSHIM_DIR=.. -DOUT=.. -P embed_shim.cmake
file(GLOB_RECURSE files RELATIVE ${SHIM_DIR} ${SHIM_DIR}/*)
list(FILTER files EXCLUDE REGEX "README.md$")
list(SORT files)
set(text "\
// Generated from msl_shim/ by embed_shim.cmake.\n#include \"frontend/shim_files.h\"\n
namespace assay::frontend {\nnamespace {\n")
set(table "")
set(n 0)
foreach(file IN LISTS files)
  file(READ ${SHIM_DIR}/${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "constexpr unsigned char kFile${n}[] = {${bytes}0};\n")
  string(APPEND table
         "    {\"${file}\", {reinterpret_cast<const char *>(kFile${n}), sizeof kFile${n} - 1}},\n")
  math(EXPR n "${n} + 1")
  # Apple's folder of headers lies in one that is searched, too: <metal/metal_stdlib> is <metal_stdlib>.
  if(file MATCHES "^metal_[a-z_]*$")
    string(APPEND table "    {\"metal/${file}\", \"#include <${file}>\\n\"},\n")
  endif()
endforeach()
string(APPEND text "\
const ShimFile kFiles[] = {\n${table}};\n} // namespace\n
std::span<const ShimFile> shimFiles() { return kFiles; }\n
} // namespace assay::frontend\n")
file(WRITE ${OUT} "${text}")
