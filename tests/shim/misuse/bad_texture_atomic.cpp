// error: no member named 'atomic_fetch_add' in 'metal::texture2d<unsigned int, metal::access::read_write>'
#include <metal_stdlib>
using namespace metal;

kernel void k(texture2d<uint, access::read_write> t) {
#ifdef MISUSE
  t.atomic_fetch_add(uint2(0), uint4(1));
#else
  t.write(t.read(uint2(0)) + 1, uint2(0));
#endif
}
