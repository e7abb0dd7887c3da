// Leads the calls of a function to one place, where it is inlined once.
//
// Problem.  All calls are inlined (inline_calls.cpp says why). A ray marcher calls its distance function from
//           a loop, from the normal with four neighbours, from the light with a normal of its own, and so on.
//           If that function chooses among 60 fractals, each copy has 80,000 instructions, and the kernel has
//           2,200,000. Functions that each call the next one twice make 2^depth copies.
// Choice.   If a function would get larger than LoweringTarget::largeFunction, its largest callees stay calls
//           until everything else is inlined, the kernel included. Then all calls of one callee become jumps
//           to a block that has the only call. Phis there say which arguments it gets, and which call it
//           stands for. A switch leads back to what followed that call. This last call is inlined like any
//           other, and the kernel is still one function. A call can stand for all of them at any depth,
//           because no function that stays a call can be active twice: recursion is gone before
//           (recursive_calls.h). Callers are joined before their callees, so the copy of a caller brings the
//           callee's calls along.
// Same bits. Values are the same, and lanes only take other ways to them. But a product that one function
//           makes, and a sum of it in another one, would not be fused (contract_statements.h) if they meet in
//           a phi. So nothing is joined in a program whose statements may be fused.
// Sites.    Joined calls make a loop around everything between them, which the source does not have. A
//           barrier or simd operation there would meet other lanes (reconvergence.h), and an atomic operation
//           other values where lanes wait for each other. So calls are joined only in functions without any.
//           In a kernel with sites, each function without sites that it calls has joined calls of its own.
// Constants. Some operands must be constants after inlining: slots, samplers, kinds. A joined function has
//           them as constants of its own and is not told by its caller which they are.
// Rejected. Real calls: large_functions.h. Joining small functions, too: a thousand calls of a function with
//           a hundred instructions would be a switch with a thousand cases, and each value that any caller
//           needs later would be a phi with a thousand entries. Instead such functions are copied until the
//           caller is large, and then it is joined itself.
// Limit.    The loop makes the code slower than copies would be. Fibers and the vector engine run it alike.
//           A debugger sees no line for the caller of a joined function.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace assay::lowering {

/// Whether calls may be joined in the function, whatever it calls: it has no barrier, simd or atomic
/// operation, and no volatile access but to variables of its own.
bool mayJoinCalls(const llvm::Function &function);

/// Whether calls of the function may be joined where mayJoinCalls allows it. It may have calls of other
/// functions with a body.
bool mayBeJoined(const llvm::Function &callee);

/// Leads all calls of `callee` in `function`, of which there is one at least, to one call, and returns that
/// one. Loops may have several entries afterwards: Optimizer::makeReducible.
llvm::CallBase &joinCalls(llvm::Function &function, llvm::Function &callee);

} // namespace assay::lowering
