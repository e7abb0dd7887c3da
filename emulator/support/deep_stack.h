// A call on a stack of its own that is large.
//
// Problem.  Clang and LLVM descend recursively into what they compile. A kernel of 20,000 nested statements takes more
//           stack than a thread has, and where that ends the whole process ends: with the program that hosts Assay.
// Choice.   Everything that compiles runs on a thread with kDeepStackBytes of stack, of which the system provides only
//           what is touched. It is enough for what the front end lets through: how deep that may be it decides by the
//           part of this stack that is gone (frontend/nesting_limit.h).
// Rejected. A limit on nesting alone (a caller's thread may have 64 kB); recovery from the signal (Clang's and the
//           allocator's locks stay held).
#pragma once

#include <cstddef>
#include <functional>

namespace assay {

inline constexpr size_t kDeepStackBytes = size_t(1) << 30;

/// Calls the function, and returns when it has. What it throws is thrown here. If the system gives no such thread, or
/// the caller is on a deep stack already, it runs on the caller's stack.
void onDeepStack(const std::function<void()> &function);

/// How much of the deep stack that this runs on is in use; 0 if it is none.
size_t deepStackUsed();

} // namespace assay
