// error: no member named 'bicubic' in 'metal::filter'
#include <metal_stdlib>
using namespace metal;

kernel void k(texture2d<float> in, device float *p) {
#ifdef MISUSE
  constexpr sampler s(coord::pixel, filter::bicubic);
#else
  constexpr sampler s(filter::linear);
#endif
  p[0] = in.sample(s, float2(0)).x;
}
