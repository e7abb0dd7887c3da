// The interface between tracked kernels and the checker of undefined values: the addresses of shadows, and
// the meaning of an origin.
//
// A shadow has a byte for each byte of memory. A bit of the shadow is 1 if that bit of the memory is
// undefined. An origin is the place at which an undefined value began. Each word of four bytes has an origin,
// which is meaningful only if a bit of its shadow is set.
#pragma once

#include "limits.h"

#include <cstddef>
#include <cstdint>

namespace assay {

/// 0: unknown. Else either the number of a birth (KernelCodeInfo::births, from 1 on), or a load: its site and
/// the place that it read.
struct ValueOrigin {
  static constexpr uint32_t kOffsetBits = 39, kSlotBits = 5, kSiteShift = kOffsetBits + kSlotBits;
  static constexpr uint32_t kMostSites = (1u << (64 - kSiteShift)) - 1;
  static constexpr uint32_t kArena = (1u << kSlotBits) - 1; ///< instead of a slot: threadgroup memory
  static_assert(kArena >= kBufferSlots);

  /// site   less than kMostSites
  static constexpr uint64_t ofLoad(uint32_t site, uint32_t slot) {
    return uint64_t(site + 1) << kSiteShift | uint64_t(slot) << kOffsetBits;
  }
  static constexpr bool isLoad(uint64_t origin) { return origin >> kSiteShift; }
  static constexpr uint32_t site(uint64_t origin) { return uint32_t(origin >> kSiteShift) - 1; }
  static constexpr uint32_t slot(uint64_t origin) { return uint32_t(origin >> kOffsetBits) & kArena; }
  /// Negative for bytes before the offset at which the buffer is bound.
  static constexpr int64_t offset(uint64_t origin) {
    return int64_t(origin << (64 - kOffsetBits)) >> (64 - kOffsetBits);
  }
};

/// The shadow of what a lane passes to a simd operation. Null and zero: nothing is undefined.
struct LaneShadow {
  const uint8_t *in;         ///< shadow of the operand in memory
  const uint64_t *inOrigins; ///< a word for each four bytes of it
  uint8_t *out;              ///< the same of the result
  uint64_t *outOrigins;
  uint64_t operandOrigin;
  uint32_t operand; ///< shadow of the operand in a register
};

/// What the host tells of a bound buffer with bytes that nobody has written.
struct UnwrittenMemory {
  uint32_t slot = 0;
  uint8_t *shadow = nullptr; ///< a byte for each byte of the binding: 0xff where nobody has written it
};

inline constexpr size_t kWidestAccess = 256; ///< bytes; a wider one is not tracked

/// There is one for each dispatch. The members about a threadgroup change when a threadgroup begins.
struct ShadowAbi {
  int64_t arena;          ///< plus an address in threadgroup memory: the address of its shadow
  uint64_t *arenaOrigins; ///< of the words of threadgroup memory
  uint64_t arenaBase;
  LaneShadow *lanes;            ///< by thread_index_in_threadgroup
  int64_t device[kBufferSlots]; ///< like `arena`, for a buffer; 0: all of it has been written
  uint8_t zeros[kWidestAccess]; ///< the shadow of such buffers
  uint8_t sink[kWidestAccess];  ///< and what is stored there
};

} // namespace assay
