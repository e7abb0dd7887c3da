// Samplers at program scope without a qualifier: `sampler linear(filter::linear);`.
//
// Problem.  Variables at program scope must be constant, and metal_rules.h refuses others. Apple's compiler
//           accepts a sampler that is declared so, and no program changes one.
// Choice.   The sampler's type becomes const when Clang has read the declaration at program scope, which may
//           be a whole namespace. Code after that is compiled as for `const sampler`, and Clang refuses an
//           assignment. In the rest of the same namespace, metal_rules.h refuses it.
// Rejected. An exception in the rules alone: the variable would be one that code can change.
#pragma once

#include <clang/AST/DeclGroup.h>

namespace clang {
class VarDecl;
}

namespace assay::frontend {

/// Makes the samplers of a declaration at program scope const.
void makeSamplersConst(clang::DeclGroupRef group);

/// Whether it is a sampler that is made with coord::pixel and options that Apple's compiler refuses: "if
/// 'coord::pixel' is specified the min_filter and mag_filter values must be the same, the mip_filter and
/// compare_func values must be 'none', and address modes must be either 'clamp_to_zero', 'clamp_to_edge', or
/// 'clamp_to_border'", as quoted in cristim/mslc.
bool hasRefusedPixels(const clang::VarDecl &variable);

} // namespace assay::frontend
