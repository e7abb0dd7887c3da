// Calls through function pointers: what a function table holds, and what a kernel chooses itself.
//
// Problem.  kernel void k(visible_function_table<float(float)> t, ..) { y = t[i](x); }   The function is
//           known only when the kernel runs, and differs from lane to lane. Yet the kernel must become one
//           function without calls (inline_calls.h): sites are numbered in one control-flow graph, pointers
//           are followed to their roots, and the stack of a lane is one number.
// Choice.   A pipeline is a closed world: its tables hold only functions that were linked to it. So a
//           function pointer is a number, and a call through one is a switch over it, with a direct call of
//           each function that the pointer can hold in a case of its own. These are inlined like any other.
//           Lanes that hold different functions diverge, and meet again after the call, as at any switch. No
//           machinery is added for it: simd operations, barriers, bounds checks and observers see ordinary
//           code.
// Numbers.  0 is the null pointer. Visible and stitchable functions of the module have the numbers of
//           ModuleInfo::handleOf, whatever is linked, so a table's memory means the same to every pipeline.
//           Functions that are not visible and whose address the kernel takes have the numbers after these.
// When.     An address that becomes known by inlining is an ordinary call (a function passed to a helper),
//           and must not become a choice among all functions of its type. So calls through pointers are
//           expanded where nothing is left to inline: in the entry, and in each function that a pointer may
//           hold. The addresses that are left there become numbers.
// Cases.    A function is a case of a call if its IR type, calling convention and arguments in memory are the
//           call's. Types that are alike in IR (int and uint, pointers to different types) are not told
//           apart. No case: the kernel ends with an error at the user's line (SiteKind::PointerCall).
// Recursion. Each function that a pointer may hold is expanded before it is inlined. If one can reach itself
//           through a pointer, inlining finds it open and names it. That is more than Metal refuses: Apple's
//           GPUs run it up to MTLComputePipelineDescriptor.maxCallStackDepth, and a table that never leads
//           back is refused, too, if its type allows it.
// Rejected. Real calls with frames of their own (every pass would have to work on many functions, and lanes
//           wait at sites within them). Copies of functions for each depth up to maxCallStackDepth: the code
//           grows with the number of functions to the power of the depth. Expanding before anything is
//           inlined: a function passed to a helper is then a choice, and two nested helpers look recursive.
#pragma once

#include "lowering_state.h"

#include <llvm/ADT/MapVector.h>

namespace assay::lowering {

class FunctionTables {
public:
  /// Finds what the pipeline links. The module need not be read yet.
  explicit FunctionTables(Lowering &state);
  llvm::ArrayRef<llvm::Function *> linked() const { return linked_; }

  /// Gives every function that a pointer may hold its number. When the module has only what the kernel
  /// reaches.
  void number();
  /// Makes direct calls of the calls through pointers in `function`, if it is the entry or a pointer may hold
  /// it; returns whether there were any. A kernel without function tables, and with no function of the call's
  /// type, keeps its call: it is refused later.
  bool expandCalls(llvm::Function &function);
  /// After inlining: removes linked functions that nothing calls. The entry is the only body again.
  void finish();

private:
  bool hasCase(const llvm::CallBase &call) const;
  void expand(llvm::CallInst &call);
  void replaceAddresses(llvm::Function &inside);
  void describe();

  Lowering &state_;
  bool hasTables_ = false;
  llvm::SmallVector<llvm::Function *> linked_;
  llvm::MapVector<llvm::Function *, uint64_t> numbers_;
};

} // namespace assay::lowering
