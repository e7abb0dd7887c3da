// error: read needs access::sample, access::read or access::read_write
#include <metal_stdlib>
using namespace metal;

kernel void k(texture2d<float, access::read> in, texture2d<float, access::write> out) {
#ifdef MISUSE
  out.write(out.read(uint2(0)), uint2(0));
#else
  out.write(in.read(uint2(0)), uint2(0));
#endif
}
