// uniform<T>. source: MSL specification, section 2.17.
#include "signatures.h"

using namespace assay::test;

namespace {

TEST(UniformHeader, IsItsValue) {
  expectFacts("metal_uniform",
              {
                  "make_uniform(3) == 3",
                  "is_same_v<decltype(make_uniform(1u)), uniform<uint>>",
                  "is_convertible_v<uniform<float>, float> && is_convertible_v<int, uniform<int>>",
              });
}

} // namespace
