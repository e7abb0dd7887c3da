// Turns constants that hold addresses of threadgroup variables into variables of the thread.
//
// Problem.  threadgroup uint a[64], b[64]; threadgroup uint *both[2] = {a, b};   To Clang the addresses are
//           constants, so it copies `both` from a constant in memory. Here each threadgroup has its own
//           arena, and an address in it is known only when the kernel runs. A constant cannot hold it.
// Choice.   Such a constant becomes a variable of the kernel's entry, set element by element at its
//           beginning. Optimisation removes it where the elements are known, and bounds checks follow the
//           pointers through it as through any other variable (stored_pointers.h).
// Rejected. Setting the variable at each copy: a constant may also be read in place, by an index.
#pragma once

namespace llvm {
class Function;
}

namespace assay::lowering {

/// Runs after inlining, before variables are given their places (threadgroup_memory.h).
void keepThreadgroupAddresses(llvm::Function &entry);

} // namespace assay::lowering
