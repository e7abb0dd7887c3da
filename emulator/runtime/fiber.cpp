// Pooled stacks and the start and end of fibers; see fiber.h.
#include "runtime/fiber.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef ASSAY_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace assay::runtime {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kSizeStep = 32 << 10; // stacks of nearly the same size share a list
constexpr size_t kColours = 64;        // cache sets of an L1 cache with 64-byte lines
constexpr size_t kColourStep = 5 * 64; // what a waiting lane has hot: its last frames and the saved registers
constexpr size_t kColourBytes = kColours * 64;

} // namespace

StackPool &StackPool::shared() {
  static auto *pool = new StackPool; // never destroyed: others' dispatches may outlive main()
  return *pool;
}

bool StackPool::grow(std::vector<Stack> &free, size_t count, size_t bytes) {
  const size_t slot = kPage + bytes;
  void *slab =
      mmap(nullptr, slot * count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (slab == MAP_FAILED)
    return false;
  for (size_t i = 0; i < count; ++i) {
    std::byte *guard = static_cast<std::byte *>(slab) + i * slot;
    if (mprotect(guard, kPage, PROT_NONE) != 0) {
      munmap(slab, slot * count);
      free.resize(free.size() - i);
      return false;
    }
    free.push_back({guard, guard + kPage, guard + slot});
  }
  return true;
}

size_t StackPool::usableBytes(size_t bytes) {
  return (bytes + kColourBytes + kSizeStep - 1) / kSizeStep * kSizeStep;
}

std::optional<std::vector<Stack>> StackPool::acquire(size_t count, size_t bytes) {
  bytes = usableBytes(bytes);
  std::lock_guard lock(mutex_);
  std::vector<Stack> &free = free_[bytes];
  if (free.size() < count && !grow(free, count - free.size(), bytes))
    return std::nullopt;
  std::vector<Stack> taken(free.end() - ptrdiff_t(count), free.end());
  free.resize(free.size() - count);
  inUse_ += count;
  return taken;
}

void StackPool::release(const std::vector<Stack> &stacks) {
  std::lock_guard lock(mutex_);
  for (const Stack &stack : stacks)
    free_[size_t(stack.top - stack.bottom)].push_back(stack);
  inUse_ -= stacks.size();
}

void StackPool::countOut(size_t stacks) {
  std::lock_guard lock(mutex_);
  inUse_ -= stacks;
}

void StackPool::countIn(size_t stacks) {
  std::lock_guard lock(mutex_);
  inUse_ += stacks;
}

size_t StackPool::inUse() const {
  std::lock_guard lock(mutex_);
  return inUse_;
}

#ifdef ASSAY_ASAN
// Frees what AddressSanitizer keeps for a fiber that will not go on. It does so when a fiber leaves for ever,
// so this thread poses as that fiber for a moment. This function must not itself have a frame in that memory.
__attribute__((no_sanitize("address"))) static void dropFakeStack(FiberSlot &slot) {
  if (!slot.fakeStack)
    return;
  void *own = nullptr;
  const void *ownBottom = nullptr;
  size_t ownBytes = 0;
  __sanitizer_start_switch_fiber(&own, slot.bottom, slot.bytes);
  __sanitizer_finish_switch_fiber(slot.fakeStack, &ownBottom, &ownBytes);
  __sanitizer_start_switch_fiber(nullptr, ownBottom, ownBytes);
  __sanitizer_finish_switch_fiber(own, nullptr, nullptr);
  slot.fakeStack = nullptr;
}
#endif

void startFiber(FiberSlot &slot, const Stack &stack, FiberMain main, uint32_t colour) {
  std::byte *top = stack.top - size_t(colour) * kColourStep % kColourBytes;
  slot.context = boost::context::detail::make_fcontext(top, size_t(top - stack.bottom), main);
  dropFiber(slot);
#ifdef ASSAY_ASAN
  slot.bottom = stack.bottom;
  slot.bytes = size_t(stack.top - stack.bottom);
  ASAN_UNPOISON_MEMORY_REGION(stack.bottom, slot.bytes); // frames of a fiber that was abandoned here
#endif
#ifdef ASSAY_TSAN
  slot.tsanFiber = __tsan_create_fiber(0);
  slot.ownsTsanFiber = true;
#endif
}

void dropFiber([[maybe_unused]] FiberSlot &slot) {
#ifdef ASSAY_ASAN
  dropFakeStack(slot);
#endif
#ifdef ASSAY_TSAN
  if (slot.ownsTsanFiber)
    __tsan_destroy_fiber(slot.tsanFiber);
  slot.ownsTsanFiber = false;
#endif
}

void adoptThread([[maybe_unused]] FiberSlot &slot) {
#ifdef ASSAY_ASAN
  pthread_attr_t attributes;
  void *bottom = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &bottom, &bytes);
    pthread_attr_destroy(&attributes);
  }
  slot.bottom = bottom;
  slot.bytes = bytes;
#endif
#ifdef ASSAY_TSAN
  slot.tsanFiber = __tsan_get_current_fiber();
#endif
}

void abandonFiber(FiberSlot &from, FiberSlot &to) {
#ifdef ASSAY_ASAN
  __sanitizer_start_switch_fiber(nullptr, to.bottom, to.bytes);
#endif
#ifdef ASSAY_TSAN
  __tsan_switch_to_fiber(to.tsanFiber, 0);
#endif
  boost::context::detail::jump_fcontext(to.context, &from);
  __builtin_unreachable();
}

} // namespace assay::runtime
