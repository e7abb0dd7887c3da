// Calls a function on a large stack of its own.
//
// Problem.  Clang and LLVM descend recursively into what they compile. A kernel of 20,000 nested statements
//           takes more stack than a thread has, and the overflow ends the whole process, including the
//           program that hosts Assay.
// Choice.   Everything that compiles runs on a thread with kDeepStackBytes of stack, of which the system
//           provides only the pages that are touched. That is enough for what the front end accepts: its
//           limit on nesting depends on how much of this stack is in use (frontend/nesting_limit.h).
// Threads.  Such a thread makes the next call, too: a new thread for each cost about a millisecond, because
//           the system gives it every page of its stack and of its thread-local data anew. The stack below
//           what most calls use is given back after each call. Rounding mode and flags are the default ones,
//           whatever the host has set. A child of fork() begins without such threads.
// Rejected. A limit on nesting alone (a caller's thread may have 64 kB); recovery from the signal (Clang's
//           and the allocator's locks stay held).
#pragma once

#include <cstddef>
#include <functional>

namespace assay {

inline constexpr size_t kDeepStackBytes = size_t(1) << 30;

/// Calls the function and waits for it. Its exceptions are rethrown here. If the system gives no such thread,
/// or the caller is on a deep stack already, the function runs on the caller's stack.
void onDeepStack(const std::function<void()> &function);

/// How much of the current deep stack is in use; 0 on any other stack.
size_t deepStackUsed();

} // namespace assay
