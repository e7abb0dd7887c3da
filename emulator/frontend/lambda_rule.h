// Refuses lambdas in a program for a version of Metal before 3.2, as Apple's compiler does. A program without
// a version may have them.
// source: MSL specification 3.2, section 1.5.2; published logs of builds for Metal 3.1
#pragma once

#include "frontend/view_file_system.h"

namespace clang {
class Sema;
} // namespace clang

namespace assay::frontend {

/// Reports each lambda through Clang's diagnostics, at the user's line.
void checkLambdas(clang::Sema &sema, const ViewFileSystem &files);

} // namespace assay::frontend
