#include "blit.h"

#include "command_buffer_state.h"
#include "mipmaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace assay {
namespace {

Error pastTheEnd(const char *what, uint64_t offset, uint64_t size, uint64_t length) {
  return Error::usage("blit-range", fmt::format("a blit {} {} bytes at byte {} of a buffer that has {} bytes",
                                                what, size, offset, length));
}

Error missing() {
  return Error::usage("missing-buffer", "a blit needs a buffer, none was given");
}

Result<void> inside(const char *what, const Buffer &buffer, uint64_t offset, uint64_t size) {
  if (!buffer.contents())
    return missing();
  if (offset > buffer.length() || size > buffer.length() - offset)
    return pastTheEnd(what, offset, size, buffer.length());
  return {};
}

/// The bytes that the rows and images of a region take; UINT64_MAX if they do not fit in 64 bits.
uint64_t bytesOf(const Texture &texture, const Region &region, uint64_t bytesPerRow, uint64_t bytesPerImage) {
  const uint64_t texel = texture ? pixelFormatInfo(texture.pixelFormat())->bytes : 0;
  const Size &size = region.size;
  if (!size.width || !size.height || !size.depth)
    return 0;
  const unsigned __int128 all = (unsigned __int128)(size.depth - 1) * bytesPerImage +
                                (unsigned __int128)(size.height - 1) * bytesPerRow +
                                (unsigned __int128)(size.width) * texel;
  return all > UINT64_MAX ? UINT64_MAX : uint64_t(all);
}

} // namespace

Result<void> BlitCommandEncoder::record(Result<void> checked, std::function<Result<void>()> command) {
  if (!sink_)
    return checked;
  if (checked)
    return sink_->record(std::move(command));
  sink_->refuse(checked.error());
  return checked;
}

Result<void> BlitCommandEncoder::copyFromBuffer(const Buffer &source, uint64_t sourceOffset,
                                                const Buffer &destination, uint64_t destinationOffset,
                                                uint64_t size) {
  Result<void> checked = inside("reads", source, sourceOffset, size);
  if (checked)
    checked = inside("writes", destination, destinationOffset, size);
  return record(std::move(checked), [=]() -> Result<void> {
    std::memmove(destination.data_.get() + destinationOffset, source.data_.get() + sourceOffset, size);
    return {};
  });
}

Result<void> BlitCommandEncoder::fillBuffer(const Buffer &buffer, Range range, uint8_t value) {
  Result<void> checked = inside("writes", buffer, range.location, 0);
  const uint64_t size = checked ? std::min<uint64_t>(range.length, buffer.length() - range.location) : 0;
  return record(std::move(checked), [=]() -> Result<void> {
    std::memset(buffer.data_.get() + range.location, value, size);
    return {};
  });
}

Result<void> BlitCommandEncoder::copyFromBuffer(const Buffer &source, uint64_t sourceOffset,
                                                uint64_t bytesPerRow, uint64_t bytesPerImage,
                                                const Region &region, const Texture &destination,
                                                uint64_t slice, uint64_t level) {
  return record(
      inside("reads", source, sourceOffset, bytesOf(destination, region, bytesPerRow, bytesPerImage)),
      [=, to = destination]() mutable {
        return to.replaceRegion(region, level, slice, source.data_.get() + sourceOffset, bytesPerRow,
                                bytesPerImage);
      });
}

Result<void> BlitCommandEncoder::copyFromTexture(const Texture &source, uint64_t slice, uint64_t level,
                                                 const Region &region, const Buffer &destination,
                                                 uint64_t destinationOffset, uint64_t bytesPerRow,
                                                 uint64_t bytesPerImage) {
  return record(
      inside("writes", destination, destinationOffset, bytesOf(source, region, bytesPerRow, bytesPerImage)),
      [=]() {
        return source.getBytes(destination.data_.get() + destinationOffset, bytesPerRow, bytesPerImage,
                               region, level, slice);
      });
}

Result<void> BlitCommandEncoder::generateMipmaps(const Texture &texture) {
  return record(detail::canHaveMipmaps(texture), [texture]() -> Result<void> {
    detail::generateMipmaps(texture);
    return {};
  });
}

void BlitCommandEncoder::endEncoding() {
  if (sink_)
    sink_->end();
}

} // namespace assay
