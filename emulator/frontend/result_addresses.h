// Fixes calls that write their result into memory of an address space.
//
// Problem.  `constant float3x3 p = a * b;` calls a function that takes the address of its result. Clang 19
//           passes the variable's own address in its own address space, but the function takes an address in
//           the default space. LLVM can write this module, but cannot read it.
// Choice.   The address is cast, as Clang does for every other argument.
#pragma once

namespace llvm {
class Module;
}

namespace assay::frontend {

void castResultAddresses(llvm::Module &module);

} // namespace assay::frontend
