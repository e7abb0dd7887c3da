// Makes one function of functions that call each other in several circles.
//
// Problem.  recursive_calls.h takes away the calls of a function by itself. If a calls b and b calls a, then
//           b is inlined into a, which then calls itself. But if b also calls itself, or c, which calls
//           itself or b, then that function has a stack of its own, as an array among the variables of a, and
//           each depth of a has a copy of it.
// Choice.   Such functions become one: it takes a number and the arguments of all of them, and inlines the
//           one with that number. Their calls become calls of it, so that it has one stack for all circles.
//           Functions whose circles all pass through the first of them stay as they are: a stack for that
//           one is smaller.
// Limit.    Calls through function pointers belong to no circle.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Does so with what a kernel calls, before anything is inlined.
void joinCircles(llvm::Function &kernel);

} // namespace assay::lowering
