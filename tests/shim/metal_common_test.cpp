// Common functions by their formulas. source: MSL specification, section 6.2.
#include "scalar_functions.h"
#include "signatures.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>

using namespace assay::test;

namespace {

const float kInf = INFINITY, kNan = NAN;

TEST(Common, ClampSaturateStepSign) {
  EXPECT_EQ(scalar_float_clamp(5, 0, 1), 1.0f);
  EXPECT_EQ(scalar_float_clamp(-5, 0, 1), 0.0f);
  EXPECT_EQ(scalar_float_saturate(kNan), 0.0f) << "fmax(NaN, 0) is 0";
  EXPECT_EQ(scalar_float_saturate(-kInf), 0.0f);
  EXPECT_EQ(scalar_float_step(1, 1), 1.0f);
  EXPECT_EQ(scalar_float_step(1, 0.999f), 0.0f);
  EXPECT_EQ(scalar_float_sign(-3), -1.0f);
  EXPECT_TRUE(std::signbit(scalar_float_sign(-0.0f)));
  EXPECT_EQ(scalar_float_sign(kNan), 0.0f);
  EXPECT_EQ(float(scalar_half_sign(_Float16(2))), 1.0f);
}
TEST(Common, MixAndSmoothstepFollowTheirFormulas) {
  EXPECT_EQ(scalar_float_mix(1, 3, 0.1f), std::fmaf(2, 0.1f, 1));
  const float t = 0.3f, inner = std::fmaf(-2.0f, t, 3.0f);
  EXPECT_EQ(scalar_float_smoothstep(0, 1, t), t * t * inner);
  EXPECT_EQ(scalar_float_smoothstep(0, 1, -1), 0.0f);
  EXPECT_EQ(float(scalar_half_mix(_Float16(1), _Float16(2), _Float16(0.5))), 1.5f);
}

TEST(Common, SaturateAndSignOfEveryHalf) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const _Float16 x = std::bit_cast<_Float16>(static_cast<uint16_t>(i));
    const float wide = float(x);
    ASSERT_EQ(float(scalar_half_saturate(x)), std::isnan(wide) || wide < 0 ? 0.0f
                                              : wide > 1                   ? 1.0f
                                                                           : wide)
        << i;
    ASSERT_EQ(float(scalar_half_sign(x)), wide > 0 ? 1.0f : wide < 0 ? -1.0f : 0.0f) << i;
    if (wide == 0) {
      ASSERT_EQ(std::signbit(float(scalar_half_sign(x))), std::signbit(wide)) << i;
    }
  }
}

TEST(CommonHeader, DeclaresEveryFunctionForHalfAndFloatAndTheirVectors) {
  expectSignatures(
      "metal_common",
      {
          {kFloats,
           "T",
           {"clamp(x, y, z)", "mix(x, y, z)", "saturate(x)", "sign(x)", "smoothstep(x, y, z)", "step(x, y)"}},
          {kFloatVectors,
           "T",
           {"clamp(x, 0, 1)", "mix(x, y, Scalar<T>(1))", "step(Scalar<T>(1), x)", "smoothstep(0, 1, x)"}},
          {kFloatOnly,
           "T",
           {"precise::clamp(x, y, z)", "fast::clamp(x, y, z)", "precise::saturate(x)", "fast::saturate(x)"}},
      });
}

} // namespace
