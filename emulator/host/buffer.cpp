// The memory of a buffer: whole pages between two inaccessible ones, so that even an access that no check
// sees faults there instead of changing other memory.
#include "buffer.h"

#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace assay {

std::shared_ptr<std::byte> detail::allocateBuffer(size_t length, size_t room) {
  const size_t page = sysconf(_SC_PAGESIZE);
  if (length > SIZE_MAX / 4 || room > SIZE_MAX / 8)
    throw std::bad_alloc();
  const auto pages = [page](size_t bytes) { return (bytes + page - 1) / page * page; };
  const size_t front = pages(room); // what follows it is at a page's begin, as without room
  const size_t inner = front + pages(length + room);
  const size_t whole = inner + 2 * page;
  void *base = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    throw std::bad_alloc();
  std::byte *data = static_cast<std::byte *>(base) + page;
  if (inner && mprotect(data, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(base, whole);
    throw std::bad_alloc();
  }
  if (room) {
    std::memset(data + front - room, Buffer::kPoisonByte, room);
    std::memset(data + front + length, Buffer::kPoisonByte, room);
  }
  return {data + front, [base, whole](std::byte *) { munmap(base, whole); }};
}

std::shared_ptr<std::byte> detail::adoptMemory(void *bytes, size_t length,
                                               std::function<void(void *, size_t)> deallocator) {
  return {static_cast<std::byte *>(bytes), [length, deallocator = std::move(deallocator)](std::byte *memory) {
            if (deallocator)
              deallocator(memory, length);
          }};
}

void Buffer::poison() {
  fill(kPoisonByte);
  unwritten_->shadow.assign(length_, 0xff);
}

void Buffer::fill(uint8_t byte) {
  unwritten_->shadow.clear();
  if (length_)
    std::memset(data_.get(), byte, length_);
}

} // namespace assay
