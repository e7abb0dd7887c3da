// Finds out whether an index that is outside of its object has wrapped, and what it would have been.
//
// The kernel's computation (SiteInfo::index) is repeated in 128 bits. A bit pattern does not tell whether it
// is meant as signed, so the computation is done both ways. The index has wrapped only if neither way gives
// the index that the kernel used. If 128 bits are not enough, nothing is reported.
#pragma once

#include "support/abi/kernel_code.h"

#include <array>
#include <optional>
#include <span>
#include <string>

namespace assay::runtime {

/// The operands of the index of an access that is about to be refused, as the kernel passes them.
class IndexOperands {
public:
  void add(uint64_t value) {
    if (count_ < kMostIndexOperands)
      values_[count_++] = value;
  }
  std::span<const uint64_t> values() const { return {values_.data(), count_}; }
  bool operator==(const IndexOperands &) const = default;

private:
  std::array<uint64_t, kMostIndexOperands> values_ = {};
  uint32_t count_ = 0;
};

struct WrappedIndex {
  uint32_t bits = 0; ///< that it was computed in
  __int128 whole = 0, used = 0;
  /// "its index wrapped in 32 bits, from 4295032832 to 65536"
  std::string text() const;
  std::string remedy() const;
};

/// The first computation that wrapped; nullopt if none has, or if the operands are not those of the steps.
std::optional<WrappedIndex> wrappedIndex(std::span<const IndexStep> steps,
                                         std::span<const uint64_t> operands);

} // namespace assay::runtime
