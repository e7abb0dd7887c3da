// Sets of bytes of a row. A row is 128 bytes of memory, which begin at a multiple of 128.
#pragma once

#include <bit>
#include <cstdint>
#include <unordered_map>

namespace assay::validation {

constexpr uint64_t kRowBytes = 128;
__extension__ typedef unsigned __int128 RowBytes; ///< bit i is byte i of a row

/// The bytes [from, to) of a row; not empty.
constexpr RowBytes rowBytes(uint64_t from, uint64_t to) {
  return (~RowBytes(0) >> (kRowBytes - (to - from))) << from;
}

/// The number of the lowest byte in the set; 128 if the set is empty.
constexpr unsigned lowestByte(RowBytes bytes) {
  const unsigned low = unsigned(std::countr_zero(uint64_t(bytes)));
  return low < 64 ? low : 64 + unsigned(std::countr_zero(uint64_t(bytes >> 64)));
}

template <class Visit> void forEachByte(RowBytes bytes, Visit visit) {
  for (const unsigned half : {0u, 64u})
    for (auto rest = uint64_t(bytes >> half); rest; rest &= rest - 1)
      visit(half + unsigned(std::countr_zero(rest)));
}

/// Bytes of a memory, by the number of their row.
using BytesByRow = std::unordered_map<uint64_t, RowBytes>;

} // namespace assay::validation
