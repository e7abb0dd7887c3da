// numeric_limits of every scalar type.
// source: two's complement; IEEE 754-2019, table 3.5; bfloat: 8 bits of precision and float's exponents.
#include "signatures.h"

using namespace assay::test;

namespace {

TEST(LimitsHeader, HoldsTheLimitsOfEveryType) {
  expectFacts(
      "metal_limits",
      {
          "numeric_limits<char>::max() == 127",
          "numeric_limits<char>::min() == -128",
          "numeric_limits<char>::lowest() == -128",
          "numeric_limits<char>::is_integer && numeric_limits<char>::is_signed == ((char)-1 < 0)",
          "numeric_limits<uchar>::max() == 255",
          "numeric_limits<uchar>::min() == 0",
          "numeric_limits<uchar>::lowest() == 0",
          "numeric_limits<uchar>::is_integer && numeric_limits<uchar>::is_signed == ((uchar)-1 < 0)",
          "numeric_limits<short>::max() == 32767",
          "numeric_limits<short>::min() == -32768",
          "numeric_limits<short>::lowest() == -32768",
          "numeric_limits<short>::is_integer && numeric_limits<short>::is_signed == ((short)-1 < 0)",
          "numeric_limits<ushort>::max() == 65535",
          "numeric_limits<ushort>::min() == 0",
          "numeric_limits<ushort>::lowest() == 0",
          "numeric_limits<ushort>::is_integer && numeric_limits<ushort>::is_signed == ((ushort)-1 < 0)",
          "numeric_limits<int>::max() == 2147483647",
          "numeric_limits<int>::min() == -2147483647 - 1",
          "numeric_limits<int>::lowest() == -2147483647 - 1",
          "numeric_limits<int>::is_integer && numeric_limits<int>::is_signed == ((int)-1 < 0)",
          "numeric_limits<uint>::max() == 4294967295u",
          "numeric_limits<uint>::min() == 0",
          "numeric_limits<uint>::lowest() == 0",
          "numeric_limits<uint>::is_integer && numeric_limits<uint>::is_signed == ((uint)-1 < 0)",
          "numeric_limits<long>::max() == 9223372036854775807l",
          "numeric_limits<long>::min() == -9223372036854775807l - 1",
          "numeric_limits<long>::lowest() == -9223372036854775807l - 1",
          "numeric_limits<long>::is_integer && numeric_limits<long>::is_signed == ((long)-1 < 0)",
          "numeric_limits<ulong>::max() == 18446744073709551615ul",
          "numeric_limits<ulong>::min() == 0",
          "numeric_limits<ulong>::lowest() == 0",
          "numeric_limits<ulong>::is_integer && numeric_limits<ulong>::is_signed == ((ulong)-1 < 0)",
          "numeric_limits<bool>::max() && !numeric_limits<bool>::min()",
          "numeric_limits<int>::digits == 31 && numeric_limits<int>::digits10 == 9 && "
          "numeric_limits<ulong>::digits10 == 19",
          "numeric_limits<const uint>::max() == 0xffffffffu",
          "numeric_limits<half>::max() == 65504.0h",
          "numeric_limits<half>::lowest() == -65504.0h",
          "numeric_limits<half>::min() == 0x1p-14f16",
          "numeric_limits<half>::epsilon() == 0x1p-10f16",
          "numeric_limits<half>::denorm_min() == 0x1p-14f16",
          "numeric_limits<half>::digits == 11 && numeric_limits<half>::digits10 == 2",
          "numeric_limits<half>::max_exponent == 16 && numeric_limits<half>::min_exponent == -13",
          "numeric_limits<float>::max() == 0x1.fffffep127f",
          "numeric_limits<float>::lowest() == -0x1.fffffep127f",
          "numeric_limits<float>::min() == 0x1p-126f",
          "numeric_limits<float>::epsilon() == 0x1p-23f",
          "numeric_limits<float>::denorm_min() == 0x1p-126f",
          "numeric_limits<float>::digits == 24 && numeric_limits<float>::digits10 == 6 && "
          "numeric_limits<float>::max_digits10 == 9",
          "numeric_limits<float>::max_exponent == 128 && numeric_limits<float>::min_exponent == -125",
          "float(numeric_limits<bfloat>::max()) == 0x1.fep127f",
          "float(numeric_limits<bfloat>::min()) == 0x1p-126f",
          "float(numeric_limits<bfloat>::epsilon()) == 0x1p-7f",
          "float(numeric_limits<bfloat>::denorm_min()) == 0x1p-126f",
          "numeric_limits<bfloat>::digits == 8 && numeric_limits<bfloat>::digits10 == 2",
          "numeric_limits<float>::infinity() == INFINITY && numeric_limits<half>::infinity() == HUGE_VALH",
          "numeric_limits<float>::quiet_NaN() != numeric_limits<float>::quiet_NaN()",
          "numeric_limits<float>::has_infinity && numeric_limits<half>::has_quiet_NaN && "
          "!numeric_limits<bfloat>::is_iec559 && !numeric_limits<float>::has_signaling_NaN",
          "numeric_limits<uint>::is_modulo && !numeric_limits<int>::is_modulo && "
          "!numeric_limits<bool>::is_modulo",
          "!numeric_limits<float>::is_integer && numeric_limits<float>::is_signed && "
          "numeric_limits<float>::radix == 2",
          "numeric_limits<float>::round_error() == 1.0f && numeric_limits<float>::round_style == "
          "round_indeterminate",
      });
}

} // namespace
