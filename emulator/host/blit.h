// MTLBlitCommandEncoder: copies and fills, in the order of the command buffer.
#pragma once

#include "buffer.h"
#include "size.h"
#include "texture.h"

#include "../support/text/result.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace assay {

namespace detail {
class CommandSink;
}

/// Each call returns its error, which also becomes the command buffer's error.
class BlitCommandEncoder {
public:
  BlitCommandEncoder() = default; ///< belongs to no command buffer and records nothing

  /// The two ranges may overlap.
  ///   errors   Usage "blit-range": past the end of a buffer; "missing-buffer"
  Result<void> copyFromBuffer(const Buffer &source, uint64_t sourceOffset, const Buffer &destination,
                              uint64_t destinationOffset, uint64_t size);
  /// A range that begins inside the buffer and ends past it is cut off at its end, as drivers do and hosts
  /// rely on.
  ///   errors   Usage "blit-range": begins past the end; "missing-buffer"
  Result<void> fillBuffer(const Buffer &buffer, Range range, uint8_t value);
  /// errors   Usage "blit-range", "texture-region", "missing-buffer"
  Result<void> copyFromBuffer(const Buffer &source, uint64_t sourceOffset, uint64_t bytesPerRow,
                              uint64_t bytesPerImage, const Region &region, const Texture &destination,
                              uint64_t slice, uint64_t level);
  Result<void> copyFromTexture(const Texture &source, uint64_t slice, uint64_t level, const Region &region,
                               const Buffer &destination, uint64_t destinationOffset, uint64_t bytesPerRow,
                               uint64_t bytesPerImage);
  /// Makes each level from the one before. A texel is the sample of that level at the texel's centre, with a
  /// linear filter. So if the extents are even, a texel is the mean of the texels that it covers. Metal
  /// leaves the filter open.
  ///   errors   Usage "texture-format": integers or depths; "null-texture"
  Result<void> generateMipmaps(const Texture &texture);
  void endEncoding();

private:
  friend class CommandBuffer;
  Result<void> record(Result<void> checked, std::function<Result<void>()> command);
  std::shared_ptr<detail::CommandSink> sink_;
};

} // namespace assay
