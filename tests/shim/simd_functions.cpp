// Simd and quad functions for simd_test.cpp, which plays the engine.
#include <metal_stdlib>

using namespace metal;

extern "C" float shim_simd_sum(float x) {
  return simd_sum(x);
}
extern "C" void shim_simd_max3(const half3 *in, half3 *out) {
  *out = simd_max(*in);
}
extern "C" int shim_shuffle_and_fill(int data, int filling) {
  return simd_shuffle_and_fill_up(data, filling, 3, 8);
}
extern "C" int shim_shuffle_and_fill_whole(int data, int filling) {
  return simd_shuffle_and_fill_down(data, filling, 1);
}
extern "C" uchar shim_shuffle_xor(uchar x) {
  return simd_shuffle_xor(x, 16);
}
extern "C" bfloat shim_broadcast(bfloat x) {
  return simd_broadcast(x, 5);
}
extern "C" bool shim_all(bool x) {
  return simd_all(x);
}
extern "C" bool shim_any(bool x) {
  return simd_any(x);
}
extern "C" ulong shim_ballot(bool x) {
  return ulong(simd_ballot(x));
}
extern "C" bool shim_vote_all(bool x) {
  return simd_ballot(x).all();
}
extern "C" bool shim_is_first() {
  return simd_is_first();
}
extern "C" uint shim_quad_prefix(uint x) {
  return quad_prefix_exclusive_sum(x);
}
extern "C" void shim_barriers() {
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  simdgroup_barrier(mem_flags::mem_none);
}
constant int kConstant = __assay_function_constant_init(7);
constant half kHalf = __assay_function_constant_init(8);
constant bool kBool = __assay_function_constant_init(9);
constant float3 kVector = __assay_function_constant_init(10);
constant int kDefaulted = is_function_constant_defined(kConstant) ? kConstant : 32;
extern "C" void shim_constants(int *i, float *h, bool *b, float4 *v) {
  *i = kConstant;
  *h = kHalf;
  *b = kBool;
  *v = float4(kVector, float(kDefaulted));
}
