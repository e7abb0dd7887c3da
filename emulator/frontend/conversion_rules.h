// Refuses implicit conversions that Clang makes and Metal does not.
//
// bfloat    It converts implicitly to float alone, and neither float nor half converts to it.
//           source: MSL specification 2.22; published logs of Apple's compiler (tracel-ai/cubecl, issues 1201
//           and 1522)
// uniform   It takes constants and what is computed from constants and uniforms; make_uniform takes the rest.
//           source: MSL specification 2.14.2 ("illegal; compile-time error"); Apple's header for custom
//           kernels of Metal Performance Shaders, which asks for make_uniform
//
// Operands and arguments of the shim's functions are not checked, because the types of their parameters say
// nothing about the parameters of Apple's functions. A compound assignment converts its result to bfloat, and
// is accepted.
#pragma once

#include "frontend/instantiations.h"
#include "frontend/view_file_system.h"

#include <clang/AST/Type.h>

namespace assay::frontend {

/// Whether one is a half and the other a bfloat: Clang converts neither to the other by itself.
bool areHalfAndBfloat(clang::QualType first, clang::QualType second);

/// Reports each violation through Clang's diagnostics, at the user's line.
void checkConversions(clang::ASTContext &context, const ViewFileSystem &files,
                      const Declarations &declarations);

} // namespace assay::frontend
