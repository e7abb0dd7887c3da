#include "kv_quantizer.h"

#include "emulator/support/numbers/float_bits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::kernels::foundry {
namespace {

/// Elements of a 16-bit tensor of four axes, as floats.
class Elements {
public:
  explicit Elements(const TensorView &t) : t_(t), data_(t.buffer.as<uint16_t>()) {}
  float at(int64_t batch, int64_t head, int64_t key, int64_t element) const {
    const uint16_t bits =
        data_[t_.offset + batch * t_.stride(0) + head * t_.stride(1) + key * t_.stride(2) + element];
    return t_.type == DataType::Half ? floatFromHalf(bits) : floatFromBfloat(bits);
  }

private:
  const TensorView &t_;
  std::span<const uint16_t> data_;
};

void storeScale(TensorView &scales, int64_t index, float scale) {
  if (scales.type == DataType::Half)
    scales.buffer.as<uint16_t>()[index] = halfFromFloat(scale);
  else
    scales.buffer.as<float>()[index] = scale;
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
  const int64_t block = format.keysPerBlock, chunk = format.elementsPerChunk;
  const int64_t blocks = (capacity + block - 1) / block, chunks = (size + chunk - 1) / chunk;

  KvTensor out;
  out.format = format;
  out.rows = TensorView::contiguous(device.newBuffer(size_t(rows.count())), DataType::Char, rows.sizes);
  out.scales = TensorView::contiguous(
      device.newBuffer(size_t(batches * heads * blocks * chunks) * format.scaleType.bytes()),
      format.scaleType, {batches, heads, blocks, chunks});
  const Elements in(rows);
  const std::span<int8_t> bytes = out.rows.buffer.as<int8_t>();
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t firstKey = 0; firstKey < length; firstKey += block)
        for (int64_t first = 0; first < size; first += chunk) {
          const int64_t endKey = std::min(firstKey + block, length), end = std::min(first + chunk, size);
          float largest = 0;
          for (int64_t key = firstKey; key < endKey; ++key)
            for (int64_t d = first; d < end; ++d) {
              const float x = in.at(b, h, key, d);
              if (!std::isfinite(x))
                return Error::usage(Rule::own("kv-finite"),
                                    fmt::format("rows has {} at batch {}, head {}, key {}, element {}, int8 "
                                                "has finite numbers alone",
                                                x, b, h, key, d));
              largest = std::max(largest, std::fabs(x));
            }
          float scale = largest / 127.0f;
          if (format.scaleType == DataType::Half)
            scale = floatFromHalf(halfFromFloat(scale));
          storeScale(out.scales, ((b * heads + h) * blocks + firstKey / block) * chunks + first / chunk,
                     scale);
          if (scale == 0)
            continue;
          for (int64_t key = firstKey; key < endKey; ++key)
            for (int64_t d = first; d < end; ++d) {
              const float steps = std::nearbyint(in.at(b, h, key, d) / scale);
              bytes[((b * heads + h) * capacity + key) * size + d] =
                  int8_t(std::clamp(steps, -127.0f, 127.0f));
            }
        }
  return out;
}

} // namespace assay::kernels::foundry
