// error: the element type of a texture is float, half, int, uint, short, ushort or, from Metal 3.1
#include <metal_stdlib>
using namespace metal;

#ifdef MISUSE
kernel void k(texture2d<char, access::read> in, device float *p) {
#else
kernel void k(texture2d<short, access::read> in, device float *p) {
#endif
  p[0] = in.read(uint2(0)).x;
}
