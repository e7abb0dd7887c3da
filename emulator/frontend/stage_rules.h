// Refuses attributes where Metal does not allow them, and what vertex and fragment functions cannot take or
// return.
//
// Graphics functions cannot be run here. But a file of kernels often contains some, and a file that does not
// build on a Mac must not build here. The rules of kernels are in reflection.h.
//
// source: MSL specification, sections 5.1 and 5.2, with messages of Apple's compiler as cristim/mslc and
// kagurasumusun/llvm-project quote them: "'attribute' attribute parameter is out of bounds: must be between 0
// and 30", "type 'metal::float4x4' is not valid for attribute 'attribute'", "cannot reserve 'buffer' resource
// location at index 0", "invalid return type 'O' for fragment function", "'X' and 'X' attributes are not
// compatible" and others.
// Limit. An argument, a member or a result is refused only where the rule is known. A structure with bases or
//        with members that are structures is not asked about its attributes, and an argument with a type of
//        the library is asked only if that is a texture or a sampler.
#pragma once

#include "frontend/view_file_system.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

class ThreadWords;

/// Reports through Clang's diagnostics, at the user's line.
void checkStages(clang::ASTContext &context, ThreadWords &words, const ViewFileSystem &files);

} // namespace assay::frontend
