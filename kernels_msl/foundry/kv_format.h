// What a step is told of a quantised cache: a descriptor and buffers, never the policy that made them.
//
// Values are bytes, [batch][kv_heads][capacity][head_dim] as a cache of halves would be. A scale serves the
// elements of keysPerBlock neighbouring keys and of one chunk of the row:
// [batch][kv_heads][ceil(capacity / keysPerBlock)][ceil(head_dim / elementsPerChunk)]. An element is its
// byte times its scale, without a zero point.
// source    Foundry's proposal "KV-cache quantization"
#pragma once

#include "kernels_msl/dispatch/tensor_view.h"

#include "emulator/support/text/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::kernels::foundry {

enum class KvPacking { HeadMajorBytes, TileMajorBytes };   ///< the second is known by name and not supported
enum class KvScaleLayout { PerBlockAndChunk, PerChannel }; ///< likewise

/// Name and version of the format that the kernels read.
inline constexpr std::string_view kKvInt8Format = "foundry.kv.int8.v1";

struct KvFormat {
  std::string formatId{kKvInt8Format};
  int64_t keysPerBlock = 32;
  int64_t elementsPerChunk = 32;
  KvPacking packing = KvPacking::HeadMajorBytes;
  KvScaleLayout scaleLayout = KvScaleLayout::PerBlockAndChunk;
  DataType scaleType = DataType::Half; ///< or Float
  bool zeroPoints = false;
};

/// Keys or values of a cache: as they are, or bytes with scales and their format.
struct KvTensor {
  TensorView rows;   ///< [batch, kv_heads, capacity, head_dim]; the type of Q, or char with a format
  TensorView scales; ///< [batch, kv_heads, blocks, chunks]
  std::optional<KvFormat> format;
};

/// Whether the kernels read this format with `width` elements at once.
///   errors   Usage "kv-format", naming what is not supported
Result<void> checkKvFormat(std::string_view name, const KvFormat &format, int width);

} // namespace assay::kernels::foundry
