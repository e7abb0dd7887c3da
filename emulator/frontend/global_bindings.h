// Variables at program scope that each thread finds set: built-ins and what the host binds (MSL 5.9, Metal
// 3.1 and 3.2), such as `uint2 gid [[thread_position_in_grid]];` and `device int *constant p [[buffer(0)]];`.
//
// Problem.  For C++ these are variables of the program, of which there is one. In Metal each thread has its
//           own built-ins, and each dispatch its own bindings.
// Choice.   The source view declares them as constants that another file defines, so that Clang neither wants
//           an initialiser nor knows a value (global_declarations.h). In IR a function that reads one gets
//           its own copy: of a built-in a variable that is set where the function begins, of a pointer the
//           address in place of each load. A texture or a sampler holds the number of its slot, which is the
//           same for all dispatches: the variable becomes a constant. A kernel lists the ones that it can
//           reach among its arguments.
// Rejected. Parameters added to each function (a function in a table has a fixed type); thread-local
//           variables (threads are fibers, or lanes of a vector).
// Limit.    Where the address of a pointer's variable is taken, the kernels that use it cannot be run.
#pragma once

#include "frontend/reflection.h"

namespace llvm {
class Module;
}

namespace assay::frontend {

/// Says in `globals` which of them cannot be run. Before fillModuleUses().
void checkGlobalBindings(llvm::Module &module, std::vector<GlobalBinding> &globals);

/// Replaces the variables. After fillModuleUses().
void replaceGlobalBindings(llvm::Module &module, const std::vector<GlobalBinding> &globals);

} // namespace assay::frontend
