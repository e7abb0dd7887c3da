// Variables at program scope that are set before a thread starts: built-ins and what the host binds (MSL 5.9,
// Metal 3.1 and 3.2), such as `uint2 gid [[thread_position_in_grid]];` and
// `device int *constant p [[buffer(0)]];`.
//
// Problem.  For C++ each of these is a single variable of the program. In Metal each thread has its own
//           built-ins, and each dispatch its own bindings.
// Choice.   The source view declares them as constants that another file defines, so that Clang neither wants
//           an initialiser nor knows a value (global_declarations.h). In IR, each function that reads one
//           gets its own copy. A built-in becomes a local variable that is set where the function begins.
//           Each load of a pointer is replaced by the address. A texture or a sampler holds the number of its
//           slot, which is the same for all dispatches, so its variable becomes a constant. A kernel lists
//           the ones that it can reach among its arguments.
// Rejected. Parameters added to each function (a function in a table has a fixed type); thread-local
//           variables (threads are fibers, or lanes of a vector).
// Limit.    If the address of such a pointer variable is taken, the kernels that use the variable cannot be
//           run.
#pragma once

#include "frontend/reflection.h"

namespace llvm {
class Module;
}

namespace assay::frontend {

/// Notes in `globals` why kernels that use a variable cannot be run. Called before fillModuleUses().
void checkGlobalBindings(llvm::Module &module, std::vector<GlobalBinding> &globals);

/// Replaces the variables. Called after fillModuleUses().
void replaceGlobalBindings(llvm::Module &module, const std::vector<GlobalBinding> &globals);

} // namespace assay::frontend
