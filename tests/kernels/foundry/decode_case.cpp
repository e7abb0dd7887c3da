#include "decode_case.h"

#include "emulator/support/numbers/float_bits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace assay::kernels::foundry {

using namespace testing_support;

int DecodeCase::longest() const {
  return int(*std::max_element(lengths.begin(), lengths.end()));
}

void PrintTo(const DecodeCase &c, std::ostream *out) {
  *out << c.name;
}

oracle::DecodeShape decodeShape(int batches, int heads, int kvHeads, int headDim, int capacity, bool bfloat) {
  oracle::DecodeShape s;
  s.batches = batches, s.heads = heads, s.kvHeads = kvHeads, s.headDim = headDim, s.capacity = capacity;
  s.bfloat = bfloat, s.scale = float(1 / std::sqrt(double(headDim)));
  return s;
}

oracle::DecodeOrder orderOf(const DecodeVariant &v) {
  return {v.warps, v.keysPerWarp, v.scalar, v.halfPartials};
}

KernelSet &kernelSet(const NumericsProfile &profile) {
  static KernelSet apple(ownKernelFolder(), {{kAppleNumerics}}), ieee(ownKernelFolder(), {{kIeeeNumerics}});
  KernelSet &kernels = profile == kIeeeNumerics ? ieee : apple;
  kernels.options() = {};
  return kernels;
}

std::vector<uint16_t> bitsOf(const std::vector<float> &values, bool bfloat) {
  std::vector<uint16_t> bits;
  for (const float x : values)
    bits.push_back(bfloat ? bfloatFromFloat(x) : halfFromFloat(x));
  return bits;
}

std::vector<float> valuesOf(const std::vector<uint16_t> &bits, bool bfloat) {
  std::vector<float> values;
  for (const uint16_t x : bits)
    values.push_back(bfloat ? floatFromBfloat(x) : floatFromHalf(x));
  return values;
}

namespace {

template <class T> Buffer bufferOf(const std::vector<T> &values) {
  return Device::systemDefault().newBuffer(values.data(), values.size() * sizeof(T));
}

} // namespace

DecodeRun::DecodeRun(const DecodeCase &c, uint64_t seed) : case_(c) {
  const oracle::DecodeShape &s = c.shape;
  Random random(seed);
  if (case_.lengths.size() == 1)
    case_.lengths.assign(s.batches, c.lengths[0]);
  in_.lengths = case_.lengths;
  in_.q = bitsOf(uniformFloats(s.rowCount() * s.headDim, seed + 1, -c.amplitude, c.amplitude), s.bfloat);
  if (c.padding)
    for (size_t i = 0; i < size_t(s.batches) * s.capacity; ++i)
      in_.padding.push_back(random.below(4) != 0 ? uint8_t(1 + random.below(255)) : 0);
  if (c.mask != MaskType::None)
    for (size_t i = 0; i < s.rowCount() * s.capacity; ++i) {
      const float addend = random.uniform(-3, 1);
      const float kept =
          c.mask == MaskType::Float ? addend : valuesOf(bitsOf({addend}, s.bfloat), s.bfloat)[0];
      in_.mask.push_back(random.below(5) == 0 ? -oracle::kInfinity : kept);
    }
  if (c.rope) {
    const int size = c.ropeSize ? c.ropeSize : s.headDim;
    const RopeTables tables = ropeTables(Device::systemDefault(), 50, size);
    const auto floats = [](const TensorView &t) {
      const auto all = t.buffer.as<float>();
      return std::vector<float>(all.begin(), all.end());
    };
    in_.rope = oracle::DecodeRope{
        floats(tables.cosines), floats(tables.sines), {}, size / 2, *c.rope == RopePairs::Neighbours};
    for (int b = 0; b < s.batches; ++b)
      in_.rope->positions.push_back(random.below(50));
  }
  const auto cache = [&](const std::optional<KvFormat> &format, uint64_t seedOf, float amplitude) {
    std::vector<float> values = uniformFloats(s.cacheCount(), seedOf, -amplitude, amplitude);
    if (format) {
      values = valuesOf(bitsOf(values, s.bfloat), s.bfloat);
      return oracle::quantisedRows(values, s.batches * s.kvHeads, s.capacity, s.headDim, s.capacity,
                                   int(format->elementsPerChunk), format->scaleType == DataType::Half);
    }
    oracle::DecodeCache made;
    made.bits = bitsOf(values, s.bfloat);
    return made;
  };
  in_.k = cache(c.kFormat, seed + 2, c.amplitude);
  in_.v = cache(c.vFormat, seed + 3, 1);
  // NaN where nothing may look. Bytes have none: there the scores of hidden keys are merely large.
  for (int b = 0; b < s.batches; ++b)
    for (int key = 0; key < s.capacity; ++key) {
      const bool hidden =
          uint32_t(key) >= in_.lengths[b] || (c.padding && in_.padding[size_t(b) * s.capacity + key] == 0);
      for (int h = 0; hidden && h < s.kvHeads; ++h)
        for (int d = 0; d < s.headDim; ++d) {
          const size_t at = ((size_t(b) * s.kvHeads + h) * s.capacity + key) * s.headDim + d;
          const auto spoil = [&](oracle::DecodeCache &t) {
            if (t.bytes.empty())
              t.bits[at] = s.bfloat ? 0x7fc1 : 0x7e01;
            else
              t.bytes[at] = -128;
          };
          spoil(in_.k), spoil(in_.v);
        }
    }
  upload();
}

