// The order of the Shuffle schedule: Fisher-Yates on the project's random numbers.
#pragma once

#include "support/numbers/split_mix.h"

#include <span>
#include <utility>

namespace assay::runtime {

template <class T> void shuffle(std::span<T> items, SplitMix64 random) {
  for (size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[random.below(i)]);
}

} // namespace assay::runtime
