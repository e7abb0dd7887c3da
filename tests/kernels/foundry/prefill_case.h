// A prefill with seeded inputs, bound as its dispatchers take them, and both judgements of what comes out.
#pragma once

#include "kernels_msl/foundry/prefill_step.h"
#include "kernels_msl/foundry/sdpa_step.h"

#include "tests/kernels/oracles/f32.h"
#include "tests/kernels/oracles/foundry_prefill.h"
#include "tests/kernels/oracles/matrix.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_data.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace assay::kernels::foundry {

struct PrefillTestShape {
  int batches = 1, heads = 1, keyHeads = 1, queries = 1, keys = 1, size = 64;
  bool causal = true, mask = false, padding = false, bfloat = false;
  std::optional<int> queryStart = {}; ///< keys - queries if not given
  float range = 1;                    ///< of q and k; the larger, the more extreme the scores
};

class PrefillCase {
public:
  oracle::PrefillShape shape;
  oracle::PrefillInputs in;
  PrefillArguments arguments;

  explicit PrefillCase(const PrefillTestShape &t, uint64_t seed = 1) : random_(seed) {
    shape = {.batches = t.batches,
             .heads = t.heads,
             .keyHeads = t.keyHeads,
             .queries = t.queries,
             .keys = t.keys,
             .size = t.size};
    shape.causal = t.causal, shape.bfloat = t.bfloat;
    shape.queryStart = t.queryStart.value_or(t.keys - t.queries);
    shape.scale = 1.0f / std::sqrt(float(t.size));
    const size_t keyElements = size_t(t.batches) * t.keyHeads * t.keys * t.size;
    in = {values(size_t(shape.rows()) * t.size, t.range),
          values(keyElements, t.range),
          values(keyElements, 1),
          {},
          {}};
    if (t.mask)
      in.mask = maskValues();
    if (t.padding)
      in.padding = paddingBytes();
    arguments.causal = t.causal;
    if (t.queryStart)
      arguments.queryStart = *t.queryStart;
    bind();
  }

  DataType type() const { return shape.bfloat ? DataType::BFloat : DataType::Half; }
  uint16_t bits(float value) const { return shape.bfloat ? oracle::toBfloat(value) : oracle::toHalf(value); }
  float value(uint16_t bits) const {
    return shape.bfloat ? oracle::fromBfloat(bits) : oracle::fromHalf(bits);
  }

  TensorView tensor(const std::vector<float> &from, std::vector<int64_t> sizes) const {
    std::vector<uint16_t> narrow;
    for (const float x : from)
      narrow.push_back(bits(x));
    return TensorView::contiguous(device_.newBuffer(narrow.data(), narrow.size() * 2), type(),
                                  std::move(sizes));
  }
  /// The inputs again, after a test has changed them; and an output of poison.
  void bind() {
    const oracle::PrefillShape &s = shape;
    arguments.q = tensor(in.q, {s.batches, s.heads, s.queries, s.size});
    arguments.k = tensor(in.k, {s.batches, s.keyHeads, s.keys, s.size});
    arguments.v = tensor(in.v, {s.batches, s.keyHeads, s.keys, s.size});
    arguments.out = TensorView::poisoned(device_, type(), {s.batches, s.heads, s.queries, s.size});
    if (in.mask)
      arguments.mask = tensor(*in.mask, {s.batches, s.heads, s.queries, s.keys});
    if (in.padding)
      arguments.padding = TensorView::contiguous(device_.newBuffer(in.padding->data(), in.padding->size()),
                                                 DataType::UChar, {s.batches, s.keys});
  }

  /// The output as [batch, head, query, d].
  std::vector<uint16_t> out() const {
    const auto bits = arguments.out.buffer.as<uint16_t>();
    return {bits.begin(), bits.end()};
  }

  template <class Profile> std::vector<uint16_t> expected(const PrefillPlan &plan) {
    shape.matrices = plan.form == PrefillForm::Matrix;
    shape.tileRows = plan.warps * (shape.matrices ? 8 : 4);
    if (plan.splitK == 1)
      return oracle::prefillExact<Profile>(shape, in);
    return oracle::prefillReduceExact<Profile>(
        shape, oracle::prefillPartExact<Profile>(shape, in, plan.splitK), plan.splitK);
  }

  /// All of out() within the bound of float64; the largest share of the bound and the largest error go to the
  /// log.
  ::testing::AssertionResult withinBound(int splits = 0) const {
    const oracle::PrefillReference reference = oracle::prefillReference(shape, in, splits);
    const std::vector<uint16_t> got = out();
    double largest = 0, share = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      const double error = std::fabs(value(got[i]) - reference.out[i]);
      if (!(error <= reference.bound[i]))
        return ::testing::AssertionFailure() << "element " << i << " is " << value(got[i]) << ", float64 has "
                                             << reference.out[i] << ", the bound is " << reference.bound[i];
      largest = std::max(largest, error), share = std::max(share, error / reference.bound[i]);
    }
    ::testing::Test::RecordProperty("max_abs_error", std::to_string(largest));
    ::testing::Test::RecordProperty("share_of_bound", std::to_string(share));
    return ::testing::AssertionSuccess();
  }

private:
  std::vector<float> values(size_t count, float range) {
    std::vector<float> out(count);
    for (float &x : out)
      x = value(bits(random_.uniform(-range, range)));
    return out;
  }
  /// Addends, some of them minus infinity; the whole second row, if there is one.
  std::vector<float> maskValues() {
    std::vector<float> out = values(size_t(shape.rows()) * shape.keys, 4);
    for (size_t i = 0; i < out.size(); ++i)
      if (random_.below(5) == 0 || i / shape.keys == 1)
        out[i] = -oracle::kInfinity;
    return out;
  }
  /// Padding at the front of odd batches and at the end of even ones, and a hole.
  std::vector<uint8_t> paddingBytes() {
    std::vector<uint8_t> out(size_t(shape.batches) * shape.keys, 1);
    for (int batch = 0; batch < shape.batches; ++batch)
      for (int key = 0; key < shape.keys; ++key) {
        const bool padded = batch % 2 ? key < shape.keys / 3 : key >= shape.keys - shape.keys / 3;
        out[size_t(batch) * shape.keys + key] = !padded && key != shape.keys / 2 ? 1 + batch : 0;
      }
    return out;
  }

  testing_support::Random random_;
  Device device_ = Device::systemDefault();
};

template <class T>::testing::AssertionResult succeeded(const Result<T> &result) {
  if (result)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << renderDiagnostics(result.error().diagnostics);
}

/// "message [rule]"
template <class T> std::string errorOf(const Result<T> &result) {
  return result ? "" : result.error().message() + " [" + result.error().rule() + "]";
}

/// One set for a profile in the whole program, so that a kernel is compiled once.
inline KernelSet &appleKernels() {
  static KernelSet kernels(testing_support::ownKernelFolder());
  return kernels;
}
inline KernelSet &ieeeKernels() {
  static KernelSet kernels(testing_support::ownKernelFolder(), {{kIeeeNumerics}});
  return kernels;
}

} // namespace assay::kernels::foundry
