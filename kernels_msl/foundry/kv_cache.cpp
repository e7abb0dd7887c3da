#include "kv_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace assay::kernels::foundry {
namespace {

int64_t blocksOf(int64_t capacity, int64_t keysPerBlock) {
  return (capacity + keysPerBlock - 1) / keysPerBlock;
}

uint64_t step(const TensorView &t, size_t axis) {
  return t.size(axis) == 1 ? 0 : uint64_t(t.stride(axis));
}

Result<void> checkRows(std::string_view name, const TensorView &rows, int64_t alignment) {
  const auto error = [&](std::string what) {
    return Error::usage(
        Rule::own("kv-alignment"),
        fmt::format("{} has {} bytes, its format says multiples of {}", name, what, alignment));
  };
  if (rows.offset % alignment != 0)
    return error(fmt::format("an offset of {}", rows.offset));
  for (size_t axis = 0; axis < 3; ++axis)
    if (rows.size(axis) > 1 && rows.stride(axis) % alignment != 0)
      return error(fmt::format("neighbours on axis {} apart by {}", axis, rows.stride(axis)));
  return {};
}

/// Tile by tile: whole blocks, one after the other.
Result<void> checkTiles(std::string_view name, const TensorView &rows, int64_t keysPerBlock) {
  const auto error = [&](std::string what) {
    return Error::usage(Rule::own("kv-packing"),
                        fmt::format("{} is packed as bytes, tile by tile, and {}", name, what));
  };
  if (rows.size(2) % keysPerBlock != 0)
    return error(fmt::format("its {} keys are no whole blocks of {}", rows.size(2), keysPerBlock));
  if (rows.size(2) > 1 && rows.stride(2) != rows.size(3))
    return error(fmt::format("its rows of {} bytes are {} apart", rows.size(3), rows.stride(2)));
  return {};
}

/// One run after the other: all that a kernel relies on when it halves a run.
Result<void> checkOutliers(std::string_view name, const KvTensor &t) {
  const KvFormat &format = *t.format;
  const auto error = [&](std::string what) {
    return Error::usage(Rule::own("kv-outliers"), fmt::format("{} {}", name, what));
  };
  if (t.outliers.given() != (format.outliersPerBlock > 0))
    return error(t.outliers.given() ? "has a side table, and its format has no outliers"
                                    : fmt::format("has no side table, its format has up to {} outliers in a "
                                                  "block",
                                                  format.outliersPerBlock));
  if (!t.outliers.given())
    return {};
  if (auto checked = checkTensor(fmt::format("outliers of {}", name), t.outliers, DataType::UInt, {-1});
      !checked)
    return checked;
  const int64_t groups = t.rows.size(0) * t.rows.size(1), capacity = t.rows.size(2), size = headDimOf(t);
  const int64_t blocks = blocksOf(capacity, format.keysPerBlock), words = t.outliers.size(0);
  if (groups * (blocks + 1) > words)
    return error(fmt::format("has a side table of {} words, places of runs alone are {}", words,
                             groups * (blocks + 1)));
  if (words > std::numeric_limits<uint32_t>::max())
    return error(fmt::format("has a side table of {} words, places have 32 bits", words));
  const auto all = t.outliers.buffer.as<uint32_t>();
  const auto word = [&](int64_t i) { return all[t.outliers.offset + i]; };
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t block = 0; block < blocks; ++block) {
      const std::string where =
          fmt::format("batch {}, head {}, block {}", group / t.rows.size(1), group % t.rows.size(1), block);
      const int64_t begin = word(group * (blocks + 1) + block), end = word(group * (blocks + 1) + block + 1);
      if (begin < groups * (blocks + 1) || end > words || begin > end)
        return error(fmt::format("has a run of words {} to {} at {}, entries are the words {} to {}", begin,
                                 end, where, groups * (blocks + 1), words));
      if (end - begin > format.outliersPerBlock)
        return error(fmt::format("has {} outliers at {}, its format allows {}", end - begin, where,
                                 format.outliersPerBlock));
      const int64_t keys = std::min(format.keysPerBlock, capacity - block * format.keysPerBlock);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t place = word(i) >> 16;
        if (place >= keys * size)
          return error(fmt::format("has an outlier at place {} at {}, which has {} elements", place, where,
                                   keys * size));
        if (i > begin && place <= int64_t(word(i - 1) >> 16))
          return error(fmt::format("has an outlier at place {} after one at {} at {}, they must ascend",
                                   place, word(i - 1) >> 16, where));
      }
    }
  return {};
}

} // namespace

int64_t headDimOf(const KvTensor &t) {
  return t.rows.sizes.back() * (t.format && t.format->bits == 4 ? 2 : 1);
}

DataType rowTypeOf(const KvTensor &t, DataType typed) {
  if (!t.format)
    return typed;
  return t.format->packing == KvPacking::HeadMajorNibbles ? DataType::UChar : DataType::Char;
}

