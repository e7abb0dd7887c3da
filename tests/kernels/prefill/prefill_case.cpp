#include "prefill_case.h"

#include "tests/kernels/oracles/f32.h"
#include "tests/support/kernel_data.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace assay::testing_support {

using kernels::TensorView;

namespace {

constexpr uint16_t kGap = 0xffff; // a NaN of both types, and none that arithmetic makes

std::vector<uint16_t> uniform(Random &random, TileElement element, size_t count, float range) {
  std::vector<uint16_t> out(count);
  for (uint16_t &x : out)
    x = oracle::toElement(element, random.uniform(-range, range));
  return out;
}

std::vector<uint16_t> makeMask(const PrefillCase &c, Random &random) {
  const TiledAttentionShape &s = c.shape;
  const bool additive = s.mask == TileMask::Additive;
  const auto cell = [&](bool masked, float value) {
    return additive ? oracle::toElement(s.element, masked ? -oracle::kInfinity : value) : uint16_t(!masked);
  };
  std::vector<uint16_t> mask(s.maskCount());
  std::vector<uint32_t> kinds;
  for (size_t i = 0; i < mask.size(); ++i) {
    const int query = int(i / s.keys % s.queries), key = int(i % s.keys);
    const size_t plane = i / s.keys / s.queries;
    const size_t tile = (plane * s.tilesDown() + query / s.tileQueries) * s.tilesAcross() + key / s.tileKeys;
    while (kinds.size() <= tile)
      kinds.push_back(random.below(3));
    const bool dead = c.pattern == MaskPattern::DeadRows && query % 5 == 4;
    const bool masked = kinds[tile] == 0 || (kinds[tile] == 1 && random.below(4) == 0);
    const float bias = kinds[tile] == 1 ? random.uniform(-2, 2) : 0;
    mask[i] = cell(dead || masked, bias);
  }
  return mask;
}

/// Calls visit(index in memory) for each element, in order.
template <class Visit> void forEachElement(const TensorView &t, Visit visit) {
  std::vector<int64_t> at(t.sizes.size(), 0);
  for (int64_t n = t.count(); n > 0; --n) {
    int64_t index = t.offset;
    for (size_t axis = 0; axis < at.size(); ++axis)
      index += at[axis] * t.strides[axis];
    visit(size_t(index));
    for (size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < t.sizes[axis])
        break;
      at[axis] = 0;
    }
  }
}

TensorView placedRows(const Device &device, DataType type, const std::vector<uint16_t> &values,
                      std::vector<int64_t> sizes, Layout layout) {
  const int64_t heads = sizes[1], rows = sizes[2], size = sizes[3];
  switch (layout) {
  case Layout::Contiguous: break;
  case Layout::HeadsInside:
    return placed(device, type, values, sizes, {rows * heads * size, size, heads * size, 1}, 4);
  case Layout::Capacity: {
    const int64_t row = size + 3, head = (rows + 5) * row;
    return placed(device, type, values, sizes, {heads * head + 1, head, row, 1}, 7);
  }
  }
  return placed(device, type, values, sizes, {heads * rows * size, rows * size, size, 1}, 0);
}

} // namespace

void PrintTo(const PrefillCase &c, std::ostream *out) {
  *out << c.name;
}

PrefillCase prefillCase(std::string name, TileElement element, int size, int heads, int gqa, int queries,
                        int keys) {
  PrefillCase c{std::move(name), {}};
  c.shape.element = element;
  c.shape.size = size;
  c.shape.queryHeads = heads;
  c.shape.gqa = gqa;
  c.shape.queries = queries;
  c.shape.keys = keys;
  c.shape.tileQueries = size == 512 ? 8 : 32;
  c.shape.tileKeys = size == 512 ? 8 : 16;
  c.shape.scale = 1 / std::sqrt(float(size));
  return c;
}

PrefillCase sharedCase(std::string name, TileElement element, int heads, int gqa, int queries, int keys) {
  PrefillCase c = prefillCase(std::move(name), element, 512, heads, gqa, queries, keys);
  c.shape.tilesTogether = 8;
  return c;
}