TensorView DecodeRun::cacheTensor(DataType type) const {
  const oracle::DecodeShape &s = case_.shape;
  const std::vector<int64_t> sizes = {s.batches, s.kvHeads, s.capacity, s.headDim};
  if (!case_.spread)
    return TensorView::poisoned(Device::systemDefault(), type, sizes);
  TensorView t;
  t.type = type, t.sizes = sizes, t.offset = 12;
  const int64_t row = s.headDim + 4, head = row * s.capacity + 8, batch = head * s.kvHeads + 4;
  t.strides = {batch, head, row, 1};
  t.buffer = Device::systemDefault().newBuffer(size_t(t.offset + batch * s.batches) * type.bytes());
  t.buffer.poison();
  return t;
}

void DecodeRun::uploadCache(const oracle::DecodeCache &from, const std::optional<KvFormat> &format,
                            KvTensor &to) const {
  const oracle::DecodeShape &s = case_.shape;
  to.format = format;
  to.rows = cacheTensor(format ? DataType::Char : s.bfloat ? DataType::BFloat : DataType::Half);
  const size_t bytes = to.rows.type.bytes();
  const char *source = format ? reinterpret_cast<const char *>(from.bytes.data())
                              : reinterpret_cast<const char *>(from.bits.data());
  for (int b = 0; b < s.batches; ++b)
    for (int h = 0; h < s.kvHeads; ++h)
      for (int key = 0; key < s.capacity; ++key)
        std::memcpy(
            static_cast<char *>(to.rows.buffer.contents()) +
                (to.rows.offset + b * to.rows.stride(0) + h * to.rows.stride(1) + key * to.rows.stride(2)) *
                    bytes,
            source + ((size_t(b) * s.kvHeads + h) * s.capacity + key) * s.headDim * bytes, s.headDim * bytes);
  if (!format)
    return;
  const std::vector<int64_t> sizes = {s.batches, s.kvHeads, (s.capacity + 31) / 32,
                                      (s.headDim + from.chunk - 1) / from.chunk};
  const Buffer scales =
      format->scaleType == DataType::Half ? bufferOf(bitsOf(from.scales, false)) : bufferOf(from.scales);
  to.scales = TensorView::contiguous(scales, format->scaleType, sizes);
}

