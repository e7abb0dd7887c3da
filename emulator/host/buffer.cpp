// The memory of a buffer: whole pages between two inaccessible ones, so that even an access that no check
// sees faults there instead of changing other memory.
#include "buffer.h"

#include "../support/process/sparse_pages.h"

namespace assay {

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
