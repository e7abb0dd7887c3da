// A fiber: a stack and the place where it stands. Built on Boost.Context's jump_fcontext, the smallest thing
// that switches stacks: six registers, MXCSR and the x87 control word.
//
// Switches are symmetric. A lane that has to wait jumps straight into the next lane that can run; there is no
// scheduler stack in between, because going through one would double the cost of every barrier and simd
// operation. Each switch hands over the address of the slot that it leaves, and whoever arrives stores there
// where the other one stands (that is how fcontext reports it).
//
// Stacks are pooled for the life of the process: a dispatch of small threadgroups would otherwise spend its
// time in mmap. Below each lies a guard page, so that running over the end traps instead of writing into a
// neighbour. Boost's own pooled allocators have no guard, its protected one no pool.
//
// A kernel owns nothing that would need a destructor, so a fiber may be abandoned at any instruction (a
// fault, a timeout) and started again from the top of its stack.
//
// AddressSanitizer and ThreadSanitizer are told about each switch when compiled in.
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define ASSAY_ASAN_FIBERS 1
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#define ASSAY_TSAN_FIBERS 1
#include <sanitizer/tsan_interface.h>
#endif

namespace assay::runtime {

/// What the runtime itself may use of a fiber's stack, on top of what the kernel needs.
#if defined(ASSAY_ASAN_FIBERS) || defined(ASSAY_TSAN_FIBERS)
inline constexpr size_t kRuntimeStackBytes = 256 << 10;
#else
inline constexpr size_t kRuntimeStackBytes = 32 << 10;
#endif
inline constexpr size_t kObserverStackBytes = 128 << 10; ///< more, where observers run on it

struct Stack {
  std::byte *guard = nullptr;  ///< one page without access
  std::byte *bottom = nullptr; ///< first usable byte
  std::byte *top = nullptr;    ///< one past the last
  bool contains(uintptr_t address) const {
    return address >= reinterpret_cast<uintptr_t>(bottom) && address < reinterpret_cast<uintptr_t>(top);
  }
  bool guards(uintptr_t address) const {
    return address >= reinterpret_cast<uintptr_t>(guard) && address < reinterpret_cast<uintptr_t>(bottom);
  }
};

/// Stacks of the whole process by size. Thread-safe; never gives memory back to the system.
class StackPool {
public:
  static StackPool &shared();
  /// `count` stacks of at least `bytes` each, or nothing if the system has no more memory (or mappings: each
  /// stack takes two of vm.max_map_count).
  std::optional<std::vector<Stack>> acquire(size_t count, size_t bytes);
  void release(const std::vector<Stack> &stacks);
  size_t inUse() const;

private:
  bool grow(std::vector<Stack> &free, size_t count, size_t bytes);

  mutable std::mutex mutex_;
  std::map<size_t, std::vector<Stack>> free_;
  size_t inUse_ = 0;
};

/// Where a fiber (or the thread that started it) stands while it does not run.
struct FiberSlot {
  boost::context::detail::fcontext_t context = nullptr;
#ifdef ASSAY_ASAN_FIBERS
  const void *bottom = nullptr;
  size_t bytes = 0;
  void *fakeStack = nullptr;
#endif
#ifdef ASSAY_TSAN_FIBERS
  void *tsanFiber = nullptr;
  bool ownsTsanFiber = false;
#endif
};

using FiberMain = void (*)(boost::context::detail::transfer_t);

/// Makes `slot` stand at the start of `main` on `stack`. For a fiber that is new, ended or abandoned.
///   colour   fibers with different colours put their frames into different cache sets
void startFiber(FiberSlot &slot, const Stack &stack, FiberMain main, uint32_t colour);
/// Forgets a fiber that will not run again.
void dropFiber(FiberSlot &slot);
/// Makes `slot` able to stand for the calling thread itself.
void adoptThread(FiberSlot &slot);

/// To be called by the side that arrives: stores where the side that left stands.
inline void arrive(boost::context::detail::transfer_t transfer, [[maybe_unused]] FiberSlot &self) {
  static_cast<FiberSlot *>(transfer.data)->context = transfer.fctx;
#ifdef ASSAY_ASAN_FIBERS
  __sanitizer_finish_switch_fiber(self.fakeStack, nullptr, nullptr);
#endif
}

/// Leaves `from`, which runs, for `to`. Returns when somebody switches back.
inline void switchFiber(FiberSlot &from, FiberSlot &to) {
#ifdef ASSAY_ASAN_FIBERS
  __sanitizer_start_switch_fiber(&from.fakeStack, to.bottom, to.bytes);
#endif
#ifdef ASSAY_TSAN_FIBERS
  __tsan_switch_to_fiber(to.tsanFiber, 0);
#endif
  arrive(boost::context::detail::jump_fcontext(to.context, &from), from);
}

/// Leaves `from` for ever.
[[noreturn]] void abandonFiber(FiberSlot &from, FiberSlot &to);

} // namespace assay::runtime
