// Tensors of the delta-net tests: buffers with values in them, and all arguments of a case at once.
#pragma once

#include "kernels_msl/dispatch/kernel_set.h"
#include "kernels_msl/dispatch/tensor_view.h"
#include "kernels_msl/recurrence/chunk_gated_delta_rule.h"
#include "kernels_msl/recurrence/gated_delta_net.h"
#include "tests/kernels/oracles/delta_chunk_cases.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace assay::kernels::delta_net {

using namespace oracle;
using namespace testing_support;

template <class T> constexpr DataType dataTypeOf() {
  return std::is_same_v<T, uint16_t> ? DataType::BFloat : DataType::Float;
}

template <class T> TensorView tensor(const std::vector<T> &values, std::vector<int64_t> sizes) {
  TensorView view = TensorView::contiguous({}, dataTypeOf<T>(), std::move(sizes));
  view.buffer = Device::systemDefault().newBuffer(values.data(), values.size() * sizeof(T));
  return view;
}

template <class T> TensorView poisoned(std::vector<int64_t> sizes) {
  return TensorView::poisoned(Device::systemDefault(), dataTypeOf<T>(), std::move(sizes));
}

template <class T> std::vector<T> values(const TensorView &view) {
  const auto all = view.buffer.template as<T>();
  return {all.begin() + view.offset, all.begin() + view.offset + view.count()};
}

inline GatedDeltaNetArguments arguments(const DeltaNetShape &s, const DeltaNetInputs &in) {
  const std::vector<int64_t> keys{s.sequences, s.tokens, s.keyHeads, s.keySize};
  const std::vector<int64_t> vals{s.sequences, s.tokens, s.valueHeads, s.valueSize};
  const std::vector<int64_t> gates{s.sequences, s.tokens, s.valueHeads};
  const std::vector<int64_t> states{s.sequences, s.valueHeads, s.valueSize, s.keySize};
  return {tensor(in.q, keys),     tensor(in.k, keys),       tensor(in.v, vals),    tensor(in.g, gates),
          tensor(in.beta, gates), tensor(in.state, states), poisoned<float>(vals), poisoned<float>(states)};
}

inline ChunkGatedDeltaRuleArguments arguments(const DeltaChunkShape &s, const DeltaChunkInputs &in) {
  const std::vector<int64_t> keys{s.batches, s.tokens, s.keyHeads, s.keySize};
  const std::vector<int64_t> vals{s.batches, s.tokens, s.heads, s.valueSize};
  const std::vector<int64_t> gates{s.batches, s.tokens, s.heads};
  const std::vector<int64_t> states{s.batches, s.heads, s.valueSize, s.keySize};
  ChunkGatedDeltaRuleArguments a;
  a.q = tensor(in.q, keys), a.k = tensor(in.k, keys), a.v = tensor(in.v, vals);
  a.logGates = tensor(in.logGates, gates), a.beta = tensor(in.beta, gates), a.h0 = tensor(in.h0, states);
  a.o = poisoned<uint16_t>(vals), a.finalState = poisoned<float>(states);
  return a;
}

inline KernelSet ownKernels(const NumericsProfile &numerics = kAppleNumerics) {
  return KernelSet(ownKernelFolder(), {{numerics}});
}

/// A dispatcher's result as an assertion, with its diagnostics as the message.
template <class T>::testing::AssertionResult ran(const Result<T> &result) {
  if (result)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << renderDiagnostics(result.error().diagnostics);
}

/// Runs a recurrence's dispatcher and compares what it wrote, bit for bit;
/// in every way that must not matter, if asked.
template <class Expected, class Dispatcher>
void expectBitsOf(const Expected &expected, const NumericsProfile &numerics, const DeltaNetShape &s,
                  const DeltaNetInputs &in, Dispatcher dispatcher, bool everyWay) {
  KernelSet set = ownKernels(numerics);
  GatedDeltaNetArguments a = arguments(s, in);
  const auto dispatch = [&](const DispatchOptions &options) {
    set.options() = options;
    a.output.buffer.poison();
    a.stateOut.buffer.poison();
    return ran(dispatcher(set, a));
  };
  const auto check = [&] {
    EXPECT_TRUE(bitsEqual(expected.output, values<float>(a.output))) << "output";
    EXPECT_TRUE(bitsEqual(expected.state, values<float>(a.stateOut))) << "state";
  };
  if (everyWay) {
    inAllWays(false, dispatch, check);
  } else {
    ASSERT_TRUE(dispatch({}));
    check();
  }
}

} // namespace assay::kernels::delta_net
