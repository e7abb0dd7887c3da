// Refuses what came with a later version of Metal than the one a program is compiled for: lambdas,
// attributes, buffers with 64-bit integers, unions, pointers to functions, some variables, and on iOS
// textures from the 32nd on. A program without a version may have them all. What the library has for a
// version is decided by its own headers: msl_shim/detail/features.h.
// source: MSL specification 3.2, section 1.5.2 (lambdas); what Apple's compiler says in published logs of
//         builds, "'kernel' attribute requires Metal language standard macos-metal2.3 or higher"; section 2.7
//         of specification 2.2, "Metal does not support buffers that contain long or ulong data types", and
//         of later ones, "As of Metal 2.3, Metal supports buffers that contain long or ulong data types";
//         Apple's metal_config and metal_matrix (kagurasumusun/metal, 32023.883): attributes of threads at
//         program scope, and constructors of matrices in threadgroup memory; tests of
//         kagurasumusun/llvm-project: "pointers to functions are not allowed" before 2.1, and "cannot reserve
//         'texture' resource location at index 31" for iOS before 2.0
//         "unions are not supported in Metal", as issue 874 of apache/tvm quotes it, and __HAVE_UNIONS__
#pragma once

#include "frontend/instantiations.h"
#include "frontend/view_file_system.h"
#include "support/abi/language_version.h"

namespace clang {
class Sema;
} // namespace clang

namespace assay::frontend {

/// Reports each use through Clang's diagnostics, at the user's line.
void checkVersion(clang::Sema &sema, const ViewFileSystem &files, LanguageVersion asked,
                  const Declarations &declarations);

} // namespace assay::frontend
