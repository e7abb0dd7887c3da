// Compiles very large functions, on which LLVM's passes over loops would take minutes, in a cheaper way.
//
// Problem.  All calls are inlined (inline_calls.cpp says why). Some kernels of cryptography call a product of
//           256-bit numbers a thousand times, through calls a dozen levels deep. Others are generated, with
//           12,000 statements in one function. The result is a function of 135,000 instructions in 18,000
//           blocks. LLVM's passes over loops begin by finding the values that leave each loop (LCSSA), and
//           MemorySSA is made anew for each loop that is rotated. Both take time in proportion to the whole
//           function, for each of hundreds of loops.
//           Code generation has steps that start again from the beginning. CodeGenPrepare goes back to the
//           first block of the function after each comparison that it joins with a subtraction (x >= p ?
//           x - p : x, in all arithmetic modulo a prime), and the two-address pass and the register allocator
//           look through what is long in a block: eval_check of risc0 has one of 163,000 instructions.
// Choice.   Above LoweringTarget::largeFunction instructions, five things are different.
//           Before the copies of a callee make a function large, the callee is optimised by itself, with all
//           that a kernel gets, loops and MemorySSA included. Most loops there have a constant length and few
//           instructions: they are unrolled once, not in each of a thousand copies. This is done only for
//           leaves, that is, for functions that only compute. What lanes do together, and in which order, is
//           decided in the whole kernel before anything is moved (inactive_lanes.h, reconvergence.h), and the
//           marks that the checkers' passes put into a function must stay where they are.
//           A function that is large even so is optimised without passes over loops, and without passes that
//           need MemorySSA. The leaves have already gained what passes over loops can gain.
//           Blocks of many thousand instructions are split while variables become values: LLVM looks for the
//           first use of a variable from the start of its block, for each variable.
//           Callees of some size are inlined once, and shared by all of their calls (joined_calls.h).
//           Code is generated without CodeGenPrepare, and long blocks are split once more before that, which
//           CodeGenPrepare would undo (codegen.cpp). eval_check takes 26 s of processor time instead of 361.
//           Kernels without such blocks gain and lose little: scalar_mul_batch of UltrafastSecp256k1 takes 11
//           s instead of 13, tron_suffix_search of tron-vanity-metal as long as before, and the code of the
//           former is as fast.
// Same bits. Sites and checks do not depend on the passes that are left out: a kernel built for the debugger
//           has none of these passes. tests/engines also compiles its random kernels with a low limit, so
//           that they or their leaves are treated in this way, and compares the results (ASSAY_LARGE_FUNCTION
//           in docs/environment.md).
// Rejected. Calls that stay calls, as compilers for GPUs leave them. The code would be small, and would
//           compile in a second. But what a pointer argument points into is known only at the call. A callee
//           would need the bounds of each pointer as further arguments, and the name of its memory for the
//           report. Each access would be checked again in each call, whereas now almost no access to a
//           thread's own variables is checked. Sites are numbered in one flow (reconvergence.h), fibers have
//           one frame of a known size, and shadows of values (shadow_values.h) would have to be handed in and
//           out. Calls would be possible for functions of values alone, but the functions of such programs
//           take and return structures by pointers.
// Rejected. A limit on the time of a pass: code must not depend on how busy the machine is.
// Limit.    Under the checkers callees have marks, and for the debugger they stay as they are. The whole
//           kernel is then larger, but its optimisation takes no longer. A product in one iteration of a loop
//           and a sum in another are fused across statements (contract_statements.h) if the loop is unrolled.
//           In a large function, only loops of leaves are unrolled.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Whether a function that calls no other function only computes: it asks only for its lane's position and
/// the kernel's arguments, meets no other lane, and contains no mark of a pass.
/// It also has no bools in memory, because copies of these are found after everything is inlined
/// (bool_copies.h).
bool isLeaf(const llvm::Function &function);

/// Runs before variables of a large function become values, and before its code is generated. SimplifyCFG
/// joins the blocks again.
void splitLongBlocks(llvm::Function &function);

/// Runs after a leaf is optimised. LLVM may write a comparison as a truncation of a byte to one bit, which
/// looks like the load of a bool. Each such truncation becomes a comparison again.
void compareLowestBits(llvm::Function &leaf);

} // namespace assay::lowering
