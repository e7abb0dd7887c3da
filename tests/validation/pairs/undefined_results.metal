// Results that Metal does not define, which reach memory or decide something.
#include <metal_stdlib>
using namespace metal;

// case mean_of_nothing: undefined-result 32
kernel void mean_of_nothing(device uint *out [[buffer(0)]], device const uint *sum [[buffer(1)]],
                            device const uint *count [[buffer(2)]], uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const uint mean = count[i] ? sum[i] / count[i] : 0;
#else
  const uint mean = sum[i] / count[i]; // [earlier]
#endif
  out[i] = mean; // [later]
}

// case remainder_as_an_index: undefined-result 32
kernel void remainder_as_an_index(device float *out [[buffer(0)]], device const uint *width [[buffer(1)]],
                                  uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const uint column = width[0] ? i % width[0] : i;
#else
  const uint column = i % width[0]; // [earlier]
#endif
  out[column] = i; // [later]
}

// case mask_of_the_lanes_below: undefined-result 32
kernel void mask_of_the_lanes_below(device uint *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  const uint below = (2u << i) - 1;
#else
  const uint below = (1u << (i + 1)) - 1; // [earlier]
#endif
  out[i] = below; // [later]
}

// case bits_that_straddle_two_words: undefined-result 32
kernel void bits_that_straddle_two_words(device ulong *out [[buffer(0)]],
                                         device const ulong *in [[buffer(1)]],
                                         uint i [[thread_position_in_grid]]) {
  const uint offset = i * 8 % 64;
  ulong bits = in[i] >> offset;
#ifdef REPAIRED
  if (offset)
    bits |= in[i + 1] << (64 - offset);
#else
  bits |= in[i + 1] << (64 - offset); // [earlier]
#endif
  out[i] = bits; // [later]
}

// case quantised_by_a_scale_of_zero: undefined-result 32
kernel void quantised_by_a_scale_of_zero(device int *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                         device const float *scale [[buffer(2)]],
                                         uint i [[thread_position_in_grid]]) {
  int quantised = 0;
#ifdef REPAIRED
  if (scale[0] != 0)
#endif
    quantised = int((in[i] + 1) / scale[0]); // [earlier]
  out[i] = quantised; // [later]
}

// case negative_coordinate: undefined-result 32
kernel void negative_coordinate(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const uint x = uint(max(float(i) - 8, 0.0f));
#else
  const uint x = uint(float(i) - 8); // [earlier]
#endif
  out[i] = x; // [later]
}

// case brightest_pixel: undefined-result 32
kernel void brightest_pixel(device uchar *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  const float value = float(i) / 31;
#ifdef REPAIRED
  const uchar pixel = uchar(value * 255);
#else
  const uchar pixel = uchar(value * 256); // [earlier]
#endif
  out[i] = pixel; // [later]
}

// case every_nth: undefined-result 32
kernel void every_nth(device uint *out [[buffer(0)]], device const uint *n [[buffer(1)]],
                      uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const uint step = max(n[0], 1u);
#else
  const uint step = n[0];
#endif
  if (i % step == 0) // [earlier] [later]
    out[i] = 1;
}

// case smallest_by_minus_one: undefined-result 32
kernel void smallest_by_minus_one(device int *out [[buffer(0)]], device const int *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]]) {
  const int smallest = in[i] - 2147483647 - 1, sign = in[i + 32] - 1;
#ifdef REPAIRED
  const int quotient = sign == -1 ? as_type<int>(0u - as_type<uint>(smallest)) : smallest / sign;
#else
  const int quotient = smallest / sign; // [earlier]
#endif
  out[i] = quotient; // [later]
}

// case one_component: undefined-result 32
kernel void one_component(device uint4 *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const uint4 divisors(1, 2, 3, i + 1);
#else
  const uint4 divisors(1, 2, 3, i);
#endif
  const uint4 quotients = uint4(i) / divisors; // [earlier]
  out[i] = quotients; // [later]
}
