#include "prefill_mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace assay::kernels {
namespace {

constexpr int64_t kIntMax = std::numeric_limits<int32_t>::max();

/// With an axis of batches in front, if it has none.
TensorView withBatches(TensorView view, size_t rank, int64_t batches) {
  if (view.given() && view.sizes.size() + 1 == rank && view.strides.size() + 1 == rank) {
    view.sizes.insert(view.sizes.begin(), batches);
    view.strides.insert(view.strides.begin(), 0);
  }
  return view;
}

Result<void> checkNumbers(const PrefillMaskArguments &a, int64_t queries, int64_t keys) {
  if (a.window < 0)
    return Error::usage(Rule::own("window"), fmt::format("window is {}, which is negative", a.window));
  if (a.queryOffset < 0)
    return Error::usage(Rule::own("query-offset"),
                        fmt::format("queryOffset is {}, which is negative", a.queryOffset));
  if (keys > kIntMax)
    return Error::usage(Rule::own("too-long"),
                        fmt::format("kL is {}, the kernel counts to {}", keys, kIntMax));
  if (a.queryOffset > kIntMax - queries)
    return Error::usage(Rule::own("too-long"),
                        fmt::format("queryOffset is {} and qL {}, the kernel counts positions to {}",
                                    a.queryOffset, queries, kIntMax));
  return {};
}

} // namespace

Result<DispatchReport> buildPrefillMask(KernelSet &kernels, const PrefillMaskArguments &a) {
  const DataType type = a.mask.type;
  if (a.mask.given() && type != DataType::BFloat && type != DataType::Half && type != DataType::Bool)
    return Error::usage(
        Rule::own("mask-type"),
        fmt::format("the mask has type {}, the kernels write bfloat, half or bool", type.name()));
  const TensorView mask = withBatches(a.mask, 3, 1);
  if (auto fits = checkTensor("mask", mask, type, {-1, -1, -1}, TensorUse::Output); !fits)
    return fits.error();
  const int64_t batches = mask.size(0), queries = mask.size(1), keys = mask.size(2);
  if (auto numbers = checkNumbers(a, queries, keys); !numbers)
    return numbers.error();
  const TensorView padding = withBatches(a.padding, 2, batches);
  const TensorView keyDocuments = withBatches(a.keyDocuments, 2, batches);
  if (padding.given())
    if (auto fits = checkTensor("padding", padding, DataType::UChar, {batches, keys}); !fits)
      return fits.error();
  const bool documents = keyDocuments.given();
  if (documents != a.queryDocuments.given())
    return Error::usage(Rule::own("documents"),
                        fmt::format("there are documents of {0} and none of {1}",
                                    documents ? "keys" : "queries", documents ? "queries" : "keys"));
  const TensorView queryDocuments = withBatches(a.queryDocuments, 2, batches);
  if (documents) {
    if (auto fits = checkTensor("queryDocuments", queryDocuments, DataType::Int, {batches, queries}); !fits)
      return fits.error();
    if (auto fits = checkTensor("keyDocuments", keyDocuments, DataType::Int, {batches, keys}); !fits)
      return fits.error();
    if (batches > 1 && queryDocuments.stride(0) != queries)
      return Error::usage(Rule::own("documents"),
                          fmt::format("queryDocuments has stride {} on axis 0, the kernel expects rows of {}",
                                      queryDocuments.stride(0), queries));
  }

  FunctionConstantValues constants;
  const auto set = [&](uint32_t index, bool value) {
    constants.setConstantValue(&value, DataType::Bool, index);
  };
  set(410, a.causal);
  set(411, a.window > 0);
  set(412, padding.given());
  set(413, documents);
  const char *kernel = type == DataType::BFloat ? "flash_attn_prefill_mask_bf16"
                       : type == DataType::Half ? "flash_attn_prefill_mask_f16"
                                                : "flash_attn_prefill_mask_bool";
  const auto pipeline = kernels.pipeline("attention/flash_attn_prefill_mask.metal", kernel, constants);
  if (!pipeline)
    return pipeline.error();

  PrefillMaskParams params{};
  params.qL = int32_t(queries), params.kL = int32_t(keys);
  params.query_offset = int32_t(a.queryOffset);
  // A window that reaches past every key is none; the difference must fit the kernel's int.
  params.window = int32_t(std::min(a.window, kIntMax));
  params.mask_batch = mask.stride(0), params.mask_row = mask.stride(1);
  ComputeCommandEncoder encoder = kernels.encoder(*pipeline);
  encoder.setBuffer(mask.buffer, mask.byteOffset(), 0);
  if (padding.given()) {
    params.padding_batch = padding.stride(0);
    encoder.setBuffer(padding.buffer, padding.byteOffset(), 2);
  }
  if (documents) {
    params.documents_batch = keyDocuments.stride(0);
    encoder.setBuffer(queryDocuments.buffer, queryDocuments.byteOffset(), 3);
    encoder.setBuffer(keyDocuments.buffer, keyDocuments.byteOffset(), 4);
  }
  encoder.setBytes(&params, sizeof params, 1);
  return encoder.dispatchThreads(
      {uint64_t(keys), uint64_t(queries), uint64_t(batches)},
      {uint64_t(std::min<int64_t>(keys, 64)), uint64_t(std::min<int64_t>(queries, 4)), 1});
}

} // namespace assay::kernels
