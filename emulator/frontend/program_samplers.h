// Samplers at program scope without a qualifier: `sampler linear(filter::linear);`.
//
// Problem.  Variables at program scope must be constant, and metal_rules.h refuses others. Apple's compiler
//           accepts a sampler that is declared so, and no program changes one.
// Choice.   Its type becomes const when its declaration at program scope has been read, of a namespace the
//           whole. What is written after that is compiled as for `const sampler`, and Clang refuses an
//           assignment. In the same namespace metal_rules.h does.
// Rejected. An exception in the rules alone: the variable would be one that code can change.
#pragma once

#include <clang/AST/DeclGroup.h>

namespace assay::frontend {

/// Makes the samplers of a declaration at program scope const.
void makeSamplersConst(clang::DeclGroupRef group);

} // namespace assay::frontend