void DecodeRun::upload() {
  const oracle::DecodeShape &s = case_.shape;
  const int64_t model = int64_t(s.heads) * s.headDim;
  const DataType type = s.bfloat ? DataType::BFloat : DataType::Half;
  FlashDecodeArguments &a = arguments_;
  a = {};
  a.q = TensorView::poisoned(Device::systemDefault(), type, {s.batches, case_.qRows, model});
  a.out = TensorView::poisoned(Device::systemDefault(), type, {s.batches, case_.qRows, model});
  for (int b = 0; b < s.batches; ++b)
    std::memcpy(a.q.buffer.as<uint16_t>().data() + b * a.q.stride(0), in_.q.data() + b * model, model * 2);
  if (case_.qRows > 1)
    a.queries = 1;
  uploadCache(in_.k, case_.kFormat, a.k);
  uploadCache(in_.v, case_.vFormat, a.v);
  a.kvLength = case_.longest();
  if (std::any_of(in_.lengths.begin(), in_.lengths.end(), [&](uint32_t n) { return n != a.kvLength; }))
    a.kvLengths = TensorView::contiguous(bufferOf(in_.lengths), DataType::UInt, {s.batches});
  if (!in_.padding.empty())
    a.padding = TensorView::contiguous(bufferOf(in_.padding), DataType::UChar, {s.batches, s.capacity});
  if (case_.mask == MaskType::Float)
    a.mask = TensorView::contiguous(bufferOf(in_.mask), DataType::Float, {s.batches, s.heads, s.capacity});
  if (case_.mask == MaskType::OfQ)
    a.mask =
        TensorView::contiguous(bufferOf(bitsOf(in_.mask, s.bfloat)), type, {s.batches, s.heads, s.capacity});
  if (in_.rope) {
    const int64_t pairs = in_.rope->pairs, positions = int64_t(in_.rope->cosines.size()) / pairs;
    RopeArguments rope;
    rope.cosines = TensorView::contiguous(bufferOf(in_.rope->cosines), DataType::Float, {positions, pairs});
    rope.sines = TensorView::contiguous(bufferOf(in_.rope->sines), DataType::Float, {positions, pairs});
    rope.positions = TensorView::contiguous(bufferOf(in_.rope->positions), DataType::UInt, {s.batches});
    rope.pairs = in_.rope->neighbours ? RopePairs::Neighbours : RopePairs::Halves;
    a.rope = rope;
  }
  a.scale = s.scale;
}

::testing::AssertionResult DecodeRun::dispatch(KernelSet &kernels, std::optional<DecodeVariant> variant) {
  arguments_.out.buffer.poison();
  const Result<FlashDecodeReport> report =
      dispatchFlashDecode(kernels, arguments_, variant.value_or(case_.variant));
  if (!report)
    return ::testing::AssertionFailure() << renderDiagnostics(report.error().diagnostics);
  return ::testing::AssertionSuccess();
}

std::vector<uint16_t> DecodeRun::output() const {
  std::vector<uint16_t> row;
  const std::span<const uint16_t> all = arguments_.out.buffer.as<uint16_t>();
  for (int b = 0; b < case_.shape.batches; ++b) {
    const auto first = all.begin() + b * arguments_.out.stride(0);
    row.insert(row.end(), first, first + arguments_.out.size(2));
  }
  return row;
}

::testing::AssertionResult DecodeRun::restUntouched() const {
  const std::span<const uint16_t> all = arguments_.out.buffer.as<uint16_t>();
  const int64_t batch = arguments_.out.stride(0), row = arguments_.out.size(2);
  for (size_t i = 0; i < all.size(); ++i)
    if (int64_t(i) % batch >= row && all[i] != 0xa5a5)
      return ::testing::AssertionFailure()
             << fmt::format("element {} of the output was written: {:04x}", i, all[i]);
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult withinBound(const std::vector<uint16_t> &bits, bool bfloat,
                                       const oracle::DecodeReference &reference) {
  const std::vector<float> values = valuesOf(bits, bfloat);
  if (values.size() != reference.out.size())
    return ::testing::AssertionFailure()
           << fmt::format("{} values, {} expected", values.size(), reference.out.size());
  double worst = 0;
  size_t where = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double error = std::fabs(values[i] - reference.out[i]);
    const double ratio = error == 0 ? 0 : error <= reference.bound[i] ? error / reference.bound[i] : INFINITY;
    if (ratio > worst || std::isnan(error))
      worst = std::isnan(error) ? INFINITY : ratio, where = i;
  }
  if (worst <= 1)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << fmt::format("element {}: {} is more than {} away from {}", where, values[where],
                        reference.bound[where], reference.out[where]);
}

void recordError(const std::vector<uint16_t> &bits, bool bfloat, const oracle::DecodeReference &reference) {
  const std::vector<float> values = valuesOf(bits, bfloat);
  double error = 0, bound = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    error = std::max(error, std::fabs(values[i] - reference.out[i]));
    bound = std::max(bound, reference.bound[i]);
  }
  ::testing::Test::RecordProperty("largest_error", fmt::format("{:.3g}", error));
  ::testing::Test::RecordProperty("largest_bound", fmt::format("{:.3g}", bound));
}

} // namespace assay::kernels::foundry
