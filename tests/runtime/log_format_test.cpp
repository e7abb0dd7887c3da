// The text of a log: C's printf on arguments of MSL's types. Expected texts are those that C prescribes
// (C11 7.21.6.1) and, for vectors, OpenCL C (6.15.14): elements separated by commas.
#include "runtime/log.h"
#include "support/abi/scalar_type.h"
#include "support/numbers/float_bits.h"

#include "msl_shim/detail/log_record.h"

#include <clocale>
#include <cstring>
#include <gmock/gmock.h>

namespace assay::runtime {
namespace {

template <class T> LogArgument arg(ScalarType type, std::initializer_list<T> elements) {
  EXPECT_EQ(sizeof(T), scalarTypeInfo(type).bytes);
  LogArgument argument;
  argument.type = uint32_t(type);
  argument.count = uint32_t(elements.size());
  std::memcpy(argument.bits, elements.begin(), elements.size() * sizeof(T));
  return argument;
}
LogArgument i32(int value) {
  return arg<int>(ScalarType::Int, {value});
}
LogArgument u32(uint32_t value) {
  return arg<uint32_t>(ScalarType::UInt, {value});
}
LogArgument i64(int64_t value) {
  return arg<int64_t>(ScalarType::Long, {value});
}
LogArgument i8(int8_t value) {
  return arg<int8_t>(ScalarType::Char, {value});
}
LogArgument f32(float value) {
  return arg<float>(ScalarType::Float, {value});
}
LogArgument f16(float value) {
  return arg<uint16_t>(ScalarType::Half, {halfFromFloat(value)});
}
LogArgument string(std::string text) {
  LogArgument argument;
  argument.type = __assay_log_string;
  argument.text = std::move(text);
  return argument;
}
LogArgument pointer(uint64_t address) {
  LogArgument argument;
  argument.type = __assay_log_pointer;
  std::memcpy(argument.bits, &address, sizeof address);
  return argument;
}

} // namespace

TEST(LogFormat, TextAndPercentSigns) {
  EXPECT_EQ(formatLog("", {}), "");
  EXPECT_EQ(formatLog("plain text", {}), "plain text");
  EXPECT_EQ(formatLog("100%% of %d%%", {i32(7)}), "100% of 7%");
}

TEST(LogFormat, Integers) {
  EXPECT_EQ(formatLog("%d %i", {i32(-5), i32(6)}), "-5 6");
  EXPECT_EQ(formatLog("%u %x %X %o %#x", {u32(~0u), u32(255), u32(255), u32(8), u32(255)}),
            "4294967295 ff FF 10 0xff");
  EXPECT_EQ(formatLog("[%5d] [%-5d] [%05d] [%+d] [% d] [%.3d]",
                      {i32(42), i32(42), i32(42), i32(42), i32(42), i32(42)}),
            "[   42] [42   ] [00042] [+42] [ 42] [042]");
  EXPECT_EQ(formatLog("%ld %lu %llx", {i64(-1), arg<uint64_t>(ScalarType::ULong, {1ull << 63}), i64(-1)}),
            "-1 9223372036854775808 ffffffffffffffff");
  EXPECT_EQ(formatLog("%zu", {arg<uint64_t>(ScalarType::ULong, {3})}), "3");
}

TEST(LogFormat, NarrowIntegersArePromotedAndLengthsNarrow) {
  EXPECT_EQ(formatLog("%d %u", {i8(-1), i8(-1)}), "-1 4294967295");
  EXPECT_EQ(formatLog("%hhd %hhu", {i8(-1), i8(-1)}), "-1 255");
  EXPECT_EQ(formatLog("%hd %hu %hhd", {i32(65535), i32(-1), i32(257)}), "-1 65535 1");
  EXPECT_EQ(formatLog("%d", {arg<uint8_t>(ScalarType::Bool, {1})}), "1");
  EXPECT_EQ(formatLog("%d %u", {u32(~0u), i32(-1)}), "-1 4294967295") << "the sign is the conversion's";
}

TEST(LogFormat, FloatsOfAllTypes) {
  EXPECT_EQ(formatLog("%f %e %g", {f32(1.5f), f32(1500), f32(0.0001f)}), "1.500000 1.500000e+03 0.0001");
  EXPECT_EQ(formatLog("%.2f [%8.3f] %a", {f32(3.14159f), f32(-2), f32(0.5f)}), "3.14 [  -2.000] 0x1p-1");
  EXPECT_EQ(formatLog("%f %.3f", {f16(0.25f), arg<uint16_t>(ScalarType::BFloat, {0x3fc0})}),
            "0.250000 1.500");
  EXPECT_EQ(formatLog("%f %f %F", {f32(1.0f / 0.0f), f32(-1.0f / 0.0f), f32(__builtin_nanf(""))}),
            "inf -inf NAN");
  EXPECT_EQ(formatLog("%lf", {f32(1)}), "1.000000");
  EXPECT_EQ(formatLog("%g", {f32(1e-45f)}), "1.4013e-45") << "a subnormal";
}

TEST(LogFormat, CharactersTextsAndPointers) {
  EXPECT_EQ(formatLog("%c%c", {i32('a'), i8('b')}), "ab");
  EXPECT_EQ(formatLog("%s [%5s] [%-5s] [%.2s]", {string("abc"), string("abc"), string("abc"), string("abc")}),
            "abc [  abc] [abc  ] [ab]");
  EXPECT_EQ(formatLog("%p", {pointer(0xabcd)}), "0xabcd");
}

TEST(LogFormat, VectorsAreSeparatedByCommas) {
  const LogArgument float4 = arg<float>(ScalarType::Float, {1, 2.5, -3, 4});
  EXPECT_EQ(formatLog("%v4f", {float4}), "1.000000,2.500000,-3.000000,4.000000");
  EXPECT_EQ(formatLog("%.1v4hlf|%5.1v4f", {float4, float4}), "1.0,2.5,-3.0,4.0|  1.0,  2.5, -3.0,  4.0");
  EXPECT_EQ(
      formatLog("%v2d %v2hld", {arg<int>(ScalarType::Int, {-1, 2}), arg<int>(ScalarType::Int, {-1, 2})}),
      "-1,2 -1,2");
  EXPECT_EQ(formatLog("%v3hhx", {arg<uint8_t>(ScalarType::UChar, {1, 255, 16})}), "1,ff,10");
  EXPECT_EQ(formatLog("%v2hf", {arg<uint16_t>(ScalarType::Half, {0x3c00, 0xbc00})}), "1.000000,-1.000000");
  EXPECT_EQ(formatLog("%v2ld", {arg<int64_t>(ScalarType::Long, {-1, 1ll << 40})}), "-1,1099511627776");
  EXPECT_EQ(formatLog("%v3u", {arg<uint16_t>(ScalarType::UShort, {1, 2, 65535})}), "1,2,65535");
}

TEST(LogFormat, WidthsAndPrecisionsCanBeArguments) {
  EXPECT_EQ(formatLog("[%*d] [%-*d] [%.*f]", {i32(4), i32(7), i32(4), i32(7), i32(1), f32(2.25f)}),
            "[   7] [7   ] [2.2]");
  EXPECT_EQ(formatLog("[%*d] [%.*f]", {i32(-4), i32(7), i32(-1), f32(2.25f)}), "[7   ] [2.250000]");
}

TEST(LogFormat, WhatDoesNotFitIsSaidInItsPlace) {
  EXPECT_EQ(formatLog("a %f b", {i32(3)}), "a <%f does not fit int: 3> b");
  EXPECT_EQ(formatLog("%d", {f32(1.5f)}), "<%d does not fit float: 1.5>");
  EXPECT_EQ(formatLog("%d", {i64(5)}), "<%d does not fit long: 5>");
  EXPECT_EQ(formatLog("%ld", {i32(5)}), "<%ld does not fit int: 5>");
  EXPECT_EQ(formatLog("%s", {i32(5)}), "<%s does not fit int: 5>");
  EXPECT_EQ(formatLog("%d", {string("x")}), "<%d does not fit a text: \"x\">");
  EXPECT_EQ(formatLog("%d", {pointer(16)}), "<%d does not fit a pointer: 0x10>");
  EXPECT_EQ(formatLog("%d", {arg<int>(ScalarType::Int, {1, -2})}), "<%d does not fit int2: 1,-2>");
  EXPECT_EQ(formatLog("%v4f", {arg<float>(ScalarType::Float, {1, 2})}), "<%v4f does not fit float2: 1,2>");
  EXPECT_EQ(formatLog("%v2hf", {arg<float>(ScalarType::Float, {1, 2})}), "<%v2hf does not fit float2: 1,2>");
  EXPECT_EQ(formatLog("%d %d", {i32(1)}), "1 <%d: no argument>");
  EXPECT_EQ(formatLog("%n|%k|%v9d", {i32(1)}),
            "<%n: no such conversion>|<%k: no such conversion>|<%v9d: no such conversion>");
  EXPECT_EQ(formatLog("50%", {}), "50<%: no such conversion>");
  EXPECT_EQ(formatLog("%999999999999d", {i32(1)}), "<%999999999999d: wider than 1024>");
  EXPECT_EQ(formatLog("%*d", {f32(1), i32(1)}), "<%*d: the width is not an int>");
}

TEST(LogFormat, ZeroIsNoFlag) {
  EXPECT_EQ(formatLog(std::string("%\0d", 3), {i32(7)}), std::string("<%\0: no such conversion>d", 25));
}

TEST(LogFormat, DoesNotDependOnTheLocaleOfTheProcess) {
  for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"})
    std::setlocale(LC_ALL, name); // the last that exists stays
  EXPECT_EQ(formatLog("%.1f", {f32(0.5f)}), "0.5");
  std::setlocale(LC_ALL, "C");
}

} // namespace assay::runtime
