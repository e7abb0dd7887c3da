// What a model does with a step's new tokens before attention: queries are packed, keys and values go into
// the cache; queries and keys are rotated on the way.
//
// New tensors are token-major, as projections leave them: [batch, rows, heads * head_dim], of which the first
// m rows of each batch count. Buffers have a fixed capacity of rows, so m is said; without it all rows count.
#pragma once

#include "kernels_msl/dispatch/kernel_set.h"
#include "rope_arguments.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace assay::kernels::foundry {

struct PackQueriesArguments {
  TensorView q; ///< [batch, rows, heads * head_dim], half or bfloat
  /// [batch, M_cap, heads * head_dim] by its metadata, as prefill takes Q; of each batch the first m rows are
  /// written, as [heads][m][head_dim].
  TensorView packed;
  int64_t headDim = 0;
  std::optional<int64_t> m;
  std::optional<RopeArguments> rope; ///< positions are [batch, m]
};

struct WriteKvArguments {
  TensorView newK, newV; ///< [batch, rows, kv_heads * head_dim], half or bfloat
  TensorView k, v;       ///< caches, [batch, kv_heads, capacity, head_dim], of the same type
  TensorView starts;     ///< uint, [batch]: the row of the cache that a batch's first token takes
  std::optional<int64_t> m;
  std::optional<RopeArguments> rope; ///< of keys; positions are [batch, m]
};

/// As in kv_stages.h.
struct KvPrepParams {
  uint32_t tokens = 0, headDim = 0, ropeSize = 0, unused = 0;
  uint64_t tableRow = 0;
  uint64_t rowBatch = 0, rowToken = 0, valueBatch = 0, valueToken = 0;
  uint64_t outBatch = 0, outHead = 0, outRow = 0;
  uint64_t vBatch = 0, vHead = 0, vRow = 0;
};
static_assert(sizeof(KvPrepParams) == 104);
static_assert(offsetof(KvPrepParams, tableRow) == 16 && offsetof(KvPrepParams, rowBatch) == 24 &&
              offsetof(KvPrepParams, valueBatch) == 40 && offsetof(KvPrepParams, outBatch) == 56 &&
              offsetof(KvPrepParams, vBatch) == 80 && offsetof(KvPrepParams, vRow) == 96);

struct KvPrepReport {
  std::string kernel;
  Size threadgroups;
  DispatchReport dispatch;
};

/// Both refuse before anything is written.
///   errors   Usage, naming the argument and both numbers: those of checkTensor and checkRope; "tensor-type"
///            (neither half nor bfloat); "row-count" (m is not in 1..rows, or packed has fewer);
///            "head-dim" (not in 1..1024); "shape-mismatch"; "stride" (packed
///            rows that are not d_model apart); "kv-capacity" (a cache without room for the new rows);
///            "overlap" (what is written shares memory with what is read, or k with v); "too-large"; those of
///            a dispatch
Result<KvPrepReport> dispatchPackQueries(KernelSet &kernels, const PackQueriesArguments &arguments);
Result<KvPrepReport> dispatchWriteKv(KernelSet &kernels, const WriteKvArguments &arguments);

} // namespace assay::kernels::foundry
