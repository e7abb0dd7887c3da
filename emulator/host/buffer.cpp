// The memory of a buffer: whole pages between two inaccessible ones, so that even an access that no check
// sees faults there instead of changing other memory.
#include "buffer.h"

#include "../support/process/sparse_pages.h"

#include <cstring>
#include <new>
#include <unistd.h>

namespace assay {

std::shared_ptr<std::byte> detail::allocateBuffer(size_t length, size_t room) {
  if (!room)
    return allocatePages(length);
  if (length > SIZE_MAX / 4 || room > SIZE_MAX / 8)
    throw std::bad_alloc();
  const size_t page = sysconf(_SC_PAGESIZE);
  const size_t front = (room + page - 1) / page * page; // the buffer begins at a page, as without room
  const std::shared_ptr<std::byte> all = allocatePages(front + length + room);
  std::byte *data = all.get() + front;
  std::memset(data - room, Buffer::kPoisonByte, room);
  std::memset(data + length, Buffer::kPoisonByte, room);
  return {all, data};
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
  unwritten_->any = true;
}

void Buffer::fill(uint8_t byte) {
  *unwritten_ = {};
  fillMemory(data_.get(), length_, byte);
}

} // namespace assay
