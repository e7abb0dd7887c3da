// Names that programs use beyond the specification's tables, or without an #include.
// Compiling this file is the test.

// Before any #include: vectors, as_type and the common functions are there, and a vector's type brings no
// function of the library into a plain call.
float4 common(float4 a, uint4 b) {
  return metal::min(a, as_type<float4>(b)) + metal::clamp(a, 0.f, 1.f) + metal::length(a);
}
float4 dot(float4 a, float4 b) {
  return a + b;
}
float4 usesItsOwn(float4 a) {
  return dot(a, a);
}
typedef metal::float4 float4; // a program may say again what a type is

#include <metal_raytracing>
#include <metal_stdlib>
using namespace metal;

int sumOf(initializer_list<int> list) {
  int sum = 0;
  for (int x : list)
    sum += x;
  for (int x : {1, 2, 3})
    sum += x;
  return sum;
}
int listed() {
  return sumOf({4, 5});
}

static_assert(is_integral<int4>::value && !is_integral<float4>::value && is_floating_point_v<half3>);
static_assert(is_signed_v<int2> && is_unsigned_v<uchar3> && is_arithmetic_v<float2>);
static_assert(is_scalar_v<int> && !is_scalar_v<int4>);
static_assert(numeric_limits<float4>::is_specialized &&
              sizeof(numeric_limits<float4>::max()) == sizeof(float4));
static_assert(is_same_v<simdgroup_float8x8::storage_type, float2>);

// Programs teach the library their own number types.
struct Own {
  float value;
};
namespace metal {
template <> struct _numeric_limits_impl<Own> : _fp_numeric_limits_impl_base {
  static constexpr constant int digits = 8;
  static constexpr METAL_FUNC Own max() { return {3}; }
};
} // namespace metal
static_assert(numeric_limits<Own>::digits == 8 && numeric_limits<Own>::radix == 2 &&
              numeric_limits<Own>::is_specialized);
static_assert(_fp_encoding_traits<float>::sign_mask == 0x80000000u &&
              _fp_encoding_traits<half>::inf_mask == 0x7c00);

float ofBfloats(bfloat a, bfloat b) {
  return fmax(a, b) + fabs(a) + exp(b);
}

kernel void usesGraphicsTypes(texture2d<float, access::read_write, memory_coherence_device> t,
                              volatile coherent(device) device int *p,
                              raytracing::primitive_acceleration_structure scene,
                              visible_function_table<float(float)> functions) {
  *p += 1;
}
