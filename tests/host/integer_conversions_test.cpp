// Every half and every bfloat, and floats of every exponent, as each type of integer, in every way of
// running: a conversion truncates and saturates, a NaN becomes 0, and a long does not saturate at the top.
// The long is measured (shared/hardware-vectors.md).
#include "every_way.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace assay {
namespace {

using testing_support::everyWay;
using testing_support::EveryWay;
using testing_support::nameOfWay;

constexpr uint32_t kCount = 65536; // the upper half of a float is a bfloat
constexpr uint32_t kGroup = 256;

constexpr const char *kSource = R"(#include <metal_stdlib>
using namespace metal;
struct Integers { long l; ulong ul; int i; uint ui; short s; ushort us; char c; uchar uc; };
template <typename T> Integers convert(T x) {
  return {long(x), ulong(x), int(x), uint(x), short(x), ushort(x), char(x), uchar(x)};
}
kernel void halves(device Integers *out, uint i [[thread_position_in_grid]]) {
  out[i] = convert(as_type<half>(ushort(i)));
}
kernel void bfloats(device Integers *out, uint i [[thread_position_in_grid]]) {
  out[i] = convert(as_type<bfloat>(ushort(i)));
}
kernel void floats(device Integers *out, uint i [[thread_position_in_grid]]) {
  out[i] = convert(as_type<float>(i << 16 | (i * 40503u & 0xffff)));
}
// The same by vectors of four.
kernel void vectors(device short *out, uint i [[thread_position_in_grid]]) {
  const short4 s = short4(as_type<half4>(ushort4(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3)));
  for (uint k = 0; k < 4; ++k)
    out[4 * i + k] = s[k];
}
)";

struct Integers {
  int64_t l;
  uint64_t ul;
  int32_t i;
  uint32_t ui;
  int16_t s;
  uint16_t us;
  int8_t c;
  uint8_t uc;
  bool operator==(const Integers &) const = default;
};

double ofHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                           : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                          : std::ldexp(fraction, -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double ofFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

// Compares with powers of two, which doubles hold.
template <class T> T converted(double x) {
  using Limits = std::numeric_limits<T>;
  const double above = std::ldexp(1.0, Limits::digits);
  if (std::isnan(x))
    return 0;
  if (x >= above)
    return Limits::is_signed && sizeof(T) == 8 ? Limits::min() : Limits::max();
  if (x < (Limits::is_signed ? -above : 0.0))
    return Limits::min();
  return static_cast<T>(x);
}

Integers expected(double x) {
  return {converted<int64_t>(x), converted<uint64_t>(x), converted<int32_t>(x), converted<uint32_t>(x),
          converted<int16_t>(x), converted<uint16_t>(x), converted<int8_t>(x),  converted<uint8_t>(x)};
}

class IntegerConversions : public EveryWay {
protected:
  IntegerConversions() : EveryWay(kSource) {}

  template <class T> std::vector<T> results(const char *kernel, uint32_t threads) {
    Buffer out = device.newBuffer(kCount * sizeof(T));
    std::memset(out.contents(), 0xa5, out.length());
    Bindings bindings;
    bindings.buffers = {{0, out}};
    const Result<DispatchReport> report =
        run(pipelineWith({}, kernel, {}), bindings, {threads, 1, 1}, {kGroup, 1, 1});
    EXPECT_TRUE(report) << (report ? "" : renderDiagnostics(report.error().diagnostics));
    const auto values = out.as<T>();
    return {values.begin(), values.end()};
  }

  template <class Value> void check(const char *kernel, Value valueOf) {
    const std::vector<Integers> found = results<Integers>(kernel, kCount);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < kCount && wrong < 5; ++i)
      if (const Integers right = expected(valueOf(i)); !(found[i] == right)) {
        ++wrong;
        ADD_FAILURE() << kernel << " of " << valueOf(i) << " (" << i << "): short " << found[i].s << " for "
                      << right.s << ", int " << found[i].i << " for " << right.i << ", long " << found[i].l
                      << " for " << right.l << ", ulong " << found[i].ul << " for " << right.ul << ", char "
                      << int(found[i].c) << " for " << int(right.c);
      }
  }
};

TEST_P(IntegerConversions, OfEveryHalf) {
  check("halves", [](uint32_t i) { return ofHalf(uint16_t(i)); });
}
TEST_P(IntegerConversions, OfEveryBfloat) {
  check("bfloats", [](uint32_t i) { return ofFloat(i << 16); });
}
TEST_P(IntegerConversions, OfFloatsOfEveryExponent) {
  check("floats", [](uint32_t i) { return ofFloat(i << 16 | (i * 40503u & 0xffff)); });
}
TEST_P(IntegerConversions, OfVectorsOfHalves) {
  const std::vector<int16_t> found = results<int16_t>("vectors", kCount / 4);
  for (uint32_t i = 0; i < kCount; ++i)
    ASSERT_EQ(found[i], converted<int16_t>(ofHalf(uint16_t(i)))) << i;
}

INSTANTIATE_TEST_SUITE_P(Ways, IntegerConversions, everyWay(), nameOfWay);

} // namespace
} // namespace assay
