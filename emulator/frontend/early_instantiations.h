// Instantiates what a precompiled beginning uses of the shim.
//
// Problem.  Clang instantiates function templates at the end of a program, so a beginning that is kept
//           (precompiled_prefix.h) only lists what its functions need. Every program after it then
//           instantiated the whole list: for the helpers of MLX that was half of the front end's time.
// Choice.   Instantiations of the shim's templates that nothing of the program can change are made when the
//           beginning is made. They are in the precompiled form, and Clang reads those that are called.
// Not here. Templates of the program, and the shim's templates with types of the program: an overload that
//           follows the beginning may be found by the types of its arguments.
#pragma once

namespace clang {
class Sema;
}

namespace assay::frontend {

class ViewFileSystem;

/// To be called at the end of a beginning. The consumer is given what is instantiated; the other pending
/// instantiations stay pending, in their order.
void instantiateOfShim(clang::Sema &sema, const ViewFileSystem &files);

} // namespace assay::frontend
