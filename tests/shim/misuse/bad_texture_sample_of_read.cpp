// error: sample and gather need access::sample
#include <metal_stdlib>
using namespace metal;

kernel void k(texture2d<float> sampled, texture2d<float, access::read> in, device float *p) {
#ifdef MISUSE
  p[0] = in.sample(sampler(), float2(0)).x;
#else
  p[0] = sampled.sample(sampler(), float2(0)).x;
#endif
}
