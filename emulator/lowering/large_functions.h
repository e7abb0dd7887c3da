// What is different for functions so large that LLVM's passes over loops take minutes.
//
// Problem.  All calls are inlined (inline_calls.cpp says why). Kernels of cryptography call a product of
//           256-bit numbers a thousand times, in functions that call each other a dozen deep, or are
//           generated, with 12,000 statements in one function. 135,000 instructions in 18,000 blocks are the
//           result. LLVM's passes over loops begin with the values that leave each loop (LCSSA), and
//           MemorySSA is made anew for each loop that is rotated: each takes time in proportion to the whole
//           function, for each of hundreds of loops.
// Choice.   Three things, above LoweringTarget::largeFunction instructions.
//           Before the copies of a callee make a function large, the callee is optimised by itself, with all
//           that a kernel gets, loops and MemorySSA included. Most loops there have a constant length and few
//           instructions: they are unrolled once, not in each of a thousand copies. Only leaves are, that is,
//           code that only computes. What lanes do together, and in which order, is decided in the whole
//           kernel before anything is moved (inactive_lanes.h, reconvergence.h), and the marks that the
//           checkers' passes put into a function must stay where they are.
//           What is large after all is optimised without passes over loops, and without those that need
//           MemorySSA. What loops would have gained was gained in the leaves.
//           Blocks of many thousand instructions are split while variables become values: LLVM looks for the
//           first use of a variable from the start of its block, for each variable.
// Same bits. Sites and checks do not depend on the passes that are left out: a kernel built for the debugger
//           has none of them. tests/engines compares its random kernels with themselves as large ones, whole
//           and in their leaves (ASSAY_LARGE_FUNCTION in docs/environment.md).
// Rejected. Calls that stay calls, as compilers for GPUs leave them. The code would be small, and take a
//           second. But what a pointer argument points into is known at the call only: a callee would need
//           the bounds of each pointer beside it, of memory whose name is part of the report, and each access
//           would be checked again in each call, where now almost none of a thread's own variables is. Sites
//           are numbered in one flow (reconvergence.h), fibers have one frame of a known size, and shadows
//           of values (shadow_values.h) would have to be handed in and out. Possible for functions of values
//           alone; those of such programs take and return structures by pointers.
// Rejected. A limit on the time of a pass: code must not depend on how busy the machine is.
// Limit.    Under the checkers and for the debugger callees have marks, or stay as they are: the whole kernel
//           is then larger, though not optimised for longer. A product and a sum of two iterations of a loop
//           are fused across statements (contract_statements.h) if the loop is unrolled, which of large
//           functions only those in leaves are.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Whether a function without calls of others only computes: it asks for nothing but its lane's place and its
/// arguments, meets no other lane, and no pass has put a mark into it.
/// Nor has it to do with bools in memory: copies of them are found when all is inlined (bool_copies.h).
bool isLeaf(const llvm::Function &function);

/// Before variables of a large function become values. SimplifyCFG joins the blocks again.
void splitLongBlocks(llvm::Function &function);

/// After a leaf is optimised: a comparison for each lowest bit that is taken of a byte. LLVM writes both
/// alike, and what is left of it must not look like the load of a bool.
void compareLowestBits(llvm::Function &leaf);

} // namespace assay::lowering
