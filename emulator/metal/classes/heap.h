// The memory of a heap, and which object owns which part of it.
//
// A part is taken from the first free range that is long enough, and free ranges that touch are merged. So a
// host that makes and releases buffers in any order does not run out of memory in a heap that is half empty.
#pragma once

#include "host/assay.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace assay::metal {

/// Says where the bytes of a heap are if each part has room on both sides (ASSAY_BUFFER_SLACK). The host sees
/// the same size and the same offsets as without the room. The memory is stretched, so that there is twice
/// the room between any two units.
class HeapStretch {
public:
  static constexpr uint64_t kUnit = 256; ///< parts begin and end at multiples of it
  HeapStretch(uint64_t size, uint64_t room) : size_(size), room_(room) {}

  uint64_t size() const { return size_; }                              ///< as the host asked for it
  uint64_t room() const { return room_; }                              ///< of a part, on each side
  uint64_t bytes() const { return room_ ? at(size_ + kUnit) : size_; } ///< of memory that it takes
  /// Where the part at this offset begins. If parts of whole units do not overlap, they do not overlap with
  /// their room, either.
  uint64_t at(uint64_t offset) const { return offset + room_ * (2 * (offset / kUnit) + (room_ ? 1 : 0)); }

private:
  uint64_t size_, room_;
};

class HeapRoom {
public:
  HeapRoom(Buffer memory, HeapStretch stretch);

  const Buffer &memory() const { return memory_; }
  const HeapStretch &stretch() const { return stretch_; }
  uint64_t usedBytes() const;
  /// The longest range that could be taken now; alignment is a power of two, or 0.
  uint64_t largest(uint64_t alignment) const;

private:
  friend class HeapPart;
  std::optional<uint64_t> take(uint64_t bytes, uint64_t alignment);
  void giveBack(uint64_t offset, uint64_t bytes);

  const Buffer memory_;
  const HeapStretch stretch_;
  mutable std::mutex mutex_;
  std::map<uint64_t, uint64_t> free_; ///< bytes by offset
  uint64_t used_ = 0;
};

/// A part of a heap. Its memory is given back once: by giveBack(), or when the part is destroyed.
class HeapPart {
public:
  /// null: no such range is free
  static std::shared_ptr<HeapPart> take(std::shared_ptr<HeapRoom> room, uint64_t bytes, uint64_t alignment);
  /// For a placement heap, in which the host decides the offsets: the bytes are only counted.
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
