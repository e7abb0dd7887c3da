#include "kv_quantizer.h"

#include "emulator/support/numbers/float_bits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::kernels::foundry {
namespace {

int64_t ceilDivide(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

/// A number rounded to a type, as a float.
float rounded(float value, DataType type) {
  return type == DataType::Half ? floatFromHalf(halfFromFloat(value)) : value;
}

void store(TensorView &t, int64_t index, float value) {
  if (t.type == DataType::Half)
    t.buffer.as<uint16_t>()[index] = halfFromFloat(value);
  else if (t.type == DataType::Char)
    t.buffer.as<int8_t>()[index] = int8_t(value);
  else
    t.buffer.as<float>()[index] = value;
}

/// One head's rows on their way into the format.
class Head {
public:
  Head(const TensorView &rows, int64_t batch, int64_t head, int64_t length, const KvFormat &format)
      : rows_(rows), first_(rows.offset + batch * rows.stride(0) + head * rows.stride(1)), length_(length),
        size_(rows.size(3)), format_(format), outlier_(size_t(length * size_)) {}

  uint16_t bits(int64_t key, int64_t d) const {
    return rows_.buffer.as<uint16_t>()[first_ + key * rows_.stride(2) + d];
  }
  float at(int64_t key, int64_t d) const {
    return rows_.type == DataType::Half ? floatFromHalf(bits(key, d)) : floatFromBfloat(bits(key, d));
  }
  bool outlier(int64_t key, int64_t d) const { return outlier_[size_t(key * size_ + d)]; }

  /// Picks the outliers of a block and gives its entries of the side table.
  std::vector<uint32_t> pickOutliers(int64_t firstKey) {
    const int64_t end = std::min(firstKey + format_.keysPerBlock, length_);
    std::vector<int64_t> places;
    for (int64_t i = firstKey * size_; i < end * size_; ++i)
      if (at(i / size_, i % size_) != 0)
        places.push_back(i);
    const auto larger = [&](int64_t a, int64_t b) {
      const float x = std::fabs(at(a / size_, a % size_)), y = std::fabs(at(b / size_, b % size_));
      return x != y ? x > y : a < b;
    };
    const size_t count = std::min(places.size(), size_t(format_.outliersPerBlock));
    std::partial_sort(places.begin(), places.begin() + count, places.end(), larger);
    places.resize(count);
    std::sort(places.begin(), places.end());
    std::vector<uint32_t> entries;
    for (const int64_t i : places) {
      outlier_[size_t(i)] = true;
      entries.push_back(uint32_t(i - firstKey * size_) << 16 | bits(i / size_, i % size_));
    }
    return entries;
  }

  /// Calls visit(key, d) for the elements of a group of keys and a chunk that are no outliers.
  template <class Visit> void eachOf(int64_t firstKey, int64_t keys, int64_t chunk, Visit visit) const {
    const int64_t first = chunk * format_.elementsPerChunk;
    for (int64_t key = firstKey; key < std::min(firstKey + keys, length_); ++key)
      for (int64_t d = first; d < std::min(first + format_.elementsPerChunk, size_); ++d)
        if (!outlier(key, d))
          visit(key, d);
  }

private:
  const TensorView &rows_;
  int64_t first_, length_, size_;
  const KvFormat &format_;
  std::vector<bool> outlier_;
};

struct Group {
  float scale = 0, zero = 0, least = 0, most = 0; ///< the last two bound the numbers
};

Group groupOf(const Head &head, int64_t firstKey, int64_t keys, int64_t chunk, const KvFormat &format) {
  const float half = float(1 << (format.bits - 1)); // 128 or 8
  float low = 0, high = 0;
  head.eachOf(firstKey, keys, chunk, [&](int64_t key, int64_t d) {
    low = std::min(low, head.at(key, d)), high = std::max(high, head.at(key, d));
  });
  Group g;
  if (!format.zeroType) {
    g.least = 1 - half, g.most = half - 1;
    g.scale = rounded(std::max(high, -low) / g.most, format.scaleType);
    return g;
  }
  g.least = -half, g.most = half - 1;
  g.scale = rounded(float((double(high) - low) / (2 * half - 1)), format.scaleType);
  if (g.scale == 0)
    return g;
  g.zero = g.least - low / g.scale;
  g.zero = *format.zeroType == DataType::Char ? std::clamp(std::nearbyint(g.zero), g.least, g.most)
                                              : rounded(g.zero, *format.zeroType);
  return g;
}

/// An integer at element d of a key, in a head's bytes. Rows are `pitch` apart.
void pack(uint8_t *head, int64_t key, int64_t d, int64_t size, int64_t pitch, const KvFormat &format,
          float number) {
  const uint8_t q = uint8_t(int(number));
  switch (format.packing) {
  case KvPacking::HeadMajorBytes: head[key * pitch + d] = q; break;
  case KvPacking::HeadMajorNibbles: head[key * pitch + d / 2] |= uint8_t((q & 15) << (d % 2 * 4)); break;
  case KvPacking::TileMajorBytes: {
    const int64_t inBlock = key % format.keysPerBlock, inChunk = d % format.elementsPerChunk;
    const int64_t chunk = std::min(format.elementsPerChunk, size - (d - inChunk));
    head[(key - inBlock) * pitch + (d - inChunk) * format.keysPerBlock + inBlock * chunk + inChunk] = q;
  }
  }
}

Result<void> checkFinite(const Head &head, int64_t batch, int64_t headIndex, int64_t length, int64_t size) {
  for (int64_t key = 0; key < length; ++key)
    for (int64_t d = 0; d < size; ++d)
      if (!std::isfinite(head.at(key, d)))
        return Error::usage(Rule::own("kv-finite"),
                            fmt::format("rows has {} at batch {}, head {}, key {}, element {}, a quantised "
                                        "cache has finite numbers alone",
                                        head.at(key, d), batch, headIndex, key, d));
  return {};
}

} // namespace

Result<KvTensor> quantizeKv(const Device &device, const TensorView &rows, int64_t length,
                            const KvFormat &format) {
  if (rows.given() && rows.type != DataType::Half && rows.type != DataType::BFloat)
    return Error::usage(Rule::own("tensor-type"),
                        fmt::format("rows has type {}, half and bfloat are quantised", rows.type.name()));
  if (auto checked = checkTensor("rows", rows, rows.type, {-1, -1, -1, -1}); !checked)
    return checked.error();
  if (auto checked = checkKvFormat("rows", format, KvUse::Decode, 2); !checked)
    return checked.error();
  const int64_t batches = rows.size(0), heads = rows.size(1), capacity = rows.size(2), size = rows.size(3);
  if (length < 0 || length > capacity)
    return Error::usage(Rule::own("kv-length"),
                        fmt::format("{} keys are to be quantised, the cache has {}", length, capacity));
  if (size * format.bits % 8 != 0)
    return Error::usage(
        Rule::own("kv-packing"),
        fmt::format("a row has {} elements of {} bits, which are no whole bytes", size, format.bits));
  const int64_t rowBytes = size * format.bits / 8;
  const int64_t pitch = ceilDivide(rowBytes, format.alignment) * format.alignment;
  if (format.packing == KvPacking::TileMajorBytes &&
      (capacity % format.keysPerBlock != 0 || pitch != rowBytes))
    return Error::usage(Rule::own("kv-packing"),
                        fmt::format("{} rows of {} bytes cannot be packed tile by tile, in blocks of {} keys "
                                    "and at multiples of {} bytes",
                                    capacity, rowBytes, format.keysPerBlock, format.alignment));
  const bool perChannel = format.scaleLayout == KvScaleLayout::PerChannelChunk;
  const int64_t blocks = ceilDivide(capacity, format.keysPerBlock);
  const int64_t groupKeys = perChannel ? capacity : format.keysPerBlock, groups = perChannel ? 1 : blocks;
  const int64_t chunks = ceilDivide(size, format.elementsPerChunk);

  KvTensor out;
  out.format = format;
  out.rows.type = format.bits == 4 ? DataType::UChar : DataType::Char;
  out.rows.sizes = {batches, heads, capacity, rowBytes};
  out.rows.strides = {heads * capacity * pitch, capacity * pitch, pitch, 1};
  out.rows.buffer = device.newBuffer(size_t(batches * heads * capacity * pitch));
  const auto tensorOfGroups = [&](DataType type) {
    return TensorView::contiguous(device.newBuffer(size_t(batches * heads * groups * chunks) * type.bytes()),
                                  type, {batches, heads, groups, chunks});
  };
  out.scales = tensorOfGroups(format.scaleType);
  if (format.zeroType)
    out.zeros = tensorOfGroups(*format.zeroType);
  std::vector<uint32_t> places, entries;
  const uint32_t firstEntry = uint32_t(batches * heads * (blocks + 1));

  const auto bytes = out.rows.buffer.as<uint8_t>();
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      Head head(rows, b, h, length, format);
      if (auto finite = checkFinite(head, b, h, length, size); !finite)
        return finite.error();
      for (int64_t block = 0; block <= blocks; ++block) {
        places.push_back(firstEntry + uint32_t(entries.size()));
        if (block == blocks || format.outliersPerBlock == 0)
          continue;
        const auto picked = head.pickOutliers(block * format.keysPerBlock);
        entries.insert(entries.end(), picked.begin(), picked.end());
      }
      for (int64_t group = 0; group < groups; ++group)
        for (int64_t chunk = 0; chunk < chunks; ++chunk) {
          const Group g = groupOf(head, group * groupKeys, groupKeys, chunk, format);
          if (!std::isfinite(g.scale))
            return Error::usage(Rule::own("kv-scales"),
                                fmt::format("rows needs a scale past the range of {} at batch {}, head {}, "
                                            "group {}, chunk {}",
                                            format.scaleType.name(), b, h, group, chunk),
                                "scales of float reach further");
          const int64_t at = ((b * heads + h) * groups + group) * chunks + chunk;
          store(out.scales, at, g.scale);
          if (format.zeroType)
            store(out.zeros, at, g.zero);
          uint8_t *const headBytes = &bytes[size_t((b * heads + h) * capacity * pitch)];
          if (g.scale != 0)
            head.eachOf(group * groupKeys, groupKeys, chunk, [&](int64_t key, int64_t d) {
              const float number = std::nearbyint(head.at(key, d) / g.scale + g.zero);
              pack(headBytes, key, d, size, pitch, format, std::clamp(number, g.least, g.most));
            });
        }
    }
  if (format.outliersPerBlock > 0) {
    places.insert(places.end(), entries.begin(), entries.end());
    if (places.size() > std::numeric_limits<uint32_t>::max())
      return Error::usage(Rule::own("too-large"),
                          fmt::format("the side table has {} words, places have 32 bits", places.size()));
    out.outliers = TensorView::contiguous(device.newBuffer(places.data(), places.size() * sizeof(uint32_t)),
                                          DataType::UInt, {int64_t(places.size())});
  }
  return out;
}

} // namespace assay::kernels::foundry
