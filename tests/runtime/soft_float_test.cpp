// The functions that generated code calls by name, called as it calls them.
#include "runtime/random.h"
#include "runtime/soft_float.h"
#include "support/abi/runtime_call.h"
#include "tests/runtime/test_kernel.h"

#include <xmmintrin.h>

#include <cmath>
#include <set>

namespace assay::runtime::test {
namespace {

void *symbol(std::string_view name) {
  for (auto [known, address] : runtimeSymbols())
    if (name == known)
      return address;
  return nullptr;
}

uint16_t low16(float reg) {
  return uint16_t(std::bit_cast<uint32_t>(reg));
}

TEST(RuntimeSymbols, AreDistinctAndComplete) {
  std::set<std::string> names;
  for (auto [name, address] : runtimeSymbols()) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_NE(address, nullptr) << name;
  }
  for (const RuntimeCallInfo &call : kRuntimeCalls)
    EXPECT_TRUE(names.count(call.symbol)) << call.symbol;
  for (const char *name : {"__truncsfhf2", "__truncdfhf2", "__truncsfbf2", "__truncdfbf2", "__extendhfsf2",
                           "fmaf", "fma", "memcpy", "memset", "memmove", "roundevenf", "fmodf"})
    EXPECT_TRUE(names.count(name)) << name;
}

TEST(SoftFloat, TravelsInTheLowBitsOfAnXmmRegister) {
  const auto toHalf = reinterpret_cast<float (*)(float)>(symbol("__truncsfhf2"));
  const auto toBfloat = reinterpret_cast<float (*)(float)>(symbol("__truncsfbf2"));
  const auto doubleToHalf = reinterpret_cast<float (*)(double)>(symbol("__truncdfhf2"));
  const auto doubleToBfloat = reinterpret_cast<float (*)(double)>(symbol("__truncdfbf2"));
  const auto fromHalf = reinterpret_cast<float (*)(float)>(symbol("__extendhfsf2"));
  EXPECT_EQ(low16(toHalf(1.5f)), 0x3e00);
  EXPECT_EQ(low16(toBfloat(1.5f)), 0x3fc0);
  EXPECT_EQ(low16(doubleToHalf(-2.0)), 0xc000);
  EXPECT_EQ(low16(doubleToBfloat(-2.0)), 0xc000);
  EXPECT_EQ(fromHalf(std::bit_cast<float>(0xffff3e00)), 1.5f) << "the upper bits are unspecified";
  // A double a little above a midpoint must not be rounded to float first.
  EXPECT_EQ(low16(doubleToHalf(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40))), 0x3c01);
}

TEST(SoftFloat, DoesNotDependOnTheFlushMode) {
  const auto toHalf = reinterpret_cast<float (*)(float)>(symbol("__truncsfhf2"));
  const auto toBfloat = reinterpret_cast<float (*)(float)>(symbol("__truncsfbf2"));
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  const float half = toHalf(5.9604645e-08f), bfloat = toBfloat(std::bit_cast<float>(0x00010000));
  _mm_setcsr(before);
  EXPECT_EQ(low16(half), 1) << "the smallest subnormal half";
  EXPECT_EQ(low16(bfloat), 1) << "the smallest subnormal bfloat";
}

TEST(FusedMultiplyAdd, EqualsTheCorrectlyRoundedOneOfTheLibrary) {
  SplitMix64 random(3);
  auto any = [&] { return std::bit_cast<float>(uint32_t(random.next())); };
  auto nearOne = [&] { return std::bit_cast<float>((uint32_t(random.next()) & 0x807fffff) | 0x3f800000); };
  for (int i = 0; i < 1'000'000; ++i) {
    const float a = i % 2 ? any() : nearOne(), b = i % 2 ? any() : nearOne();
    // Often nearly the negative of the product, where one rounding and two differ.
    const float c = i % 3 == 0   ? -a * b
                    : i % 3 == 1 ? any()
                                 : std::ldexp(nearOne(), int(random.below(60)) - 30);
    const float expected = std::fma(a, b, c), actual = fusedMultiplyAdd(a, b, c);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(actual));
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(actual), std::bit_cast<uint32_t>(expected))
        << std::hexfloat << a << " " << b << " " << c;
  }
}

TEST(FusedMultiplyAdd, RoundsOnceWhereTheProductIsAMidpoint) {
  // (1 + 2^-12)^2 lies midway between two floats; what decides is far below the 53 bits of a double.
  const float a = 1.0f + std::ldexp(1.0f, -12), tiny = std::ldexp(1.0f, -80);
  const float below = 1.0f + std::ldexp(1.0f, -11), above = below + std::ldexp(1.0f, -23);
  EXPECT_EQ(fusedMultiplyAdd(a, a, tiny), above);
  EXPECT_EQ(fusedMultiplyAdd(a, a, -tiny), below);
  EXPECT_EQ(fusedMultiplyAdd(a, a, 0.0f), below) << "the even one";
  EXPECT_EQ(fusedMultiplyAdd(a, -a, -tiny), -above);
  EXPECT_EQ(fusedMultiplyAdd(-a, a, tiny), -below);
}

TEST(FusedMultiplyAdd, FlushesAsMxcsrSays) {
  const unsigned before = _mm_getcsr();
  const auto fma =
      reinterpret_cast<float (*)(float, float, float)>(symbol("fmaf")); // a call, which stays where it is
  volatile float smallest = 1.17549435e-38f, half = 0.5f, zero = 0.0f;
  EXPECT_EQ(std::bit_cast<uint32_t>(fma(smallest, half, zero)), 0x00400000u);
  _mm_setcsr(before | 0x8040);
  const float flushed = fma(smallest, half, zero);
  _mm_setcsr(before);
  EXPECT_EQ(std::bit_cast<uint32_t>(flushed), 0u);
}

} // namespace
} // namespace assay::runtime::test
