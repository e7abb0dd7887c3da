// What a decode step takes, and how it becomes the parameters of its kernel.
#pragma once

#include "kernels_msl/dispatch/kernel_set.h"
#include "kv_cache.h"
#include "rope_arguments.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace assay::kernels::foundry {

struct FlashDecodeArguments {
  TensorView q; ///< [batch, rows, heads * head_dim], half or bfloat
  /// Rows of q that there are, all if not given. Decode takes one: of a buffer of fixed capacity, row 0 is
  /// read if this is 1.
  std::optional<int64_t> queries;
  KvTensor k, v;        ///< [batch, kv_heads, capacity, head_dim], of q's type or quantised
  TensorView out;       ///< as q; row 0 is written
  int64_t kvLength = 0; ///< keys that there are, the new token's included
  TensorView kvLengths; ///< if given, uint [batch]: keys of each batch, 0..kvLength
  TensorView padding;   ///< if given, uchar [batch or 1, at least kvLength]: 0 hides a key
  TensorView
      mask; ///< if given, [batch or 1, heads or 1, at least kvLength], q's type or float: added to scores
  std::optional<RopeArguments> rope; ///< rotates the query; positions are [batch]
  std::optional<float> scale;        ///< 1 / sqrt(head_dim) if not given
};

/// As in decode_layout.h.
struct FlashDecodeParams {
  uint32_t heads = 0, kvHeads = 0, length = 0, ropeSize = 0;
  float scale = 0;
  uint32_t kRuns = 0, vRuns = 0, splits = 1;
  uint64_t qBatch = 0, outBatch = 0;
  struct Rows {
    uint64_t batch = 0, head = 0, row = 0;
  } k, v, kScales, vScales;
  uint64_t paddingBatch = 0, maskBatch = 0, maskHead = 0, tableRow = 0;
};
static_assert(sizeof(FlashDecodeParams) == 176);
static_assert(offsetof(FlashDecodeParams, ropeSize) == 12 && offsetof(FlashDecodeParams, scale) == 16 &&
              offsetof(FlashDecodeParams, kRuns) == 20 && offsetof(FlashDecodeParams, qBatch) == 32);
static_assert(offsetof(FlashDecodeParams, k) == 48 && offsetof(FlashDecodeParams, v) == 72 &&
              offsetof(FlashDecodeParams, kScales) == 96 && offsetof(FlashDecodeParams, vScales) == 120 &&
              offsetof(FlashDecodeParams, paddingBatch) == 144 &&
              offsetof(FlashDecodeParams, maskBatch) == 152 && offsetof(FlashDecodeParams, tableRow) == 168);

/// How a decode runs: the knobs of the kernel.
struct DecodeVariant {
  int warps = 8;       ///< simdgroups of a threadgroup; Foundry's word
  int keysPerWarp = 8; ///< keys that a simdgroup takes in one round
  int scalar = 2;      ///< elements that a lane reads at once: half2 or half4
  bool halfPartials = false;

  bool operator==(const DecodeVariant &) const = default;
  std::string text() const; ///< "8 warps, 8 keys per warp, half2, partials in float"
};

/// Arguments that fit together and to the variant, and what follows from them.
struct DecodeProblem {
  FlashDecodeParams params;
  int64_t batches = 1, headDim = 0;
  bool bfloat = false;
  uint32_t queryBytes = 0, partialBytes = 0, statBytes = 0; ///< of threadgroup memory

  uint32_t threadgroupBytes() const { return queryBytes + partialBytes + statBytes; }
};

/// Shapes that decide which variant is taken: type, head_dim, and that there are keys.
///   errors   Usage: "tensor-type", "tensor-rank", "head-dim", "kv-length"
Result<int64_t> headDimOf(const FlashDecodeArguments &arguments);

/// Checks the arguments against each other and against the variant.
///   errors   Usage, naming the argument and both numbers: those of headDimOf, checkTensor, checkKvCache and
///            checkRope; "decode-rows" (not one row of queries); "shape-mismatch"; "gqa"; "kv-length";
///            "alignment" (rows that are not multiples of half2 or half4); "partials" (bfloat outputs in
///            half); "threadgroup-memory"; "decode-variant"; "scale"; "too-large"
Result<DecodeProblem> checkDecode(const FlashDecodeArguments &arguments, const DecodeVariant &variant);

/// Function constants 500 to 506, 511, and 520 to 536.
FunctionConstantValues decodeConstants(const FlashDecodeArguments &arguments, const DecodeVariant &variant);

/// Everything in the slots that decode_kernels.metal lists but the output, threadgroup memory included.
void bindDecode(ComputeCommandEncoder &encoder, const FlashDecodeArguments &arguments,
                const DecodeProblem &problem);

} // namespace assay::kernels::foundry
