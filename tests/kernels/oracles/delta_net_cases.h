// Inputs for tests of the delta rule: keys of length near one, so that the state neither dies nor grows.
#pragma once

#include "delta_net.h"

#include "tests/support/kernel_data.h"

#include <cmath>

namespace assay::oracle {

inline DeltaNetInputs makeDeltaNetCase(const DeltaNetShape &s, uint64_t seed) {
  using testing_support::uniformFloats;
  const float keyBound = std::sqrt(3.0f / float(s.keySize));
  return {uniformFloats(s.keyCount(), seed + 1, -keyBound, keyBound),
          uniformFloats(s.keyCount(), seed + 2, -keyBound, keyBound),
          uniformFloats(s.valueCount(), seed + 3),
          uniformFloats(s.gateCount(), seed + 4, 0.0f, 0.2f),
          uniformFloats(s.gateCount(), seed + 5, 0.1f, 1.0f),
          uniformFloats(s.stateCount(), seed + 6, -0.5f, 0.5f)};
}

} // namespace assay::oracle
