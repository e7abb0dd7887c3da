#include "quantised_case.h"

#include "kernels_msl/foundry/kv_quantizer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::kernels::foundry {

using namespace testing_support;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
TensorView tensorOf(const std::vector<T> &data, DataType type, std::vector<int64_t> sizes) {
  return TensorView::contiguous(Device::systemDefault().newBuffer(data.data(), data.size() * sizeof(T)), type,
                                std::move(sizes));
}

/// Floats that are numbers of the type, in its bytes.
TensorView numbersOf(const std::vector<float> &values, DataType type, std::vector<int64_t> sizes) {
  if (type == DataType::Float)
    return tensorOf(values, type, std::move(sizes));
  if (type == DataType::Half)
    return tensorOf(bitsOf(values, false), type, std::move(sizes));
  return tensorOf(std::vector<int8_t>(values.begin(), values.end()), type, std::move(sizes));
}

/// The same rows with 16 bytes between rows (if they may have gaps), 48 between heads and an offset: all
/// multiples of 16.
TensorView spread(const TensorView &t, bool gaps = true) {
  const int64_t row = gaps ? (t.size(3) + 31) / 16 * 16 : t.size(3), head = row * t.size(2) + 48,
                batch = head * t.size(1) + 16;
  TensorView out = t;
  out.strides = {batch, head, row, 1}, out.offset = 32;
  const int64_t size = int64_t(t.type.bytes());
  out.buffer = Device::systemDefault().newBuffer(size_t((out.offset + batch * t.size(0)) * size));
  out.buffer.poison();
  for (int64_t b = 0; b < t.size(0); ++b)
    for (int64_t h = 0; h < t.size(1); ++h)
      for (int64_t key = 0; key < t.size(2); ++key)
        std::memcpy(out.buffer.as<char>().data() + (out.offset + b * batch + h * head + key * row) * size,
                    t.buffer.as<char>().data() +
                        (b * t.stride(0) + h * t.stride(1) + key * t.stride(2)) * size,
                    size_t(t.size(3) * size));
  return out;
}

std::vector<float> floatsOf(const TensorView &t) {
  if (t.type == DataType::Float) {
    const auto all = t.buffer.as<float>();
    return {all.begin(), all.end()};
  }
  if (t.type == DataType::Half) {
    const auto all = t.buffer.as<uint16_t>();
    return valuesOf({all.begin(), all.end()}, false);
  }
  const auto all = t.buffer.as<int8_t>();
  return {all.begin(), all.end()};
}

} // namespace

oracle::KvCache cacheOf(const KvTensor &t, bool bfloat) {
  const KvFormat &f = *t.format;
  const int perByte = 8 / f.bits, heads = int(t.rows.size(0) * t.rows.size(1));
  oracle::KvCache c;
  c.shape = {heads,
             int(t.rows.size(2)),
             int(t.rows.size(3)) * perByte,
             f.bits,
             int(f.keysPerBlock),
             int(f.elementsPerChunk),
             f.scaleLayout == KvScaleLayout::PerChannelChunk,
             bfloat,
             f.packing == KvPacking::TileMajorBytes};
  const auto bytes = t.rows.buffer.as<uint8_t>();
  c.numbers.assign(c.shape.tiles ? c.shape.count() : 0, 0);
  for (size_t i = 0, chunk = 0; i < c.numbers.size(); i += chunk) { // a key's part of a chunk
    const size_t block = size_t(c.shape.block), tile = i / (block * c.shape.size);
    const size_t inTile = i % (block * c.shape.size),
                 first = inTile / (block * c.shape.chunk) * c.shape.chunk;
    chunk = std::min<size_t>(c.shape.chunk, c.shape.size - first);
    const size_t key = (inTile - first * block) / chunk;
    for (size_t d = 0; d < chunk; ++d)
      c.numbers[(tile * block + key) * c.shape.size + first + d] = int8_t(bytes[i + d]);
  }
  for (size_t i = c.numbers.size(); i < c.shape.count(); ++i) {
    const size_t row = i / c.shape.size, d = i % c.shape.size;
    const int byte = bytes[row * size_t(t.rows.stride(2)) + d / perByte];
    const int bits = f.bits == 8 ? byte : d % 2 == 0 ? byte % 16 : byte / 16, half = 1 << (f.bits - 1);
    c.numbers.push_back(bits < half ? bits : bits - 2 * half);
  }
  c.scales = floatsOf(t.scales);
  if (f.zeroType)
    c.zeros = floatsOf(t.zeros);
  if (f.outliersPerBlock > 0) {
    const auto table = t.outliers.buffer.as<uint32_t>();
    for (int head = 0; head < heads; ++head)
      for (int block = 0; block < c.shape.blocks(); ++block)
        for (uint32_t i = table[head * (c.shape.blocks() + 1) + block];
             i < table[head * (c.shape.blocks() + 1) + block + 1]; ++i)
          c.outliers[c.shape.element(head, block * c.shape.block, 0) + table[i] / 65536] =
              uint16_t(table[i] % 65536);
  }
  return c;
}

