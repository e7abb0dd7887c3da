#include "heap.h"

#include <algorithm>

namespace assay::metal {
namespace {

uint64_t aligned(uint64_t offset, uint64_t alignment) {
  return alignment ? (offset + alignment - 1) / alignment * alignment : offset;
}

} // namespace

HeapRoom::HeapRoom(Buffer memory, HeapStretch stretch)
    : memory_(std::move(memory)), stretch_(stretch), free_{{0, stretch.size()}} {}

uint64_t HeapRoom::usedBytes() const {
  std::lock_guard lock(mutex_);
  return used_;
}

uint64_t HeapRoom::largest(uint64_t alignment) const {
  std::lock_guard lock(mutex_);
  uint64_t most = 0;
  for (const auto &[offset, bytes] : free_)
    if (const uint64_t begin = aligned(offset, alignment); begin < offset + bytes)
      most = std::max(most, offset + bytes - begin);
  return most;
}

std::optional<uint64_t> HeapRoom::take(uint64_t bytes, uint64_t alignment) {
  std::lock_guard lock(mutex_);
  for (const auto &[offset, length] : free_) {
    const uint64_t begin = aligned(offset, alignment), end = offset + length;
    if (begin > end || end - begin < bytes)
      continue;
    const uint64_t before = begin - offset, first = offset;
    free_.erase(first);
    if (before)
      free_[first] = before;
    if (begin + bytes < end)
      free_[begin + bytes] = end - begin - bytes;
    used_ += bytes;
    return begin;
  }
  return std::nullopt;
}

void HeapRoom::giveBack(uint64_t offset, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  used_ -= bytes;
  const auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == offset + bytes) {
    bytes += next->second;
    free_.erase(next);
  }
  const auto after = free_.lower_bound(offset);
  if (after != free_.begin())
    if (const auto previous = std::prev(after); previous->first + previous->second == offset) {
      previous->second += bytes;
      return;
    }
  free_[offset] = bytes;
}

std::shared_ptr<HeapPart> HeapPart::take(std::shared_ptr<HeapRoom> room, uint64_t bytes, uint64_t alignment) {
  const std::optional<uint64_t> offset = room->take(bytes, alignment);
  return offset ? std::shared_ptr<HeapPart>(new HeapPart(std::move(room), *offset, bytes, false)) : nullptr;
}

std::shared_ptr<HeapPart> HeapPart::place(std::shared_ptr<HeapRoom> room, uint64_t offset, uint64_t bytes) {
  {
    std::lock_guard lock(room->mutex_);
    room->used_ += bytes;
  }
  return std::shared_ptr<HeapPart>(new HeapPart(std::move(room), offset, bytes, true));
}

void HeapPart::giveBack() {
  if (back_.exchange(true))
    return;
  if (!placed_)
    return room_->giveBack(offset_, bytes_);
  std::lock_guard lock(room_->mutex_);
  room_->used_ -= bytes_;
}

} // namespace assay::metal
