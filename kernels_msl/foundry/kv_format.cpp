#include "kv_format.h"

#include <fmt/format.h>

namespace assay::kernels::foundry {
namespace {

Error unsupported(std::string_view name, std::string what) {
  return Error::usage(Rule::own("kv-format"), fmt::format("{} {}", name, what));
}

} // namespace

Result<void> checkKvFormat(std::string_view name, const KvFormat &format, int width) {
  if (format.formatId != kKvInt8Format)
    return unsupported(
        name, fmt::format("is in format '{}', the kernels read '{}'", format.formatId, kKvInt8Format));
  if (format.packing != KvPacking::HeadMajorBytes)
    return unsupported(name, "is packed tile by tile, the kernels read [head][capacity][head_dim]");
  if (format.scaleLayout != KvScaleLayout::PerBlockAndChunk)
    return unsupported(
        name, "has scales per channel, the kernels read scales per block of keys and chunk of a row");
  if (format.zeroPoints)
    return unsupported(name, "has zero points, the kernels read bytes around 0");
  if (format.keysPerBlock != 32)
    return unsupported(name, fmt::format("has {} keys to a scale, the kernels read 32", format.keysPerBlock));
  if (format.elementsPerChunk < width || format.elementsPerChunk % width != 0 ||
      format.elementsPerChunk > 256)
    return unsupported(name,
                       fmt::format("has chunks of {} elements, the kernels read multiples of {} up to 256",
                                   format.elementsPerChunk, width));
  if (format.scaleType != DataType::Half && format.scaleType != DataType::Float)
    return unsupported(
        name, fmt::format("has scales of {}, the kernels read half and float", format.scaleType.name()));
  return {};
}

} // namespace assay::kernels::foundry