void PrintTo(const QuantisedTest &t, std::ostream *out) {
  *out << t.name;
}

QuantisedCase::QuantisedCase(const QuantisedTest &t, uint64_t seed) : test(t), random_(seed) {
  if (test.capacity == 0)
    test.capacity = test.keys;
  shape.batches = t.batches, shape.heads = t.heads, shape.keyHeads = t.kvHeads, shape.queries = t.queries;
  shape.keys = t.keys, shape.size = t.size, shape.causal = t.causal, shape.bfloat = t.bfloat;
  shape.queryStart = t.keys - t.queries, shape.scale = float(1 / std::sqrt(double(t.size)));
  q = valuesOf(bitsOf(uniformFloats(size_t(shape.rows()) * t.size, seed + 1, -t.range, t.range), t.bfloat),
               t.bfloat);
  if (t.padding) {
    padding.emplace();
    for (int i = 0; i < t.batches * t.keys; ++i)
      padding->push_back(random_.below(4) == 0 ? 0 : uint8_t(1 + random_.below(255)));
  }
  k = makeSide(t.k, t.range), v = makeSide(t.v, 1);
  bind();
}

QuantisedSide QuantisedCase::makeSide(const std::optional<KvFormat> &format, float range) {
  QuantisedSide side;
  side.format = format;
  const int heads = test.batches * test.kvHeads, capacity = test.capacity, size = test.size;
  const auto counts = [&](int head, int key) { // whether anything may look
    return key < test.keys && (!padding || (*padding)[size_t(head / test.kvHeads) * test.keys + key] != 0);
  };
  if (!format) {
    for (int i = 0; i < heads * capacity * size; ++i) {
      const float x = random_.uniform(-range, range);
      side.typed.push_back(
          bitsOf({counts(i / (capacity * size), i / size % capacity) ? x : kNan}, test.bfloat)[0]);
    }
    return side;
  }
  oracle::KvCache &c = side.cache;
  c.shape = {heads,
             capacity,
             size,
             format->bits,
             int(format->keysPerBlock),
             int(format->elementsPerChunk),
             format->scaleLayout == KvScaleLayout::PerChannelChunk,
             test.bfloat,
             format->packing == KvPacking::TileMajorBytes};
  const int half = 1 << (format->bits - 1);
  for (size_t i = 0; i < c.shape.count(); ++i)
    c.numbers.push_back(int(random_.below(2 * half)) - half);
  for (int i = 0; i < heads * c.shape.groups() * c.shape.chunks(); ++i) {
    const int firstKey = i / c.shape.chunks() % c.shape.groups() * c.shape.block;
    float scale = random_.uniform(range / float(2 * half), range / float(half));
    if (test.representable)
      scale = std::exp2(std::floor(std::log2(scale)));
    if (format->scaleType == DataType::Half)
      scale = valuesOf(bitsOf({scale}, false), false)[0];
    c.scales.push_back(!c.shape.perChannel && firstKey >= test.keys ? kNan : scale);
    if (!format->zeroType)
      continue;
    float zero = float(int(random_.below(half)) - half / 2);
    if (*format->zeroType != DataType::Char && !test.representable)
      zero += random_.uniform(-0.5f, 0.5f);
    if (*format->zeroType == DataType::Half)
      zero = valuesOf(bitsOf({zero}, false), false)[0];
    c.zeros.push_back(zero);
  }
  // Each block has from none to the most that it may: the first is full, the second is empty.
  for (int head = 0; head < heads && format->outliersPerBlock > 0; ++head)
    for (int block = 0; block < c.shape.blocks(); ++block) {
      const int keys = std::min(c.shape.block, capacity - block * c.shape.block);
      const int count = block == 0   ? int(format->outliersPerBlock)
                        : block == 1 ? 0
                                     : int(random_.below(uint32_t(format->outliersPerBlock) + 1));
      for (int i = 0; i < count; ++i) {
        const int key = block * c.shape.block + int(random_.below(uint32_t(keys)));
        const float x = random_.uniform(-20 * range, 20 * range);
        c.outliers[c.shape.element(head, key, int(random_.below(uint32_t(size))))] =
            bitsOf({counts(head, key) ? x : kNan}, test.bfloat)[0];
      }
    }
  return side;
}

