// error: no matching member function for call to 'sample'
#include <metal_stdlib>
using namespace metal;

kernel void k(texture2d<float> in, device float *p) {
#ifdef MISUSE
  p[0] = in.sample(sampler(), float2(0), gradient3d(float3(0), float3(0))).x;
#else
  p[0] = in.sample(sampler(), float2(0), gradient2d(float2(0), float2(0)), int2(1)).x;
#endif
}
