// What a step is told of a quantised cache: a descriptor and buffers, never the policy that made them.
//
// Problem.  A policy packs the cache, and kernels read it. Were kernels to know policies, every policy would
//           be a change of all kernels; were they to guess from the tensors, a wrong guess would be a wrong
//           output.
// Choice.   A descriptor comes from outside with every cache. Its id and version name what the bytes mean
//           (kv_rows.h says it in full); its other fields are what a policy may choose within that. What the
//           kernels do not read is an error that names it.
// Rejected. A descriptor that the kernels interpret at run time: function constants compile one reader for
//           each form, so that a typed cache pays nothing.
// source    Foundry's proposal "KV-cache quantization"; ids, versions and the side table are of ours
#pragma once

#include "kernels_msl/dispatch/tensor_view.h"

#include "emulator/support/text/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::kernels::foundry {

enum class KvPacking {
  HeadMajorBytes,   ///< [batch][kv_heads][capacity][head_dim], a byte for each element
  HeadMajorNibbles, ///< [batch][kv_heads][capacity][head_dim / 2]: element 2i in the low four bits of byte i
  TileMajorBytes,   ///< [batch][kv_heads][capacity / keysPerBlock][chunk of the row][keysPerBlock][its
                    ///< elements]: a block of keys and a chunk are contiguous; the capacity is whole blocks
};

enum class KvScaleLayout {
  PerBlockAndChunk, ///< [batch][kv_heads][ceil(capacity / keysPerBlock)][ceil(head_dim / elementsPerChunk)]
  PerChannelChunk,  ///< [batch][kv_heads][1][ceil(head_dim / elementsPerChunk)]: one for all keys
};

struct KvFormat {
  std::string formatId = "foundry.kv.int8"; ///< with version and bits, a row of kv_formats.def
  uint32_t version = 1;
  int bits = 8;
  int64_t keysPerBlock = 32;     ///< that share scales (not PerChannelChunk) and a run of the side table
  int64_t elementsPerChunk = 32; ///< of a row that share scales
  KvPacking packing = KvPacking::HeadMajorBytes;
  KvScaleLayout scaleLayout = KvScaleLayout::PerBlockAndChunk;
  DataType scaleType = DataType::Half;   ///< or Float
  std::optional<DataType> zeroType = {}; ///< of zero points, which lie as the scales do: Char, Half, Float
  int64_t alignment = 4;                 ///< bytes: each row begins at a multiple, a power of two
  int64_t outliersPerBlock = 0;          ///< the most in a block of keys; 0: there is no side table

  std::string name() const; ///< "foundry.kv.int8.v1"
};

/// "keys foundry.kv.int8.v1, values typed"
std::string formatsText(const std::optional<KvFormat> &keys, const std::optional<KvFormat> &values);

/// Int4 with the defaults of KvFormat, and int8 packed tile by tile.
KvFormat kvInt4Format();
KvFormat kvTilesFormat();

/// Keys or values of a cache: as they are, or packed with their format.
struct KvTensor {
  TensorView rows;   ///< [batch, kv_heads, capacity, head_dim]; the type of Q, or with a format char (bytes)
                     ///< or uchar (nibbles, of which the last axis has half as many bytes). Tile by tile a
                     ///< head is one run of capacity * head_dim bytes, with the strides of rows without gaps
  TensorView scales; ///< as scaleLayout says
  std::optional<KvFormat> format;
  TensorView zeros;    ///< as scales, with their strides; with zeroType
  TensorView outliers; ///< uint [words], the side table of kv_rows.h; with outliersPerBlock
};

/// Who reads a cache. All read all formats.
enum class KvUse { Decode, Prefill, Materialised };
std::string_view nameOf(KvUse use);

/// Whether the kernels of a use read this format with `width` elements at once.
///   errors   Usage, naming what is not supported: "kv-format-unknown" (the id), "kv-format-version";
///            "kv-format" (bits that are not the id's); "kv-packing" (not the id's);
///            "kv-group" (keys of a block, elements of a chunk); "kv-scales", "kv-zero-points" (their type);
///            "kv-alignment" (not a power of two, or less than what is read at once); "kv-outliers" (bound)
Result<void> checkKvFormat(std::string_view name, const KvFormat &format, KvUse use, int width);

} // namespace assay::kernels::foundry
