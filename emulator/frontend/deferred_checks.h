// A list of functions that Clang keeps in a parsed form and Assay has no use for.
//
// Problem.  Clang compiles Metal in the mode of a device (compiler_arguments.h). In this mode, it lists every
//           function that has a body, so that messages that it deferred can be shown at the end. A
//           precompiled form keeps that list, and a program that is compiled on top of it reads all of these
//           functions at its end. Without the list, the front end took 7 % less time for 46 of MLX's
//           libraries, their headers included.
// Choice.   A form without deferred messages is written without the list. The functions of the form call no
//           function of the program, and what the program instantiates is listed again.
// Rejected. Another mode: it gives the address spaces of Metal. Clang's list is private; its name is the
//           argument of an explicit instantiation, where C++ allows that.
#pragma once

#include <cstddef>

namespace clang {
class Sema;
}

namespace assay::frontend {

/// How many functions and variables are listed now.
size_t deferredChecks(clang::Sema &sema);

/// Empties the list, unless messages were deferred. For a consumer that comes before the writer of the form.
void forgetDeferredChecks(clang::Sema &sema);

} // namespace assay::frontend
