// Tests of values, select, any and all. source: MSL specification, section 6.4.
#include "scalar_functions.h"
#include "signatures.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdint>

extern "C" {
uint32_t scalar_bfloat_classes(uint16_t bits);
uint32_t shim_bfloat_vector_tests(const uint16_t *);
uint32_t shim_bool_functions(bool, bool);
}

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

// A bfloat is the upper half of a float.
TEST(Relational, EveryBfloatIsWhatItsFloatIs) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const float x = std::bit_cast<float>(i << 16);
    const bool nan = std::isnan(x);
    const uint32_t expected = std::isfinite(x) | std::isinf(x) << 1 | nan << 2 | std::isnormal(x) << 3 |
                              std::signbit(x) << 4 | !nan << 5 | nan << 6;
    ASSERT_EQ(scalar_bfloat_classes(static_cast<uint16_t>(i)), expected) << std::hex << i;
  }
  alignas(8) const uint16_t v[4] = {0x3f80, 0x7fc0, 0x7f80, 0xff81};
  EXPECT_EQ(shim_bfloat_vector_tests(v), 0x1au) << "NaN at y and w; x is ordered, w not";
}

TEST(Relational, EveryHalfIsWhatItsFloatIs) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const _Float16 x = std::bit_cast<_Float16>(static_cast<uint16_t>(i));
    const float wide = float(x);
    const bool normal = std::isfinite(wide) && std::fabs(wide) >= 0x1p-14f;
    const uint32_t expected =
        std::isfinite(wide) | std::isinf(wide) << 1 | std::isnan(wide) << 2 | normal << 3 | (i >> 15) << 4;
    ASSERT_EQ(scalar_half_classes(x), expected) << std::hex << i;
  }
}

TEST(Relational, AnyAndAllTakeABoolAndItsVectors) {
  EXPECT_EQ(shim_bool_functions(true, true), 7u);
  EXPECT_EQ(shim_bool_functions(true, false), 9u);
  EXPECT_EQ(shim_bool_functions(false, true), 10u);
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
