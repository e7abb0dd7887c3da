// Makes of the preprocessed headers a text that stock Clang compiles.
//
// Problem.  Stock Clang has no memory of objects among a member function's qualifiers, no packed vectors, no
//           literals of half and bfloat, and none of Apple's built-in functions.
// Choice.   The objects of one memory at a time are judged. Members for objects elsewhere are left out,
//           because these objects would see them as well, and so is what names the memories of ray tracing
//           and mesh shaders or coherent memory. Bodies that no declaration depends on are left out with the
//           built-in functions in them, of which nothing is known but the names. The rest is as it was. If
//           the memory is not the thread's, more bodies go, because they call members that are left out: such
//           headers judge calls of members alone.
// Rejected. Clang's OpenCL mode, which has memories of objects: in it references have a memory of their own,
//           half is no arithmetic type and function pointers are refused. Switching it on for the qualifiers
//           alone works, but Clang's state is then of two languages.
#pragma once

#include <string>
#include <string_view>

namespace assay::apple_headers {

/// memory   of the objects: "thread", "device", "constant" or "threadgroup"
/// errors   std::runtime_error: brackets do not match
std::string editedHeaders(const std::string &preprocessed, std::string_view memory = "thread");

} // namespace assay::apple_headers
