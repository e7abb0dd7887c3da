// What a quantised cache holds, from the words of its format; and how its bytes and its side table are laid
// out. Nothing here is shared with the kernels or their host.
//
// An element is the number q of its 8 or 4 bits, with the scale and the zero point of its group:
//   x = q, or q - zero (float: one rounding, which integers do not need); value = x * scale, rounded once.
// An outlier is the 16-bit number that stands for it. A group is a block of keys, or all of them, and a chunk
// of the row.
#pragma once

#include "foundry_decode.h"

#include <cstdint>
#include <map>
#include <vector>

namespace assay::oracle {

struct KvCacheShape {
  int heads = 1;              ///< of all batches
  int capacity = 1, size = 1; ///< keys, elements of a row
  int bits = 8;
  int block = 32, chunk = 32; ///< keys, elements
  bool perChannel = false;    ///< one group of all keys
  bool bfloat = false;        ///< of outliers; else half
  bool tiles = false;         ///< bytes lie by blocks and chunks; the capacity is whole blocks

  int blocks() const { return (capacity + block - 1) / block; }
  int chunks() const { return (size + chunk - 1) / chunk; }
  int groups() const { return perChannel ? 1 : blocks(); } ///< along keys
  size_t count() const { return size_t(heads) * capacity * size; }
  size_t element(int head, int key, int d) const { return (size_t(head) * capacity + key) * size + d; }
  size_t group(int head, int key, int d) const {
    return (size_t(head) * groups() + (perChannel ? 0 : key / block)) * chunks() + d / chunk;
  }
};

struct KvCache {
  KvCacheShape shape;
  std::vector<int> numbers;            ///< [head][key][d]
  std::vector<float> scales, zeros;    ///< [head][group][chunk], as the floats that they are; zeros or empty
  std::map<size_t, uint16_t> outliers; ///< by element
};

/// Elements as floats, [head][key][d].
template <class Profile> std::vector<float> kvElements(const KvCache &cache);

/// Bytes of the rows without gaps: two's complement, of two nibbles in a byte the low one is the even
/// element's. In tiles: of each head each block of keys, of it each chunk of the row, of it each key.
std::vector<uint8_t> kvBytes(const KvCache &cache);

/// The side table: for each head the places of its blocks' runs and the end of the last; then the entries,
/// (key in the block * size + d) * 65536 + bits.
std::vector<uint32_t> kvSideTable(const KvCache &cache);

/// The same cache in the words of the decode's oracle, which knows bytes with a scale for 32 keys and a
/// chunk, and 16-bit elements. Empty (neither bits nor bytes) if it is neither.
///   bytes   whole differences q - zero in -128..127, blocks of a multiple of 32 keys, no outliers
///   bits    elements that the type holds without rounding
DecodeCache asDecodeCache(const KvCache &cache);

} // namespace assay::oracle
