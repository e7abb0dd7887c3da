#include "cli/scalar_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace assay::cli {
namespace {

uint64_t bits(const char *text, ScalarType type) {
  const Result<uint64_t> result = parseScalar(text, type);
  EXPECT_TRUE(result) << text;
  return result ? *result : ~uint64_t(0);
}

std::string error(const char *text, ScalarType type) {
  const Result<uint64_t> result = parseScalar(text, type);
  return result ? "" : renderDiagnostics(result.error().diagnostics);
}

} // namespace

TEST(ParseScalar, ReadsIntegersInDecimalAndHex) {
  EXPECT_EQ(bits("-1", ScalarType::Char), 0xffu);
  EXPECT_EQ(bits("-128", ScalarType::Char), 0x80u);
  EXPECT_EQ(bits("255", ScalarType::UChar), 0xffu);
  EXPECT_EQ(bits("0xBEEF", ScalarType::UShort), 0xbeefu);
  EXPECT_EQ(bits("-0x8000", ScalarType::Short), 0x8000u);
  EXPECT_EQ(bits("-9223372036854775808", ScalarType::Long), uint64_t(1) << 63);
  EXPECT_EQ(bits("18446744073709551615", ScalarType::ULong), ~uint64_t(0));
  EXPECT_EQ(bits("+7", ScalarType::Int), 7u);
}

TEST(ParseScalar, RefusesIntegersThatDoNotFit) {
  EXPECT_EQ(error("128", ScalarType::Char),
            "error: '128' is not in -128..127, the range of i8 [bad-value]\n");
  EXPECT_EQ(error("-1", ScalarType::UInt),
            "error: '-1' is not in 0..4294967295, the range of u32 [bad-value]\n");
  EXPECT_EQ(
      error("18446744073709551616", ScalarType::ULong),
      "error: '18446744073709551616' is not in 0..18446744073709551615, the range of u64 [bad-value]\n");
  EXPECT_NE(error("-9223372036854775809", ScalarType::Long), "");
}

TEST(ParseScalar, RefusesWhatIsNoNumber) {
  EXPECT_EQ(error("1.5", ScalarType::Int), "error: '1.5' is not a value of type i32 [bad-value]\n");
  EXPECT_EQ(error("x", ScalarType::Float), "error: 'x' is not a value of type f32 [bad-value]\n");
  for (const char *text : {"", "-", "0x", " 1", "1 ", "1,2"}) {
    EXPECT_NE(error(text, ScalarType::Int), "") << text;
    EXPECT_NE(error(text, ScalarType::Float), "") << text;
  }
  EXPECT_EQ(error("2", ScalarType::Bool),
            "error: '2' is not true, false, 1 or 0, the values of bool [bad-value]\n");
}

TEST(ParseScalar, ReadsFloats) {
  EXPECT_EQ(bits("1", ScalarType::Float), 0x3f800000u);
  EXPECT_EQ(bits("-0.0", ScalarType::Float), 0x80000000u);
  EXPECT_EQ(bits("0x1.8p-3", ScalarType::Float), 0x3e400000u);
  EXPECT_EQ(bits("inf", ScalarType::Float), 0x7f800000u);
  EXPECT_EQ(bits("-inf", ScalarType::BFloat), 0xff80u);
  EXPECT_EQ(bits("nan", ScalarType::Float), 0x7fc00000u);
  EXPECT_EQ(bits("nan", ScalarType::Half), 0x7e00u);
  EXPECT_EQ(bits("1e-45", ScalarType::Float), 1u);
  EXPECT_EQ(bits("1e39", ScalarType::Float), 0x7f800000u);
}

// The host's own float parsing is correctly rounded: the slow twin for f32.
TEST(ParseScalar, RoundsFloatsAsTheHostDoes) {
  for (const char *text :
       {"0.1", "3.4028235e38", "3.4028236e38", "1.17549429e-38", "7e-46", "7.1e-46", "16777217", "16777219",
        "1.00000005960464477539", "1.0000000596046448", "1.00000005960464477539062500000000001"})
    EXPECT_EQ(bits(text, ScalarType::Float), std::bit_cast<uint32_t>(std::strtof(text, nullptr))) << text;
}

TEST(ParseScalar, RoundsHalvesToNearestEven) {
  EXPECT_EQ(bits("2049", ScalarType::Half), 0x6800u);  // tie between 2048 and 2050
  EXPECT_EQ(bits("2051", ScalarType::Half), 0x6802u);  // tie between 2050 and 2052
  EXPECT_EQ(bits("65519", ScalarType::Half), 0x7bffu); // the largest value is 65504
  EXPECT_EQ(bits("65520", ScalarType::Half), 0x7c00u);
  EXPECT_EQ(bits("5.9604644775390625e-8", ScalarType::Half), 1u);  // 2^-24
  EXPECT_EQ(bits("2.98023223876953125e-8", ScalarType::Half), 0u); // 2^-25, a tie
  EXPECT_EQ(bits("2.98023223876953126e-8", ScalarType::Half), 1u);
}

TEST(ParseScalar, RoundsDecimalsOnlyOnce) {
  // Just over the tie at 1 + 2^-11: by less than a double can tell.
  EXPECT_EQ(bits("1.00048828125", ScalarType::Half), 0x3c00u);
  EXPECT_EQ(bits("1.000488281250000000000000000000001", ScalarType::Half), 0x3c01u);
  EXPECT_EQ(bits("1.00390625", ScalarType::BFloat), 0x3f80u);
  EXPECT_EQ(bits("1.003906250000000000000000000000001", ScalarType::BFloat), 0x3f81u);
}

TEST(FormatScalar, ReadsBackAsTheSameValueForEveryHalfAndBfloat) {
  for (ScalarType type : {ScalarType::Half, ScalarType::BFloat})
    for (uint32_t value = 0; value < 0x10000; ++value) {
      const uint16_t word = static_cast<uint16_t>(value);
      const std::string text = formatScalar(&word, type);
      if (text == "nan")
        continue;
      ASSERT_EQ(bits(text.c_str(), type), value) << text;
    }
}

TEST(FormatScalar, WritesIntegersAndBools) {
  const int8_t minusOne = -1;
  const uint64_t large = ~uint64_t(0);
  const bool yes = true;
  EXPECT_EQ(formatScalar(&minusOne, ScalarType::Char), "-1");
  EXPECT_EQ(formatScalar(&minusOne, ScalarType::UChar), "255");
  EXPECT_EQ(formatScalar(&large, ScalarType::ULong), "18446744073709551615");
  EXPECT_EQ(formatScalar(&yes, ScalarType::Bool), "true");
}

TEST(FloatValue, IsExactForEveryKindOfHalf) {
  const auto value = [](uint16_t half) { return floatValue(&half, ScalarType::Half); };
  EXPECT_EQ(value(0x3c00), 1.0);
  EXPECT_EQ(value(0x0001), std::ldexp(1, -24));
  EXPECT_EQ(value(0x03ff), std::ldexp(1023, -24));
  EXPECT_EQ(value(0xfbff), -65504.0);
  EXPECT_EQ(value(0xfc00), -INFINITY);
  EXPECT_TRUE(std::isnan(value(0x7e00)));
}

} // namespace assay::cli