void QuantisedCase::quantise(QuantisedSide &side, const std::vector<float> &rows, const KvFormat &format) {
  const TensorView typed =
      tensorOf(bitsOf(rows, test.bfloat), type(), {test.batches, test.kvHeads, test.capacity, test.size});
  const Result<KvTensor> made = quantizeKv(Device::systemDefault(), typed, test.keys, format);
  ASSERT_TRUE(succeeded(made));
  side.format = format, side.cache = cacheOf(*made, test.bfloat);
  bind();
  // The oracle's layout of the same cache is the quantiser's.
  const auto same = [](const TensorView &a, const TensorView &b) {
    return !a.given() && !b.given() ? ::testing::AssertionSuccess()
                                    : bitsEqual(a.buffer.as<uint8_t>(), b.buffer.as<uint8_t>());
  };
  EXPECT_TRUE(same(made->rows, side.tensor.rows));
  EXPECT_TRUE(same(made->scales, side.tensor.scales));
  EXPECT_TRUE(same(made->zeros, side.tensor.zeros));
  EXPECT_TRUE(same(made->outliers, side.tensor.outliers));
}

void QuantisedCase::setTyped(QuantisedSide &side, const std::vector<float> &rows) {
  side.format.reset();
  side.typed = bitsOf(rows, test.bfloat);
}

void QuantisedCase::bindSide(QuantisedSide &side) {
  const std::vector<int64_t> sizes = {test.batches, test.kvHeads, test.capacity, test.size};
  side.tensor = {};
  side.tensor.format = side.format;
  if (!side.format) {
    side.view = tensorOf(side.typed, type(), sizes);
    if (test.spread)
      side.view = spread(side.view);
    side.tensor.rows = side.view;
    return;
  }
  const oracle::KvCacheShape &s = side.cache.shape;
  std::vector<int64_t> bytes = sizes;
  bytes[3] = bytes[3] * s.bits / 8;
  side.tensor.rows =
      tensorOf(oracle::kvBytes(side.cache), s.bits == 4 ? DataType::UChar : DataType::Char, bytes);
  if (test.spread)
    side.tensor.rows = spread(side.tensor.rows, !s.tiles);
  const std::vector<int64_t> groups = {test.batches, test.kvHeads, s.groups(), s.chunks()};
  side.tensor.scales = numbersOf(side.cache.scales, side.format->scaleType, groups);
  if (side.format->zeroType)
    side.tensor.zeros = numbersOf(side.cache.zeros, *side.format->zeroType, groups);
  if (side.format->outliersPerBlock > 0) {
    const std::vector<uint32_t> table = oracle::kvSideTable(side.cache);
    side.tensor.outliers = tensorOf(table, DataType::UInt, {int64_t(table.size())});
  }
}