Result<void> checkNoFormat(std::string_view name, const KvTensor &t) {
  for (const auto &[what, tensor] :
       {std::pair("scales", &t.scales), {"zero points", &t.zeros}, {"outliers", &t.outliers}})
    if (tensor->given())
      return Error::usage(Rule::own("kv-format"),
                          fmt::format("{} has {} and no format that says what they are", name, what));
  return {};
}

Result<void> checkKvCache(std::string_view name, const KvTensor &t, KvUse use, int width, DataType type,
                          const KvShape &shape) {
  const KvFormat &format = *t.format;
  if (auto checked = checkKvFormat(name, format, use, width); !checked)
    return checked;
  if (type != DataType::Half && type != DataType::BFloat)
    return Error::usage(
        Rule::own("tensor-type"),
        fmt::format("{} has outliers of {}, the kernels read half and bfloat", name, type.name()));
  const bool nibbles = format.packing == KvPacking::HeadMajorNibbles;
  if (nibbles && shape.headDim % 2 != 0 && shape.headDim > 0)
    return Error::usage(
        Rule::own("kv-packing"),
        fmt::format("{} is packed as nibbles, a row of {} elements is no whole bytes", name, shape.headDim));
  if (auto checked = checkTensor(name, t.rows, rowTypeOf(t, type),
                                 {shape.batches, shape.heads, shape.capacity,
                                  nibbles && shape.headDim > 0 ? shape.headDim / 2 : shape.headDim});
      !checked)
    return checked;
  if (format.packing == KvPacking::TileMajorBytes)
    if (auto checked = checkTiles(name, t.rows, format.keysPerBlock); !checked)
      return checked;
  if (auto checked = checkRows(name, t.rows, format.alignment); !checked)
    return checked;
  const int64_t blocks = format.scaleLayout == KvScaleLayout::PerChannelChunk
                             ? 1
                             : blocksOf(t.rows.size(2), format.keysPerBlock);
  const int64_t chunks = blocksOf(headDimOf(t), format.elementsPerChunk);
  if (auto checked = checkTensor(fmt::format("scales of {}", name), t.scales, format.scaleType,
                                 {t.rows.size(0), t.rows.size(1), blocks, chunks});
      !checked)
    return checked;
  if (!format.zeroType && t.zeros.given())
    return Error::usage(Rule::own("kv-zero-points"),
                        fmt::format("{} has zero points, and its format has none", name));
  if (format.zeroType) {
    if (auto checked = checkTensor(fmt::format("zero points of {}", name), t.zeros, *format.zeroType,
                                   {t.rows.size(0), t.rows.size(1), blocks, chunks});
        !checked)
      return checked;
    for (size_t axis = 0; axis < 3; ++axis)
      if (step(t.zeros, axis) != step(t.scales, axis))
        return Error::usage(Rule::own("stride"),
                            fmt::format("zero points of {} have stride {} on axis {}, its scales {}", name,
                                        t.zeros.stride(axis), axis, t.scales.stride(axis)));
  }
  return checkOutliers(name, t);
}

void setKvConstants(FunctionConstantValues &constants, const std::optional<KvFormat> &format,
                    uint32_t first) {
  if (!format)
    return; // unset is typed
  const auto number = [&](uint32_t index, uint32_t value) {
    constants.setConstantValue(&value, DataType::UInt, first + index);
  };
  const auto truth = [&](uint32_t index, bool value) {
    constants.setConstantValue(&value, DataType::Bool, first + index);
  };
  number(0, uint32_t(format->bits));
  number(1, uint32_t(format->keysPerBlock));
  number(2, uint32_t(format->elementsPerChunk));
  truth(3, format->scaleType == DataType::Float);
  number(4, !format->zeroType                     ? 0
            : *format->zeroType == DataType::Char ? 1
            : *format->zeroType == DataType::Half ? 2
                                                  : 3);
  truth(5, format->outliersPerBlock > 0);
  truth(6, format->packing == KvPacking::TileMajorBytes);
}

uint32_t kvRuns(const KvTensor &t) {
  return t.format && t.outliers.given() ? uint32_t(blocksOf(t.rows.size(2), t.format->keysPerBlock) + 1) : 0;
}

KvScaleStrides kvScaleStrides(const KvTensor &t) {
  return {step(t.scales, 0), step(t.scales, 1), step(t.scales, 2)};
}

void bindKv(ComputeCommandEncoder &encoder, const KvTensor &t, const KvSlots &slots) {
  const auto bind = [&](const TensorView &tensor, uint32_t index) {
    if (tensor.given())
      encoder.setBuffer(tensor.buffer, tensor.byteOffset(), index);
  };
  bind(t.rows, slots.values);
  bind(t.scales, slots.scales);
  bind(t.zeros, slots.zeros);
  bind(t.outliers, slots.outliers);
}

} // namespace assay::kernels::foundry
