// One attention problem as the dispatchers take it: tensors in several layouts, made of an oracle's inputs.
#pragma once

#include "kernels_msl/training/flash_attn_train.h"

#include "tests/kernels/oracles/attention_cases.h"
#include "tests/kernels/oracles/f32.h"
#include "tests/kernels/oracles/tiled_attention.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace assay::train_test {

using namespace kernels;
using namespace oracle;
using namespace testing_support;

/// How [batch, head, row, size] lies in memory.
enum class Layout {
  HeadsOutside, ///< packed
  HeadsInside,  ///< [batch, row, head, size]
  Gaps,         ///< elements that nobody owns between rows, heads and batches, and in front
  FarRows,      ///< rows 2^28 elements apart, in memory that exists where it is touched
};

/// Memory for a tensor of four axes; poisoned, but for FarRows.
inline TensorView makeTensor(DataType type, std::vector<int64_t> sizes, Layout layout) {
  TensorView t = TensorView::contiguous({}, type, std::move(sizes));
  const int64_t heads = t.size(1), rows = t.size(2), size = t.size(3);
  if (layout == Layout::HeadsInside)
    t.strides = {rows * heads * size, size, heads * size, 1};
  if (layout == Layout::Gaps) {
    const int64_t row = size + 8, head = rows * row + 24;
    t.strides = {heads * head + 40, head, row, 1};
    t.offset = 16;
  }
  if (layout == Layout::FarRows) {
    const int64_t row = int64_t(1) << 28;
    t.strides = {heads * rows * row, rows * row, row, 1};
  }
  int64_t last = t.offset;
  for (size_t axis = 0; axis < 4; ++axis)
    last += (t.size(axis) - 1) * t.stride(axis);
  t.buffer = Device::systemDefault().newBuffer(size_t(last + 1) * type.bytes());
  if (layout != Layout::FarRows)
    t.buffer.poison();
  return t;
}

/// Calls visit(index in memory) for every element, the last axis innermost.
template <class Visit> void forEachElement(const TensorView &t, Visit visit) {
  for (int64_t b = 0; b < t.size(0); ++b)
    for (int64_t h = 0; h < t.size(1); ++h)
      for (int64_t r = 0; r < t.size(2); ++r)
        for (int64_t d = 0; d < t.size(3); ++d)
          visit(size_t(t.offset + b * t.stride(0) + h * t.stride(1) + r * t.stride(2) + d * t.stride(3)));
}

template <class T>
TensorView tensorOf(DataType type, std::vector<int64_t> sizes, Layout layout, const std::vector<T> &values) {
  TensorView t = makeTensor(type, std::move(sizes), layout);
  T *memory = t.buffer.as<T>().data();
  size_t i = 0;
  forEachElement(t, [&](size_t at) { memory[at] = values[i++]; });
  return t;
}

inline TensorView floats(std::vector<int64_t> sizes, const std::vector<float> &values) {
  return TensorView::contiguous(Device::systemDefault().newBuffer(values.data(), values.size() * 4),
                                DataType::Float, std::move(sizes));
}

template <class T> std::vector<T> valuesOf(const TensorView &t) {
  if (t.sizes.size() != 4) {
    const auto all = t.buffer.as<T>();
    return {all.begin(), all.end()};
  }
  std::vector<T> values;
  forEachElement(t, [&](size_t at) { values.push_back(t.buffer.as<T>()[at]); });
  return values;
}

/// Whether all that is not an element of the tensor is still poison.
inline ::testing::AssertionResult gapsArePoison(const TensorView &t) {
  std::vector<uint8_t> poison(t.buffer.length(), Buffer::kPoisonByte),
      now(t.buffer.as<uint8_t>().begin(), t.buffer.as<uint8_t>().end());
  const size_t bytes = t.type.bytes();
  forEachElement(t, [&](size_t at) { std::memset(&now[at * bytes], Buffer::kPoisonByte, bytes); });
  return bitsEqual(poison, now);
}

struct Problem {
  std::string name;
  AttentionShape shape;
  MaskKind mask = MaskKind::None;
  Layout layout = Layout::HeadsOutside;
  float inputSize = 1;
  bool boolMask = false; ///< the mask's -inf as false, all else as true

  friend void PrintTo(const Problem &p, std::ostream *out) { *out << p.name; }
};

inline std::string problemName(const ::testing::TestParamInfo<Problem> &info) {
  return info.param.name;
}

inline AttentionShape shapeOf(int size, int batches, int heads, int gqa, int queries, int keys,
                              bool causal = false, int queryOffset = 0) {
  AttentionShape s;
  s.batches = batches, s.queryHeads = heads, s.gqa = gqa, s.queries = queries, s.keys = keys, s.size = size;
  s.causal = causal, s.queryOffset = queryOffset, s.scale = 1.0f / std::sqrt(float(size));
  return s;
}

/// The inputs of a problem, for oracles and for dispatchers.
struct Inputs {
  Problem problem;
  AttentionShape s;
  AttentionInputs in; ///< a bool mask as cells of 0 and -inf, which is what it means

