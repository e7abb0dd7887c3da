// Finds the lanes of an access that have the same address.
//
// Comparing each lane with every other one would cost more than it saves. Two forms are common: neighbours
// with the same address (a value for a row of threads, or for all), and rows that repeat (threadgroups of 16
// by 16, in which each row of lanes accesses the same columns).
#pragma once

#include "../support/abi/observer.h"

#include <bit>

namespace assay::validation {

class SharedAddresses {
public:
  /// looks   if false, each lane is taken by itself
  explicit SharedAddresses(const AccessEvent &event, bool looks = true) : addresses_(event.addresses) {
    if (!looks || !std::has_single_bit(event.bytes) || event.bytes < kWordBytes)
      return;
    if (event.mask == ~0u && haveOne()) {
      apart_ = addresses_[0] % event.bytes == 0;
      if (apart_) {
        period_ = 1;
        repeats_ = ~0u;
      }
      return;
    }
    apart_ = addressBits(event.mask) % event.bytes == 0;
    if (!apart_ || event.mask != ~0u || !halve<16>())
      return;
    halve<8>() && halve<4>() && halve<2>() && halve<1>();
    for (uint32_t lane = 0; lane < kSimdWidth; lane += period_)
      repeats_ |= 1u << lane;
  }

  /// Lane i has the address of lane i % period().
  uint32_t period() const { return period_; }
  /// Whether lanes with different addresses access different words. If not, lanesFrom() returns single lanes.
  bool areApart() const { return apart_; }

  /// The first lane of the mask, and other lanes of the mask that have the same address. The mask is the
  /// access's mask without the lanes that were returned before.
  uint32_t lanesFrom(uint32_t mask) const {
    const uint32_t first = uint32_t(std::countr_zero(mask));
    if (period_ < kSimdWidth)
      return repeats_ << first;
    uint32_t lanes = 1u << first;
    for (uint32_t rest = apart_ ? mask & ~lanes : 0;
         rest && addresses_[std::countr_zero(rest)] == addresses_[first]; rest &= rest - 1)
      lanes |= rest & -rest;
    return lanes;
  }

private:
  // All lanes the same one.
  bool haveOne() const {
    uint64_t differ = 0;
    for (uint32_t lane = 1; lane < kSimdWidth; ++lane)
      differ |= addresses_[lane] ^ addresses_[0];
    return !differ;
  }
  uint64_t addressBits(uint32_t mask) const {
    uint64_t any = 0;
    if (mask == ~0u)
      for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
        any |= addresses_[lane];
    else
      for (uint32_t rest = mask; rest; rest &= rest - 1)
        any |= addresses_[std::countr_zero(rest)];
    return any;
  }
  // To a period of so many lanes, if that is one. The compiler knows the number and compares many at once.
  template <uint32_t kLanes> bool halve() {
    uint64_t differ = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      differ |= addresses_[lane] ^ addresses_[lane + kLanes];
    if (!differ)
      period_ = kLanes;
    return !differ;
  }

  static constexpr uint64_t kWordBytes = 4;
  const uint64_t *const addresses_;
  bool apart_ = false;
  uint32_t period_ = kSimdWidth; ///< lane i has the address of lane i % period_
  uint32_t repeats_ = 0;         ///< the lanes with that of lane 0, then
};

} // namespace assay::validation
