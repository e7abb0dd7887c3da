// Calls of functions that differ in an address space, where the function for thread memory does not fit.
//
// Problem.  Of f(device const int *) and f(thread int *), Metal calls the first with a `device int *`: the
//           second takes no such pointer. Here thread memory is Clang's default space, to which the others
//           convert. So Clang has a choice between that conversion and the one to const, and the call is
//           ambiguous; or it takes the function for thread memory as the better one, and space_rules.h
//           refuses what the call gives it.
// Choice.   The arguments of such a call become objects that convert to their own memory alone
//           (msl_shim/detail/memory_arguments.h), and the file is parsed again. Templates deduce nothing from
//           these, and a parameter that is a value takes none. If no function takes the objects, the
//           arguments become pointers and references to const, for which the template of the other memory is
//           the more specialised one.
//           Objects make conversions equal that Clang ranks, so that a call may become ambiguous, which
//           brings the first error back.
// Rejected. Another space for thread memory in the types of parameters: templates would deduce it.
// Limit.    Templates of which the right one writes to its argument. A bool from a pointer.
#pragma once

#include "frontend/operand_places.h"
#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>
#include <utility>

namespace assay::frontend {

class MemoryOverloads {
public:
  /// The fixes, to try, for this error; none for any other diagnostic.
  std::set<SourceFix> consider(const clang::Diagnostic &info, const ViewFileSystem &files);

private:
  std::set<std::pair<std::string, uint32_t>> calls_; ///< whose arguments are objects by now
};

} // namespace assay::frontend