  explicit Inputs(const Problem &p, uint64_t seed = 51)
      : problem(p), s(p.shape), in(makeAttentionCase(p.shape, p.mask, seed, p.inputSize)) {
    if (!p.boolMask)
      return;
    for (uint16_t &cell : *in.mask)
      if (fromBfloat(cell) != -kInfinity)
        cell = 0;
    const AttentionForward forward = attentionForwardReference(s, AttentionReals::from(in));
    in.logSumExp.assign(forward.logSumExp.begin(), forward.logSumExp.end());
    in.rowDot.assign(forward.rowDot.begin(), forward.rowDot.end());
  }

  std::vector<int64_t> querySizes() const { return {s.batches, s.queryHeads, s.queries, s.size}; }
  std::vector<int64_t> keySizes() const { return {s.batches, s.keyHeads(), s.keys, s.size}; }
  std::vector<int64_t> rowSizes() const { return {s.batches, s.queryHeads, s.queries}; }
  std::vector<int64_t> maskSizes() const { return {s.batches, s.queryHeads, s.queries, s.keys}; }

  TensorView queryTensor(const std::vector<uint16_t> &values) const {
    return tensorOf(DataType::BFloat, querySizes(), problem.layout, values);
  }
  TensorView keyTensor(const std::vector<uint16_t> &values) const {
    return tensorOf(DataType::BFloat, keySizes(), problem.layout, values);
  }
  FlashAttnTrainInputs arguments() const {
    FlashAttnTrainInputs a;
    a.q = queryTensor(in.q), a.k = keyTensor(in.k), a.v = keyTensor(in.v);
    a.scale = s.scale, a.causal = s.causal, a.queryOffset = s.queryOffset;
    if (in.mask && problem.boolMask) {
      std::vector<uint8_t> cells;
      for (const uint16_t cell : *in.mask)
        cells.push_back(cell == 0);
      a.mask = tensorOf(DataType::Bool, maskSizes(), problem.layout, cells);
    } else if (in.mask) {
      a.mask = tensorOf(DataType::BFloat, maskSizes(), problem.layout, *in.mask);
    }
    return a;
  }

  /// The same problem for the oracle of the forward pass.
  TiledAttentionShape tiledShape() const {
    TiledAttentionShape t;
    t.batches = s.batches, t.queryHeads = s.queryHeads, t.gqa = s.gqa, t.queries = s.queries, t.keys = s.keys;
    t.size = s.size, t.tileQueries = s.tileQueries, t.tileKeys = s.tileKeys;
    t.causal = s.causal, t.queryOffset = s.queryOffset, t.scale = s.scale;
    t.mask = !in.mask ? TileMask::None : problem.boolMask ? TileMask::Bool : TileMask::Additive;
    return t;
  }
  TiledAttentionInputs tiledInputs() const {
    TiledAttentionInputs t{in.q, in.k, in.v, {}, {}};
    if (in.mask)
      t.mask = *in.mask;
    if (problem.boolMask)
      for (uint16_t &cell : t.mask)
        cell = cell == 0;
    return t;
  }
};

/// A report of a dispatcher, or its diagnostics as the failure's message.
template <class T>::testing::AssertionResult ran(const Result<T> &result) {
  return result ? ::testing::AssertionSuccess()
                : ::testing::AssertionFailure() << renderDiagnostics(result.error().diagnostics);
}

/// The worst of |actual - reference| / bound; what must not be above 1.
struct Within {
  double worst = 0, largest = 0; ///< of the bound, and absolute
};
template <class T>
::testing::AssertionResult withinBound(const std::vector<double> &reference, const std::vector<double> &bound,
                                       const std::vector<T> &actual, Within *found = nullptr) {
  Within within;
  size_t where = 0;
  for (size_t i = 0; i < reference.size(); ++i) {
    const double off = std::fabs(double(actual[i]) - reference[i]);
    const double ratio = off == 0 ? 0 : std::isnan(off) || bound[i] == 0 ? HUGE_VAL : off / bound[i];
    within.largest = std::max(within.largest, off);
    if (ratio > within.worst)
      within.worst = ratio, where = i;
  }
  if (found)
    *found = within;
  if (within.worst <= 1)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << fmt::format("element {}: expected {}, got {}, off by {:.3g} where {:.3g} is allowed", where,
                        reference[where], double(actual[where]),
                        std::fabs(double(actual[where]) - reference[where]), bound[where]);
}

inline std::vector<float> widened(const std::vector<uint16_t> &bits) {
  std::vector<float> out;
  for (const uint16_t x : bits)
    out.push_back(fromBfloat(x));
  return out;
}

/// unit |x|, for each: the error of a value that has been rounded.
inline std::vector<double> roundings(const std::vector<double> &values, double unit) {
  std::vector<double> out;
  for (const double x : values)
    out.push_back(std::isinf(x) ? 0 : unit * std::fabs(x));
  return out;
}

} // namespace assay::train_test
