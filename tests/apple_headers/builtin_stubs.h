// Declarations of what Apple's compiler has built in, so that stock Clang compiles its headers.
//
// Problem.  The headers use some 700 functions, types and constants that no header declares.
// Choice.   They are declared by their names, as found in the headers: a function takes anything and returns
//           a value that converts to anything, a type is a class without members, and each constant is a
//           number of its own. Questions that only Apple's compiler can answer about a type are answered with
//           yes. What such a function really returns is not known here, so an answer must not depend on it:
//           bodies are left out where they can be (header_edits.h).
#pragma once

#include <string>

namespace assay::apple_headers {

/// What precedes the headers.
std::string builtinStubs(const std::string &headers);

} // namespace assay::apple_headers
