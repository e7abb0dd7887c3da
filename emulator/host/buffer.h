// MTLBuffer in shared storage: memory that both the host and kernels access.
#pragma once

#include "texture.h"

#include "../support/text/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace assay {

class Tensor;
struct TensorDescriptor;

namespace detail {
/// Which bytes of a buffer nobody has written. Shared by the handles of the buffer.
struct Unwritten {
  bool any = false; ///< false: all is written
  /// 0xff where nobody has written; made when a checker first asks. Null: no byte has been written.
  std::shared_ptr<std::byte> shadow;
};
/// Zeroed pages between two inaccessible ones. Throws std::bad_alloc.
///   room   bytes before and after the memory that exist, too, and hold Buffer::kPoisonByte
std::shared_ptr<std::byte> allocateBuffer(size_t length, size_t room = 0);
/// The host's own memory, given back to it at the end.
std::shared_ptr<std::byte> adoptMemory(void *bytes, size_t length,
                                       std::function<void(void *bytes, size_t length)> deallocator);
} // namespace detail

/// A handle: copies share the memory. The memory is page-aligned and lies between two inaccessible pages,
/// unless newBufferWithBytesNoCopy took it from the host. Only pages that are touched cost memory
/// (support/process/sparse_pages.h).
class Buffer {
public:
  Buffer() = default; ///< no memory; binding it binds null, like nil

  /// What poison() writes. As an f32 it is -2.87e-16; as an index it is far outside any buffer.
  static constexpr uint8_t kPoisonByte = 0xA5;

  void *contents() { return data_.get(); }
  const void *contents() const { return data_.get(); }
  /// The bytes that were asked for. An access past them is an error even where memory follows.
  size_t length() const { return length_; }

  /// The address of the first byte as a kernel sees it, to be stored in an argument buffer. If the kernel
  /// follows it, the buffer must be bound or made known by ComputeCommandEncoder::useResource.
  uint64_t gpuAddress() const { return reinterpret_cast<uintptr_t>(data_.get()); }

  /// The contents as whole elements of T; a remainder smaller than one element is left out.
  template <class T> std::span<T> as() { return {reinterpret_cast<T *>(data_.get()), length_ / sizeof(T)}; }
  template <class T> std::span<const T> as() const {
    return {reinterpret_cast<const T *>(data_.get()), length_ / sizeof(T)};
  }

  void fill(uint8_t byte);
  template <class T> void fillElements(T value) {
    for (T &element : as<T>())
      element = value;
  }
  /// Makes visible which bytes a kernel leaves unwritten: call it for every output before a dispatch. For the
  /// checkers (DispatchOptions::checks), every byte then counts as unwritten until a kernel writes it. A word
  /// that the host has changed counts as written, too.
  void poison();

  /// A texture whose texels are bytes of this buffer (MTLBuffer's makeTexture): 2D or a texture buffer, with
  /// one level.
  ///   errors  Usage "texture-descriptor", "pixel-format"
  Result<Texture> newTexture(const TextureDescriptor &descriptor, size_t offset, size_t bytesPerRow) const;
  /// A tensor whose elements are bytes of this buffer (MTLBuffer's makeTensor); it keeps the memory.
  ///   scales  of its plane of scales, from `scalesOffset` on; needed if the descriptor has scales
  ///   errors  Usage "tensor-descriptor"
  Result<Tensor> newTensor(const TensorDescriptor &descriptor, size_t offset) const;
  Result<Tensor> newTensor(const TensorDescriptor &descriptor, size_t offset, const Buffer &scales,
                           size_t scalesOffset) const;

private:
  friend class Device;
  friend class ComputeCommandEncoder;
  friend class BlitCommandEncoder;
  Buffer(std::shared_ptr<std::byte> data, size_t length, size_t room = 0)
      : data_(std::move(data)), length_(length), room_(room) {}
  std::shared_ptr<std::byte> data_;
  size_t length_ = 0;
  size_t room_ = 0; ///< bytes on both sides that kernels may touch, too: Device::newBufferWithRoom
  std::shared_ptr<detail::Unwritten> unwritten_ = std::make_shared<detail::Unwritten>();
};

} // namespace assay
