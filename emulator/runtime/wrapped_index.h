// Whether an index that left its object had wrapped, and what it would have been.
//
// The kernel's computation (SiteInfo::index) is done again in 128 bits. A bit pattern does not say whether it
// was meant as signed: the computation is done both ways, and the index wrapped only if neither gives what
// the kernel used. Nothing is said where 128 bits are too few.
#pragma once

#include "support/abi/kernel_code.h"

#include <array>
#include <optional>
#include <span>
#include <string>

namespace assay::runtime {

/// Of the access that is about to be refused, as the kernel hands them over.
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
