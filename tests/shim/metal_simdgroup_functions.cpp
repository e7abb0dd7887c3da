// Simd and quad functions and barriers for the tests of those headers; engine.cpp answers.
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
extern "C" half shim_broadcast(half x) {
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
