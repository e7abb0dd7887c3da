// Packed numbers for metal_packed_numeric_test.cpp: each format's codes as floats and halves, and floats as
// codes. Sources without a version have the formats of Metal 4.1.
#include <metal_packed_numeric>
#include <metal_stdlib>

using namespace metal;

// ---- what holds of types ----

static_assert(sizeof(packed_numeric_type<uint4b_format, 8>) == 4 &&
              alignof(packed_numeric_type<uint4b_format, 8>) == 1);
static_assert(sizeof(packed_numeric_type<int2b_format, 16>) == 4 && sizeof(packed_metal_fp8_e4m3<16>) == 16);
static_assert(is_same_v<packed_uint4b<16>::storage_type, packed_vec<uchar, 8>>);
static_assert(is_same_v<packed_metal_fp8_e4m3<4>::storage_type, packed_uchar4>);
static_assert(is_same_v<packed_int8b<8>, packed_numeric_type<int8b_format, 8>>);
static_assert(is_same_v<decltype(pack<metal_fp4_e2m1_format>(vec<half, 16>())), packed_metal_fp4_e2m1<16>>);
static_assert(is_same_v<decltype(unpack<bfloat>(packed_uint2b<8>())), vec<bfloat, 8>>);
static_assert(is_same_v<decltype(unpack<float, int4b_format, 2>(packed_int4b<2>())), float2>);

// ---- what the test calls ----

// The numbers 0 and 1 of a byte, or the only one twice.
template <class Format> static void decode(uchar byte, thread float *floats, thread half *halves) {
  constexpr int kNumbers = 8 / __assay::Format<Format>::kBits;
  const packed_numeric_type<Format, kNumbers> packed{packed_vec<uchar, 1>(byte)};
  const vec<float, kNumbers> a = unpack<float>(packed);
  const vec<half, kNumbers> b = unpack<half, Format, kNumbers>(packed);
  for (int i = 0; i < kNumbers; ++i) {
    floats[i] = a[i];
    halves[i] = b[i];
  }
}

#define DECODE(name, format)                                                                                 \
  extern "C" void shim_decode_##name(uchar byte, thread float *floats, thread half *halves) {                \
    decode<format>(byte, floats, halves);                                                                    \
  }
DECODE(int2, int2b_format)
DECODE(uint2, uint2b_format)
DECODE(int4, int4b_format)
DECODE(uint4, uint4b_format)
DECODE(int8, int8b_format)
DECODE(uint8, uint8b_format)
DECODE(e2m1, metal_fp4_e2m1_format)
DECODE(e4m3, metal_fp8_e4m3_format)
DECODE(e5m2, metal_fp8_e5m2_format)
DECODE(ue8m0, metal_fp8_ue8m0_format)

extern "C" uchar shim_encode_e2m1(float value) {
  return pack<metal_fp4_e2m1_format>(float2(value, 0)).as_storage_type()[0];
}
extern "C" uchar shim_encode_e4m3(float value) {
  return pack<metal_fp8_e4m3_format>(float4(value)).as_storage_type()[0];
}
extern "C" uchar shim_encode_e5m2(float value) {
  return pack<metal_fp8_e5m2_format>(float4(value)).as_storage_type()[3];
}

// Sixteen numbers there and back; the bytes between.
extern "C" void shim_pack_sixteen(const thread float *in, thread uchar *bytes, thread float *out) {
  vec<float, 16> values;
  for (int i = 0; i < 16; ++i)
    values[i] = in[i];
  const auto packed = pack<metal_fp4_e2m1_format>(values);
  for (int i = 0; i < 8; ++i)
    bytes[i] = packed.as_storage_type()[i];
  const vec<float, 16> again = unpack<float>(packed);
  for (int i = 0; i < 16; ++i)
    out[i] = again[i];
}
