// Lowers calls through function pointers, which come from a function table or from the kernel itself.
//
// Problem.  kernel void k(visible_function_table<float(float)> t, ..) { y = t[i](x); }   The function is
//           known only when the kernel runs, and differs from lane to lane. Yet the kernel must become one
//           function without calls (inline_calls.h): sites are numbered in one control-flow graph, pointers
//           are followed to their roots, and the stack of a lane is one number.
// Choice.   A pipeline is a closed world: its tables hold only functions that were linked to it. So a
//           function pointer is a number, and a call through one is a switch over it. Each function that the
//           pointer can hold has a case with a direct call. These calls are inlined like any other. Lanes
//           that hold different functions diverge, and meet again after the call, as at any switch. No
//           machinery is added for it: simd operations, barriers, bounds checks and observers see ordinary
//           code.
// Numbers.  0 is the null pointer. Visible and stitchable functions of the module have the numbers of
//           ModuleInfo::handleOf, whatever is linked, so a table's memory means the same to every pipeline.
//           Functions that are not visible and whose address the kernel takes have the numbers after these.
// When.     If a function is passed to a helper, inlining makes its address known, and the call must become
//           an ordinary call instead of a choice among all functions of its type. So calls through pointers
//           are expanded where nothing is left to inline: in the entry, and in each function that a pointer
//           may hold. The addresses that are left there become numbers.
// Cases.    A function is a case of a call if it has the call's IR type, calling convention and arguments in
//           memory. Types that are the same in IR (int and uint, pointers to different types) are not told
//           apart. If no case matches, the kernel ends with an error at the user's line
//           (SiteKind::PointerCall).
// Recursion. Each function that a pointer may hold is expanded before it is inlined. If a function can reach
//           itself through a pointer, inlining finds it unfinished and names it in an error. Assay refuses
//           more than Metal does. Apple's GPUs run recursion up to
//           MTLComputePipelineDescriptor.maxCallStackDepth. Assay refuses a table whose type allows
//           recursion, even if its functions never call back.
// Rejected. Real calls with frames: every pass would have to work on many functions, with lanes that wait at
//           sites inside them. Copies of functions for each depth up to maxCallStackDepth: the code grows
//           with the number of functions to the power of the depth. Expanding before inlining: a function
//           that is passed to a helper would be a choice, and two nested helpers would look recursive.
#pragma once

#include "lowering_state.h"

#include <llvm/ADT/MapVector.h>

namespace assay::lowering {

class FunctionTables {
public:
  /// Finds what the pipeline links. The module need not be read yet.
  explicit FunctionTables(Lowering &state);
  llvm::ArrayRef<llvm::Function *> linked() const { return linked_; }

  /// Numbers every function that a pointer may hold. Runs when the module has only what the kernel reaches.
  void number();
  /// Makes direct calls of the calls through pointers in `function`, if it is the entry or a pointer may hold
  /// it; returns whether there were any. If the kernel has no function tables and no function of the call's
  /// type, the call stays and is refused later.
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
