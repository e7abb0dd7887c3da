// error: atomic operations on a texture need elements of type int or uint
#include <metal_stdlib>
using namespace metal;

kernel void k(texture2d<float, access::read_write> t, texture2d<uint, access::read_write> counts) {
#ifdef MISUSE
  t.atomic_fetch_add(uint2(0), float4(1));
#else
  counts.atomic_fetch_add(uint2(0), uint4(1));
#endif
}
