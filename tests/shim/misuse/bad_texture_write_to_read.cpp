// error: write needs access::write or access::read_write
#include <metal_stdlib>
using namespace metal;

kernel void k(texture2d<float, access::read> in, texture2d<float, access::write> out) {
#ifdef MISUSE
  in.write(float4(1), uint2(0));
#else
  out.write(float4(1), uint2(0));
#endif
}