TiledAttentionInputs makePrefillInputs(const PrefillCase &c, uint64_t seed, float range) {
  Random random(seed);
  TiledAttentionInputs in;
  in.q = uniform(random, c.shape.element, c.shape.queryCount(), range);
  in.k = uniform(random, c.shape.element, c.shape.keyCount(), range);
  in.v = uniform(random, c.shape.element, c.shape.keyCount(), range);
  if (c.shape.mask != TileMask::None)
    in.mask = makeMask(c, random);
  return in;
}

TensorView placed(const Device &device, DataType type, const std::vector<uint16_t> &values,
                  std::vector<int64_t> sizes, std::vector<int64_t> strides, int64_t offset) {
  TensorView t{{}, type, std::move(sizes), std::move(strides), offset};
  size_t end = 0;
  forEachElement(t, [&](size_t index) { end = std::max(end, index + 1); });
  t.buffer = device.newBuffer(end * type.bytes());
  t.buffer.fill(0xff);
  size_t i = 0;
  forEachElement(t, [&](size_t index) {
    if (type.bytes() == 1)
      t.buffer.as<uint8_t>()[index] = uint8_t(values[i++]);
    else
      t.buffer.as<uint16_t>()[index] = values[i++];
  });
  return t;
}

PrefillTensors::PrefillTensors(const Device &device, const PrefillCase &c, const TiledAttentionInputs &in)
    : shape_(c.shape) {
  const TiledAttentionShape &s = c.shape;
  const DataType type = s.element == TileElement::Bfloat ? DataType::BFloat : DataType::Half;
  kernels::PrefillArguments &a = arguments;
  a.q = placedRows(device, type, in.q, {s.batches, s.queryHeads, s.queries, s.size}, c.layout);
  a.k = placedRows(device, type, in.k, {s.batches, s.keyHeads(), s.keys, s.size}, c.layout);
  a.v = placedRows(device, type, in.v, {s.batches, s.keyHeads(), s.keys, s.size}, c.layout);
  a.o = placedRows(device, type, std::vector<uint16_t>(s.queryCount(), kGap),
                   {s.batches, s.queryHeads, s.queries, s.size}, c.layout);
  a.scale = s.scale;
  a.causal = s.causal;
  a.queryOffset = s.queryOffset;
  a.simdgroups = s.tilesTogether > 1 ? 8 : s.tileQueries / 8;
  if (s.mask == TileMask::None)
    return;
  const DataType maskType = s.mask == TileMask::Bool ? DataType::Bool : type;
  const int64_t row = s.keys + (c.layout == Layout::Contiguous ? 0 : 3);
  if (s.oneMask)
    a.mask = placed(device, maskType, in.mask, {s.queries, s.keys}, {row, 1}, row - s.keys);
  else
    a.mask = placed(device, maskType, in.mask, {s.batches, s.queryHeads, s.queries, s.keys},
                    {s.queryHeads * s.queries * row, s.queries * row, row, 1}, row - s.keys);
}

void PrefillTensors::poisonOutput() {
  arguments.o.buffer.fill(0xff);
}

std::vector<uint16_t> PrefillTensors::output() const {
  std::vector<uint16_t> out;
  forEachElement(arguments.o, [&](size_t index) { out.push_back(arguments.o.buffer.as<uint16_t>()[index]); });
  return out;
}

::testing::AssertionResult PrefillTensors::onlyOutputWritten() const {
  const auto all = arguments.o.buffer.as<uint16_t>();
  std::vector<uint16_t> rest(all.begin(), all.end());
  forEachElement(arguments.o, [&](size_t index) { rest[index] = kGap; });
  for (size_t i = 0; i < rest.size(); ++i)
    if (rest[i] != kGap)
      return ::testing::AssertionFailure()
             << "element " << i << " of O's buffer is no element of O and was written";
  return ::testing::AssertionSuccess();
}

std::vector<int8_t> bytesOf(const TensorView &classes) {
  std::vector<int8_t> out;
  forEachElement(classes, [&](size_t index) { out.push_back(classes.buffer.as<int8_t>()[index]); });
  return out;
}

} // namespace assay::testing_support
