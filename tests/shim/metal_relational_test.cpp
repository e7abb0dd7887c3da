// Tests of values, select, any and all. source: MSL specification, section 6.4.
#include "scalar_functions.h"
#include "signatures.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace assay::test;

namespace {

const float kInf = INFINITY, kNan = NAN;

TEST(Relational, ClassesReadBits) {
  enum { kFinite = 1, kInfinite = 2, kNaN = 4, kNormal = 8, kSign = 16 };
  EXPECT_EQ(scalar_float_classes(1), kFinite | kNormal);
  EXPECT_EQ(scalar_float_classes(-0.0f), kFinite | kSign);
  EXPECT_EQ(scalar_float_classes(-0x1p-149f), kFinite | kSign);
  EXPECT_EQ(scalar_float_classes(-kInf), kInfinite | kSign);
  EXPECT_EQ(scalar_float_classes(kNan), kNaN);
  EXPECT_EQ(scalar_half_classes(_Float16(65504)), kFinite | kNormal);
}

TEST(RelationalHeader, DeclaresEveryFunctionForEveryType) {
  expectSignatures("metal_relational", {
                                           {kAllFloats,
                                            "Like<bool, T>",
                                            {"isfinite(x)", "isinf(x)", "isnan(x)", "isnormal(x)",
                                             "isordered(x, y)", "isunordered(x, y)", "signbit(x)"}},
                                           {kBools, "bool", {"all(x)", "any(x)"}},
                                           {kBools, "T", {"not(x)", "select(x, y, x)"}},
                                           {kAllFloats, "T", {"select(x, y, Like<bool, T>(true))"}},
                                           {kIntegers, "T", {"select(x, y, Like<bool, T>(true))"}},
                                       });
}

} // namespace
