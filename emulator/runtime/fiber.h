// A fiber: a stack, and the place at which its execution will continue. It is built on Boost.Context's
// jump_fcontext, a minimal switch of stacks: six registers, MXCSR and the x87 control word.
//
// Switches are symmetric. A lane that has to wait jumps straight into the next lane that can run; there is no
// scheduler stack in between, because going through one would double the cost of every barrier and simd
// operation. Each switch passes the address of the slot of the fiber that it leaves. The fiber that it
// reaches then stores in this slot where the other one will continue, because fcontext reports that place
// only on arrival.
//
// A CPU predicts that a return goes back to the latest call, but jump_fcontext leaves by a jump. If it were
// called, the return into the kernel would be mispredicted, which costs more than the switch itself. So
// jumpFiber enters it by a jump. The latest call is then the one by which the leaving lane entered the
// runtime, and the next lane mostly continues at the same place.
//
// Stacks are pooled for the life of the process; without a pool a dispatch of small threadgroups would spend
// its time in mmap. Below each stack is a guard page, so that an overflow traps instead of writing into
// another stack. Boost's pooled allocators have no guard page, and its protected allocator has no pool.
//
// A kernel owns nothing that needs a destructor, so a fiber may be abandoned at any instruction (a fault, a
// timeout) and started again from the top of its stack.
//
// AddressSanitizer and ThreadSanitizer are told about each switch when compiled in.
#pragma once

#include "support/process/sanitizers.h"

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#if defined(ASSAY_ASAN)
#include <sanitizer/common_interface_defs.h>
#elif defined(ASSAY_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace assay::runtime {

/// What the runtime itself may use of a fiber's stack, in addition to what the kernel needs.
#if defined(ASSAY_ASAN) || defined(ASSAY_TSAN)
inline constexpr size_t kRuntimeStackBytes = 256 << 10;
#else
inline constexpr size_t kRuntimeStackBytes = 32 << 10;
#endif
inline constexpr size_t kObserverStackBytes = 128 << 10; ///< added where observers run on it

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
  /// countOut: these stacks are acquired but idle, so inUse() leaves them out. countIn: they are used again.
  void countOut(size_t stacks);
  void countIn(size_t stacks);
  size_t inUse() const;
  /// The usable size of a stack that is acquired with `bytes`.
  static size_t usableBytes(size_t bytes);

  // For fork(), see fork_handlers.cpp.
  void hold() { mutex_.lock(); }
  void goOn() { mutex_.unlock(); }

private:
  bool grow(std::vector<Stack> &free, size_t count, size_t bytes);

  mutable std::mutex mutex_;
  std::map<size_t, std::vector<Stack>> free_;
  size_t inUse_ = 0;
};

/// Where a fiber (or the thread that started it) stands while it does not run.
struct FiberSlot {
  boost::context::detail::fcontext_t context = nullptr;
#ifdef ASSAY_ASAN
  const void *bottom = nullptr;
  size_t bytes = 0;
  void *fakeStack = nullptr; ///< AddressSanitizer's own memory for frames; null while the fiber runs
#endif
#ifdef ASSAY_TSAN
  void *tsanFiber = nullptr;
  bool ownsTsanFiber = false;
#endif
};

/// Tells ThreadSanitizer of an order between threads that TBB has established. TBB has no annotations for it.
inline void announceOrder([[maybe_unused]] const void *of) {
#ifdef ASSAY_TSAN
  __tsan_release(const_cast<void *>(of));
#endif
}
inline void trustOrder([[maybe_unused]] const void *of) {
#ifdef ASSAY_TSAN
  __tsan_acquire(const_cast<void *>(of));
#endif
}

using FiberMain = void (*)(boost::context::detail::transfer_t);

/// Makes `slot` stand at the start of `main` on `stack`. For a fiber that is new, ended or abandoned.
///   colour   fibers with different colours put their frames into different cache sets
void startFiber(FiberSlot &slot, const Stack &stack, FiberMain main, uint32_t colour);
/// Forgets a fiber that will not run again.
void dropFiber(FiberSlot &slot);
/// Makes `slot` stand for the calling thread itself.
void adoptThread(FiberSlot &slot);

/// To be called by the side that arrives: stores where the other side stands.
inline void arrive(boost::context::detail::transfer_t transfer, [[maybe_unused]] FiberSlot &self) {
  static_cast<FiberSlot *>(transfer.data)->context = transfer.fctx;
#ifdef ASSAY_ASAN
  __sanitizer_finish_switch_fiber(std::exchange(self.fakeStack, nullptr), nullptr, nullptr);
#endif
}

// The 128 bytes below the stack pointer may belong to the function that contains the push (the red zone of
// the ABI). The engine itself is built without a red zone, so the hot data of a waiting lane are in fewer
// cache lines.
#ifdef ASSAY_NO_RED_ZONE
#define ASSAY_SKIP_RED_ZONE(sign) ""
#else
#define ASSAY_SKIP_RED_ZONE(sign) "lea " sign "128(%%rsp), %%rsp\n\t"
#endif

/// jump_fcontext, entered by a jump with the return address pushed by hand.
__attribute__((always_inline)) inline boost::context::detail::transfer_t
jumpFiber(boost::context::detail::fcontext_t to, FiberSlot *from) {
#if defined(__x86_64__) && defined(__ELF__) && !defined(ASSAY_ASAN) && !defined(ASSAY_TSAN)
  boost::context::detail::transfer_t transfer;
  void *data = from;
  asm volatile(ASSAY_SKIP_RED_ZONE("-") "lea 1f(%%rip), %%rcx\n\t"
                                        "push %%rcx\n\t"
                                        "jmp jump_fcontext@PLT\n"
                                        "1:\n\t" ASSAY_SKIP_RED_ZONE("")
               : "=a"(transfer.fctx), "=d"(transfer.data), "+D"(to), "+S"(data)
               :
               : "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                 "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
#ifdef __AVX512F__
                 "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
                 "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6",
                 "k7",
#endif
                 "cc", "memory");
  return transfer;
#else
  return boost::context::detail::jump_fcontext(to, from);
#endif
}

/// Switches from `from`, which is running, to `to`. Returns when somebody switches back.
inline void switchFiber(FiberSlot &from, FiberSlot &to) {
#ifdef ASSAY_ASAN
  __sanitizer_start_switch_fiber(&from.fakeStack, to.bottom, to.bytes);
#endif
#ifdef ASSAY_TSAN
  __tsan_switch_to_fiber(to.tsanFiber, 0);
#endif
  arrive(jumpFiber(to.context, &from), from);
}

/// Switches to `to`; `from` never continues.
[[noreturn]] void abandonFiber(FiberSlot &from, FiberSlot &to);

} // namespace assay::runtime