void QuantisedCase::bind() {
  bindSide(k), bindSide(v);
  const TensorView noView;
  TensorView paddingView;
  if (padding)
    paddingView = tensorOf(*padding, DataType::UChar, {test.batches, test.keys});
  const std::vector<uint16_t> queries = bitsOf(q, test.bfloat);

  PrefillArguments &p = prefill;
  p = {};
  p.q = tensorOf(queries, type(), {test.batches, test.heads, test.queries, test.size});
  p.out = TensorView::poisoned(Device::systemDefault(), type(), p.q.sizes);
  k.format ? void(p.kCache = k.tensor) : void(p.k = k.view);
  v.format ? void(p.vCache = v.tensor) : void(p.v = v.view);
  p.padding = paddingView, p.keys = test.keys, p.causal = test.causal, p.scale = shape.scale;

  FlashDecodeArguments &d = decode;
  d = {};
  if (test.queries != 1)
    return;
  d.q = tensorOf(queries, type(), {test.batches, 1, int64_t(test.heads) * test.size});
  d.out = p.out;
  d.out.sizes = d.q.sizes, d.out.strides = d.q.strides;
  d.k = k.tensor, d.v = v.tensor, d.padding = paddingView, d.kvLength = test.keys, d.scale = shape.scale;
}

template <class Profile> std::vector<float> QuantisedCase::elements(const QuantisedSide &side) const {
  const std::vector<float> all =
      side.format ? oracle::kvElements<Profile>(side.cache) : valuesOf(side.typed, test.bfloat);
  std::vector<float> some;
  for (int head = 0; head < test.batches * test.kvHeads; ++head) {
    const auto first = all.begin() + int64_t(head) * test.capacity * test.size;
    some.insert(some.end(), first, first + int64_t(test.keys) * test.size);
  }
  return some;
}
template std::vector<float> QuantisedCase::elements<oracle::Apple>(const QuantisedSide &) const;
template std::vector<float> QuantisedCase::elements<oracle::Ieee>(const QuantisedSide &) const;

std::vector<uint16_t> QuantisedCase::out() const {
  const auto bits = prefill.out.buffer.as<uint16_t>();
  return {bits.begin(), bits.end()};
}

template <class Profile> std::vector<uint16_t> QuantisedCase::prefillExact(const PrefillPlan &plan) const {
  oracle::PrefillShape s = shape;
  s.tileRows = plan.warps * 4;
  const oracle::PrefillInputs in = inputs<Profile>();
  if (plan.splitK == 1)
    return oracle::prefillExact<Profile>(s, in);
  return oracle::prefillReduceExact<Profile>(s, oracle::prefillPartExact<Profile>(s, in, plan.splitK),
                                             plan.splitK);
}
template std::vector<uint16_t> QuantisedCase::prefillExact<oracle::Apple>(const PrefillPlan &) const;
template std::vector<uint16_t> QuantisedCase::prefillExact<oracle::Ieee>(const PrefillPlan &) const;

oracle::DecodeShape QuantisedCase::decodeShape() const {
  oracle::DecodeShape s;
  s.batches = test.batches, s.heads = test.heads, s.kvHeads = test.kvHeads, s.headDim = test.size;
  s.capacity = test.capacity, s.scale = shape.scale, s.bfloat = test.bfloat;
  return s;
}

oracle::DecodeInputs QuantisedCase::decodeInputs() const {
  oracle::DecodeInputs in;
  in.q = bitsOf(q, test.bfloat);
  in.lengths.assign(test.batches, uint32_t(test.keys));
  for (const auto &[side, cache] : {std::pair(&k, &in.k), std::pair(&v, &in.v)}) {
    if (side->format)
      *cache = oracle::asDecodeCache(side->cache);
    else
      cache->bits = side->typed;
    EXPECT_TRUE(!cache->bytes.empty() || !cache->bits.empty())
        << "the decode's oracle does not know this cache";
  }
  for (int b = 0; b < test.batches && padding; ++b)
    for (int key = 0; key < test.capacity; ++key)
      in.padding.push_back(key < test.keys ? (*padding)[size_t(b) * test.keys + key] : 0);
  return in;
}

::testing::AssertionResult QuantisedCase::withinBound(int splits) const {
  const oracle::PrefillReference r = reference(splits);
  return foundry::withinBound(out(), test.bfloat, {r.out, r.bound});
}

} // namespace assay::kernels::foundry
