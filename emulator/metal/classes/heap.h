// The memory of a heap, and which object owns which part of it.
//
// First fit over the free ranges, which merge when neighbours are returned: a host that makes and releases
// buffers in any order must not run out of memory in a heap that is half empty.
#pragma once

#include "host/assay.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace assay::metal {

class HeapRoom {
public:
  explicit HeapRoom(Buffer memory);

  const Buffer &memory() const { return memory_; }
  uint64_t usedBytes() const;
  /// The longest range that could be taken now; alignment is a power of two, or 0.
  uint64_t largest(uint64_t alignment) const;

private:
  friend class HeapPart;
  std::optional<uint64_t> take(uint64_t bytes, uint64_t alignment);
  void giveBack(uint64_t offset, uint64_t bytes);

  const Buffer memory_;
  mutable std::mutex mutex_;
  std::map<uint64_t, uint64_t> free_; ///< bytes by offset
  uint64_t used_ = 0;
};

/// A part of a heap. It is returned once: when told to, or when it is destroyed.
class HeapPart {
public:
  /// null: there is no such range free
  static std::shared_ptr<HeapPart> take(std::shared_ptr<HeapRoom> room, uint64_t bytes, uint64_t alignment);
  /// For a placement heap, where the host decides the offsets: only counted.
  static std::shared_ptr<HeapPart> place(std::shared_ptr<HeapRoom> room, uint64_t offset, uint64_t bytes);
  ~HeapPart() { giveBack(); }

  uint64_t offset() const { return offset_; }
  void giveBack();

private:
  HeapPart(std::shared_ptr<HeapRoom> room, uint64_t offset, uint64_t bytes, bool placed)
      : room_(std::move(room)), offset_(offset), bytes_(bytes), placed_(placed) {}

  const std::shared_ptr<HeapRoom> room_;
  const uint64_t offset_, bytes_;
  const bool placed_;
  std::atomic<bool> back_ = false;
};

} // namespace assay::metal
