// What the steps of prefill take, and how it becomes the parameters of their kernels.
//
// Problem.  Foundry keeps queries and outputs in buffers of fixed capacity whose metadata is token-major,
//           [batch, M_cap, d_model], for M_cap tokens although m are there. Of the output that is the truth.
//           Of Q it is not: what writes Q (fused preparation of K and V) packs it head-major over the m
//           tokens that there are. The metadata at its word leads to other rows, and so does head-major over
//           M_cap, for every head but the first.
// Choice.   The rank says which: a Q of three axes is metadata like that, read head-major with m * head_dim
//           between heads; a Q of four axes [batch, heads, m, head_dim] is read as its strides say.
// source    Foundry's document, "Prefill gotchas", 1.
#pragma once

#include "kernels_msl/dispatch/kernel_set.h"
#include "kernels_msl/dispatch/tensor_view.h"
#include "kv_cache.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace assay::kernels::foundry {

struct PrefillArguments {
  /// [batch, heads, m, head_dim], or [batch, M_cap, d_model] as above; half or bfloat, as k, v and out.
  TensorView q;
  TensorView k; ///< [batch, key heads, capacity, head_dim]; without the first axis if there is one batch
  TensorView v; ///< as k
  std::optional<KvTensor> kCache, vCache; ///< instead of k or v: quantised, with four axes; both of a step's
                                          ///< two may be so, or one
  TensorView out; ///< [batch, heads, m, head_dim], or token-major [batch, M_cap, d_model] or [M_cap, d_model]
  TensorView mask; ///< if given, added to scores: [batch, heads, m, keys] of q's type; the first two may be 1
  TensorView padding;             ///< if given, [batch, keys] of uchar, the first may be 1; 0 hides a key
  std::optional<int64_t> queries; ///< m; all rows of a q of four axes if not given, needed for one of three
  std::optional<int64_t> keys;    ///< kv_len; all rows of k if not given
  bool causal = true;
  /// The key beside query 0; keys - queries if not given: the last query sees all.
  std::optional<int64_t> queryStart;
  std::optional<float> scale; ///< 1 / sqrt(head_dim) if not given
};

/// As in prefill_common.h.
struct PrefillParams {
  uint32_t queries = 0, keys = 0;
  int32_t queryStart = 0;
  uint32_t heads = 0, group = 0, headDim = 0, splitK = 1;
  float scale = 0;
  struct Strides {
    int64_t batch = 0, head = 0, row = 0;
  } q, k, v, out, mask;
  int64_t paddingBatch = 0;
  Strides kScales, vScales; ///< batch, head, block of keys
  uint32_t kRuns = 0, vRuns = 0;
};
static_assert(sizeof(PrefillParams) == 216);
static_assert(offsetof(PrefillParams, queryStart) == 8 && offsetof(PrefillParams, headDim) == 20 &&
              offsetof(PrefillParams, scale) == 28);
static_assert(offsetof(PrefillParams, q) == 32 && offsetof(PrefillParams, k) == 56 &&
              offsetof(PrefillParams, v) == 80 && offsetof(PrefillParams, out) == 104 &&
              offsetof(PrefillParams, mask) == 128 && offsetof(PrefillParams, paddingBatch) == 152 &&
              offsetof(PrefillParams, kScales) == 160 && offsetof(PrefillParams, kRuns) == 208);

/// Arguments that fit together, and what follows from them.
struct PrefillProblem {
  PrefillParams params;
  int64_t batches = 1;
  bool bfloat = false;

  DataType type() const { return bfloat ? DataType::BFloat : DataType::Half; }
  int64_t rows() const { return batches * params.heads * params.queries; }
  /// Entry points of bfloat have the suffix.
  std::string entry(std::string name) const { return name + (bfloat ? "_bf16" : ""); }
};

/// Checks the arguments against each other.
///   use      Prefill or Materialised: the kernels that read the cache
///   errors   Usage, naming the argument and both numbers: those of checkTensor and checkKvCache;
///            "kv-format" (k and kCache both given, or a cache without a format); "tensor-type" (neither half
///            nor bfloat), "tensor-rank", "row-count" (m or kv_len missing, or not in 1..capacity), "gqa"
///            (heads that key heads do not divide), "shape-mismatch", "stride" (rows of token-major metadata
///            that are not d_model apart), "too-large"
Result<PrefillProblem> checkPrefill(const PrefillArguments &arguments, KvUse use = KvUse::Prefill);

/// Binds all that the online kernels read, in their slots: the two below.
void bindPrefill(ComputeCommandEncoder &encoder, const PrefillArguments &arguments,
                 const PrefillProblem &problem);
/// Binds Q, K, mask, padding and the parameters: what scores are made of.
void bindPrefillScores(ComputeCommandEncoder &encoder, const PrefillArguments &arguments,
                       const PrefillProblem &problem);
/// Binds V.
void bindPrefillValues(ComputeCommandEncoder &encoder, const PrefillArguments &arguments);

/// Function constants 300, 301 and 302, and 520 to 536 of quantised caches.
FunctionConstantValues prefillConstants(const PrefillArguments &arguments);

} // namespace assay::kernels::foundry
