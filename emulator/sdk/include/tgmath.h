// <tgmath.h> for programs that see __APPLE__.
//
// Problem.  Where __APPLE__ is defined, Clang's <tgmath.h> takes the C library's header of the same name, and
//           glibc's gives errors with Clang for floats and vectors. <simd/simd.h> in C needs this header.
// Choice.   In C, __APPLE__ is undefined while Clang's header is read. It includes headers of glibc and Clang
//           alone, which do not read it for anything else.
// Rejected. The same in C++: there the header is the standard library's, and libc++ must not be read under
//           two configurations in one source.
#pragma once

#if defined(__cplusplus)
#include_next <tgmath.h>
#else
#pragma push_macro("__APPLE__")
#undef __APPLE__
#include_next <tgmath.h>
#pragma pop_macro("__APPLE__")
#endif
